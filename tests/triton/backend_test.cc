// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "support/program_writer.h"
#include "support/temporary_folder.h"
#include "triton/stand_in_server.h"

/// The back end in the stand-in server, with the model "product": twice = x + x, product = x w, w = 1 2 / 3 4.
namespace coracle::triton::test {
namespace {

using Floats = std::vector<float>;
using internal::JsonDocument;

std::string bytes_of(const Floats& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}
Floats floats_of(const TRITONBACKEND_Output& output) {
  Floats values(output.bytes.size() / sizeof(float));
  std::memcpy(values.data(), output.bytes.data(), values.size() * sizeof(float));
  return values;
}

/// A request with rows of two numbers, in buffers of one number each.
TRITONBACKEND_Request request(const Floats& values) {
  TRITONBACKEND_Request r;
  TRITONBACKEND_Input& x = r.inputs["x"];
  x.dims = {static_cast<int64_t>(values.size() / 2), 2};
  for (const float v : values) x.buffers.push_back(bytes_of({v}));
  r.wanted = {"twice", "product"};
  return r;
}

class TritonBackend : public testing::Test {
 protected:
  TritonBackend() {
    using namespace internal::test;
    BlockWriter main;
    add_feed(main, "x", kFloat32, {-1, 2}, 0);
    main.variables.push_back(variable("w", kFloat32, {2, 2}, true));
    main.variables.push_back(variable("twice", kFloat32, {-1, 2}));
    main.variables.push_back(variable("product", kFloat32, {-1, 2}));
    main.operators.push_back(OpWriter("matmul_v2").in("X", {"x"}).in("Y", {"w"}).out("Out", {"product"}));
    main.operators.push_back(
        OpWriter("elementwise_add").in("X", {"x"}).in("Y", {"x"}).out("Out", {"twice"}).integer("axis", -1));
    add_fetch(main, "twice", 0);
    add_fetch(main, "product", 1);
    folder_.write("3/inference.pdmodel", program_file({main}));
    folder_.write("3/inference.pdiparams", record<float>(kFloat32, {2, 2}, {1, 2, 3, 4}));
    model_.backend = &backend_;
    model_.folder = folder_.path();
    instance_.model = &model_;
    EXPECT_EQ(text_of(TRITONBACKEND_Initialize(&backend_)), "");
  }
  ~TritonBackend() override {
    EXPECT_EQ(text_of(TRITONBACKEND_ModelInstanceFinalize(&instance_)), "");
    EXPECT_EQ(text_of(TRITONBACKEND_ModelFinalize(&model_)), "");
    EXPECT_EQ(text_of(TRITONBACKEND_Finalize(&backend_)), "");
    EXPECT_EQ(unfreed(), 0);
  }

  std::string load(const std::string& config) {
    model_.config = config;
    return text_of(TRITONBACKEND_ModelInitialize(&model_));
  }
  void serve(const std::string& config) {
    ASSERT_EQ(load(config), "");
    ASSERT_EQ(text_of(TRITONBACKEND_ModelInstanceInitialize(&instance_)), "");
  }
  void execute(std::vector<TRITONBACKEND_Request>& requests) {
    std::vector<TRITONBACKEND_Request*> pointers;
    for (TRITONBACKEND_Request& r : requests) pointers.push_back(&r);
    EXPECT_EQ(text_of(TRITONBACKEND_ModelInstanceExecute(&instance_, pointers.data(),
                                                         static_cast<uint32_t>(pointers.size()))),
              "");
    for (const TRITONBACKEND_Request& r : requests) {
      EXPECT_EQ(r.responses, 1);
      EXPECT_EQ(r.releases, 1);
      EXPECT_EQ(r.successes, r.error.empty() ? 1 : 0);
      EXPECT_EQ(r.failures, r.error.empty() ? 0 : 1);
    }
  }

  internal::test::TemporaryFolder folder_;
  TRITONBACKEND_Backend backend_;
  TRITONBACKEND_Model model_;
  TRITONBACKEND_ModelInstance instance_;
};

const char* const kBatched =
    R"({"max_batch_size":8,"input":[{"name":"x","data_type":"TYPE_FP32","dims":[2]}],"output":[{"name":"twice","data_type":"TYPE_FP32","dims":[2]}]})";

TEST_F(TritonBackend, ConfigurationIsCompletedByTheModel) {
  ASSERT_EQ(load(R"({"name":"m"})"), "");
  EXPECT_EQ(model_.configs_set, 1);
  EXPECT_EQ(
      model_.config,
      R"({"name":"m","max_batch_size":4,"input":[{"name":"x","data_type":"TYPE_FP32","dims":[2]}],)"
      R"("output":[{"name":"twice","data_type":"TYPE_FP32","dims":[2]},{"name":"product","data_type":"TYPE_FP32","dims":[2]}]})");
}

TEST_F(TritonBackend, WhatAConfigurationSaysIsKept) {
  ASSERT_EQ(load(R"({"max_batch_size":0,"output":[{"name":"product","data_type":"TYPE_FP32","dims":[-1,2]}]})"), "");
  EXPECT_EQ(model_.config, R"({"max_batch_size":0,"output":[{"name":"product","data_type":"TYPE_FP32","dims":[-1,2]}],)"
                           R"("input":[{"name":"x","data_type":"TYPE_FP32","dims":[-1,2]}]})");
}

TEST_F(TritonBackend, ACompleteConfigurationIsNotSetAgain) {
  ASSERT_EQ(load(kBatched), "");
  EXPECT_EQ(model_.configs_set, 0);
}

TEST_F(TritonBackend, NothingIsCompletedWhereTheServerDoesNotWantIt) {
  model_.complete = false;
  EXPECT_EQ(load(R"({"name":"m"})"), "the configuration names no input");
  EXPECT_EQ(model_.configs_set, 0);
}

TEST_F(TritonBackend, ConfigurationsThatContradictTheModelAreRefused) {
  const struct {
    const char* config;
    const char* error;
  } cases[] = {
      {R"({"input":[{"name":"z","data_type":"TYPE_FP32","dims":[2]}]})", "the model has no input 'z', it has 'x'"},
      {R"({"input":[{"name":"x","data_type":"TYPE_FP64","dims":[-1,2]}]})",
       "input 'x' has data_type TYPE_FP64, the model has TYPE_FP32"},
      {R"({"input":[{"name":"x","data_type":"TYPE_FP32","dims":[2]}]})",
       "input 'x' has 1 dimensions, the model has [-1,2]"},
      {R"({"output":[{"name":"y","data_type":"TYPE_FP32","dims":[-1,2]}]})",
       "the model has no output 'y', it has 'twice', 'product'"},
      {R"({"parameters":{"thread":{"string_value":"2"}}})", "there is no parameter 'thread', did you mean 'threads'?"},
      {R"({"parameters":{"threads":{"string_value":"two"}}})",
       "the parameter 'threads' is 'two', expected a number of at least 0"},
      {R"({"parameters":{"precision":{"string_value":"low"}}})", "precision"},
  };
  for (const auto& c : cases) EXPECT_NE(load(c.config).find(c.error), std::string::npos) << load(c.config);
}

TEST_F(TritonBackend, AModelThatIsNotThereIsAnError) {
  model_.folder = "/nowhere";
  EXPECT_NE(load("{}").find("/nowhere/3"), std::string::npos);
}

TEST_F(TritonBackend, RequestsOfEqualRowsRunTogether) {
  serve(kBatched);
  std::vector<TRITONBACKEND_Request> requests = {request({1, 2}), request({3, 4, 5, 6}), request({7, 8})};
  requests[1].wanted = {"product"};
  execute(requests);
  EXPECT_EQ(instance_.batches, std::vector<uint64_t>{4});
  EXPECT_EQ(floats_of(requests[0].outputs["twice"]), (Floats{2, 4}));
  EXPECT_EQ(floats_of(requests[0].outputs["product"]), (Floats{7, 10}));
  EXPECT_EQ(requests[1].outputs["product"].dims, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(floats_of(requests[1].outputs["product"]), (Floats{15, 22, 23, 34}));
  EXPECT_EQ(requests[1].outputs.size(), 1U);
  EXPECT_EQ(floats_of(requests[2].outputs["twice"]), (Floats{14, 16}));
}

TEST_F(TritonBackend, WithoutBatchesEachRequestRunsAlone) {
  serve(R"({"max_batch_size":0,"input":[{"name":"x","data_type":"TYPE_FP32","dims":[-1,2]}]})");
  std::vector<TRITONBACKEND_Request> requests = {request({1, 2}), request({3, 4})};
  execute(requests);
  EXPECT_EQ(instance_.batches, (std::vector<uint64_t>{1, 1}));
  EXPECT_EQ(floats_of(requests[1].outputs["twice"]), (Floats{6, 8}));
}

TEST_F(TritonBackend, AWrongRequestHarmsNoOther) {
  serve(kBatched);
  std::vector<TRITONBACKEND_Request> requests = {request({1, 2}),  request({3, 4}),   request({5, 6}),  request({7, 8}),
                                                 request({9, 10}), request({11, 12}), request({13, 14})};
  requests[1].inputs.at("x").buffers.pop_back();  // too few bytes: the batch of those that look alike fails
  requests[2].inputs.at("x").type = TRITONSERVER_TYPE_BYTES;
  requests[3].inputs.clear();
  requests[4].inputs.at("x").memory = TRITONSERVER_MEMORY_GPU;
  requests[5].inputs.at("x").dims = {1, 1, 2};
  requests[6].output_memory = TRITONSERVER_MEMORY_GPU;
  execute(requests);
  EXPECT_EQ(floats_of(requests[0].outputs["twice"]), (Floats{2, 4}));
  EXPECT_EQ(requests[1].error, "input 'x' has 4 bytes, expected 8 for its shape");
  EXPECT_NE(requests[2].error.find("elements of type BYTES"), std::string::npos);
  EXPECT_EQ(requests[3].error, "no input x");
  EXPECT_NE(requests[4].error.find("memory of a GPU"), std::string::npos);
  EXPECT_NE(requests[5].error.find("x"), std::string::npos);
  EXPECT_NE(requests[6].error.find("memory of a GPU"), std::string::npos);
}

TEST_F(TritonBackend, InstancesShareAModel) {
  serve(kBatched);
  TRITONBACKEND_ModelInstance other;
  other.model = &model_;
  ASSERT_EQ(text_of(TRITONBACKEND_ModelInstanceInitialize(&other)), "");
  std::vector<TRITONBACKEND_Request> requests = {request({1, 2})};
  execute(requests);
  TRITONBACKEND_Request second = request({3, 4});
  TRITONBACKEND_Request* pointer = &second;
  EXPECT_EQ(text_of(TRITONBACKEND_ModelInstanceExecute(&other, &pointer, 1)), "");
  EXPECT_EQ(floats_of(second.outputs["product"]), (Floats{15, 22}));
  EXPECT_EQ(text_of(TRITONBACKEND_ModelInstanceFinalize(&other)), "");
}

TEST_F(TritonBackend, InstancesAreOnTheProcessor) {
  ASSERT_EQ(load("{}"), "");
  instance_.kind = TRITONSERVER_INSTANCEGROUPKIND_GPU;
  EXPECT_NE(text_of(TRITONBACKEND_ModelInstanceInitialize(&instance_)).find("KIND_GPU, expected KIND_CPU"),
            std::string::npos);
  TRITONBACKEND_BackendAttribute attribute;
  EXPECT_EQ(text_of(TRITONBACKEND_GetBackendAttribute(&backend_, &attribute)), "");
  EXPECT_EQ(attribute.kinds, std::vector<TRITONSERVER_InstanceGroupKind>{TRITONSERVER_INSTANCEGROUPKIND_CPU});
}

TEST(TritonBackendVersion, OlderServersAndOtherInterfacesAreRefused) {
  for (const ApiVersion version : {ApiVersion{kApiMajor, kApiMinor - 1}, ApiVersion{kApiMajor + 1, kApiMinor}}) {
    api_version() = version;
    TRITONBACKEND_Backend backend;
    EXPECT_NE(text_of(TRITONBACKEND_Initialize(&backend)).find("expected 1.19"), std::string::npos);
    EXPECT_EQ(backend.state, nullptr);
  }
  api_version() = {};
}

}  // namespace
}  // namespace coracle::triton::test
