// SPDX-License-Identifier: Apache-2.0
// What fails on a device becomes an error that names it and its operators, and the session works again.
#include <gtest/gtest.h>

#include "run/session_results.h"
#include "support/late_model.h"
#include "support/random_graph.h"

namespace coracle::internal::test {
namespace {

const Tensor& image() {
  static const Tensor x = random_tensor({1, 4, 9, 7}, 1);
  return x;
}

/// The error of a run; fails the test where there is none.
Error error_of_run(Session& session) {
  try {
    run(session, {image()});
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "the run succeeded";
  return {ErrorCode::kRunFailure, ""};
}

bool says(const Error& e, const char* part) { return e.text().find(part) != std::string::npos; }

TEST(DeviceFailure, EveryOperationMayFail) {
  const Graph graph = random_graph(4, 30);
  const std::vector<Tensor> expected = run_fresh(model_of(Graph(graph)), {image()});
  for (const bool threaded : {false, true}) {
    const Refusals refusals(2, 40);
    const auto device = LateDevice::make({.threaded = threaded});
    const auto model = model_on({device}, Graph(graph));
    Session session(model, {.threads = 1});
    EXPECT_TRUE(same_bits(run(session, {image()}), expected));
    const int before = device->counts().operations;
    EXPECT_TRUE(same_bits(run(session, {image()}), expected));
    const int operations = device->counts().operations - before;
    EXPECT_GT(operations, 10);
    for (int n = 1; n <= operations; ++n) {
      device->set_faults({.operation = n});
      const Error error = error_of_run(session);
      EXPECT_EQ(error.code(), ErrorCode::kRunFailure);
      EXPECT_TRUE(says(error, "the device made a mistake") && says(error, "  while ") && says(error, "Late device"))
          << error.text();
      device->set_faults({});
      EXPECT_TRUE(same_bits(run(session, {image()}), expected)) << "after operation " << n << " had failed";
    }
    EXPECT_EQ(device->complaint(), "");
  }
}

TEST(DeviceFailure, WhatTheDataMakesFailNamesTheOperator) {
  const auto device = LateDevice::make();
  const auto model = model_on({device}, R"(graph (%x: float32[?, 4], %i: int64[?]) {
    %a = relu(%x)
    %b = gather(%a, %i)
    return %b "y" })");
  Session session(model, {.threads = 1});
  const Tensor x = random_tensor({3, 4}, 1);
  const int64_t good[] = {2, 0};
  const int64_t bad[] = {2, 70};
  EXPECT_EQ(run(session, {x, Tensor::ints(good)}).at(0).shape()[0], 2);
  try {
    run(session, {x, Tensor::ints(bad)});
    ADD_FAILURE() << "an index is out of range";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kRunFailure);
    EXPECT_TRUE(says(e, "70") && says(e, "gather")) << e.text();
  }
  EXPECT_EQ(run(session, {x, Tensor::ints(good)}).at(0).shape()[0], 2);
}

TEST(DeviceFailure, MemoryMayBeMissing) {
  const Graph graph = random_graph(4, 30);
  const std::vector<Tensor> expected = run_fresh(model_of(Graph(graph)), {image()});
  for (const LateFaults faults :
       {LateFaults{.allocation = 1}, LateFaults{.allocation = 2}, LateFaults{.host_allocation = 1}}) {
    const auto device = LateDevice::make({.faults = faults});
    Session session(model_on({device}, Graph(graph)), {.threads = 1});
    const Error error = error_of_run(session);
    EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory);
    EXPECT_TRUE(says(error, "the late device has not the")) << error.text();
    device->set_faults({});
    EXPECT_TRUE(same_bits(run(session, {image()}), expected));
    EXPECT_EQ(device->complaint(), "");
  }
}

TEST(DeviceFailure, ConstantsThatDidNotArriveAreCopiedAgain) {
  const Graph graph = random_graph(4, 30);
  const std::vector<Tensor> expected = run_fresh(model_of(Graph(graph)), {image()});
  const auto device = LateDevice::make({.faults = {.operation = 2}});
  Session session(model_on({device}, Graph(graph)), {.threads = 1});
  const Error error = error_of_run(session);
  EXPECT_TRUE(says(error, "constants were not copied to Late device")) << error.text();
  EXPECT_TRUE(same_bits(run(session, {image()}), expected));
}

TEST(DeviceFailure, ALostDeviceFailsAtOnce) {
  for (const bool threaded : {false, true}) {
    const auto device = LateDevice::make({.threaded = threaded});
    const auto model = model_on({device}, random_graph(4, 30));
    Session session(model, {.threads = 1});
    run(session, {image()});
    device->set_faults({.loss = 3});
    EXPECT_TRUE(says(error_of_run(session), "the device is lost: load the model again"));
    device->set_faults({});
    const int operations = device->counts().operations;
    const Error error = error_of_run(session);
    EXPECT_TRUE(says(error, "the device Late device is lost")) << error.text();
    EXPECT_EQ(device->counts().operations, operations) << "nothing is tried";
    Session other(model, {.threads = 1});
    EXPECT_TRUE(says(error_of_run(other), "the device Late device is lost"));
  }
}

TEST(DeviceFailure, ADeviceThatIsNotThereIsRefusedWithThoseThatAre) {
  for (const char* name : {"abacus", "abacus:1", "cpu:0", ":", "opencl:x", "opencl:-1", "opencl:99"}) {
    ModelOptions options;
    options.device = name;
    try {
      model_of(random_graph(4, 30), options);
      ADD_FAILURE() << name << " was found";
    } catch (const Error& e) {
      EXPECT_TRUE(e.code() == ErrorCode::kInvalidArgument || e.code() == ErrorCode::kUnsupported);
      EXPECT_TRUE(says(e, "there is no device ") && says(e, name) && says(e, "there are: cpu")) << e.text();
    }
  }
  ModelOptions options;
  options.device = "cpu";
  EXPECT_EQ(run_fresh(model_of(random_graph(4, 30), options), {image()}).size(), 3U);
}

TEST(DeviceFailure, ObserversMayEndARun) {
  const Graph graph = random_graph(4, 30);
  const auto device = LateDevice::make();
  Session session(model_on({device}, Graph(graph)), {.threads = 1});
  int left = 7;
  session.set_observer([&](const ObservedValue&) {
    if (--left == 0) session.cancel();
  });
  EXPECT_EQ(error_of_run(session).code(), ErrorCode::kCancelled);
  session.set_observer(nullptr);
  EXPECT_TRUE(same_bits(run(session, {image()}), run_fresh(model_of(Graph(graph)), {image()})));
  EXPECT_EQ(device->complaint(), "");
}

}  // namespace
}  // namespace coracle::internal::test
