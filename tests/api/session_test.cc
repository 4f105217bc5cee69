// SPDX-License-Identifier: Apache-2.0
#include <rapidjson/document.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "api/endless_model.h"
#include "api/loaded.h"

// Sessions of the C interface: inputs, outputs, sequence offsets, kept tensors, profile, memory, threads.
namespace coracle::internal {
namespace {

using test::expect_error;

class ProductSession : public testing::Test {
 protected:
  std::vector<float> output(coracle_session* session, size_t index) const {
    coracle_tensor_view view;
    EXPECT_EQ(coracle_session_output(session, index, &view), CORACLE_OK) << coracle_last_error();
    const auto* data = static_cast<const float*>(view.data);
    return {data, data + view.bytes / sizeof(float)};
  }
  static void set(coracle_session* session, const std::vector<float>& x) {
    const int64_t dims[] = {static_cast<int64_t>(x.size()) / 2, 2};
    ASSERT_EQ(coracle_session_set_input(session, 0, CORACLE_FLOAT32, 2, dims, x.data()), CORACLE_OK);
  }
  static void run(coracle_session* session) {
    ASSERT_EQ(coracle_session_run(session), CORACLE_OK) << coracle_last_error();
  }

  const test::ModelBytes bytes_ = test::product_model();
  const test::ModelHandle model_ = test::load(bytes_);
  const test::SessionHandle session_ = test::open(model_);
};

TEST_F(ProductSession, SmallerResultsLieWhereLargerOnesLay) {
  coracle_tensor_view large;
  coracle_tensor_view small;
  set(session_.get(), {1, 2, 3, 4, 5, 6});
  run(session_.get());
  ASSERT_EQ(coracle_session_output(session_.get(), 1, &large), CORACLE_OK);
  set(session_.get(), {1, 1});
  run(session_.get());
  ASSERT_EQ(coracle_session_output(session_.get(), 1, &small), CORACLE_OK);
  EXPECT_EQ(small.data, large.data);
  EXPECT_EQ(small.bytes, 8U);
  EXPECT_EQ(output(session_.get(), 1), (std::vector<float>{4, 6}));
}

TEST_F(ProductSession, InputsArePaddedAsTheOptionSays) {
  coracle_session_options options;
  coracle_session_options_init(&options, sizeof(options));
  options.padding = "x=4..4x2";
  const test::SessionHandle padded = test::open(model_, &options);
  set(padded.get(), {1, 2, 3, 4, 5, 6});
  set(session_.get(), {1, 2, 3, 4, 5, 6});
  run(padded.get());
  run(session_.get());
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(output(padded.get(), i), output(session_.get(), i)) << i;
  options.padding = "z=4..4x2";
  coracle_session* none = nullptr;
  expect_error(coracle_session_create(model_.get(), &options, &none), CORACLE_INVALID_ARGUMENT,
               "padding 'z=4..4x2': the model has no input of that name");
}

TEST_F(ProductSession, ViewsAndCopies) {
  set(session_.get(), {1, 2, 3, 4});
  run(session_.get());
  coracle_tensor_view view;
  ASSERT_EQ(coracle_session_output(session_.get(), 1, &view), CORACLE_OK);
  EXPECT_EQ(view.dtype, CORACLE_FLOAT32);
  EXPECT_EQ(view.rank, 2);
  EXPECT_EQ(view.dims[0], 2);
  EXPECT_EQ(view.bytes, 16U);
  EXPECT_EQ(view.lod_levels, 0U);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(view.data) % 64, 0U);
  float copy[4];
  ASSERT_EQ(coracle_session_copy_output(session_.get(), 1, copy, sizeof(copy)), CORACLE_OK);
  EXPECT_EQ(std::vector<float>(copy, copy + 4), (std::vector<float>{7, 10, 15, 22}));
  EXPECT_EQ(output(session_.get(), 1), (std::vector<float>{7, 10, 15, 22}));
  // Another size, and back.
  set(session_.get(), {1, 1});
  run(session_.get());
  EXPECT_EQ(output(session_.get(), 1), (std::vector<float>{4, 6}));
  set(session_.get(), {});
  run(session_.get());
  EXPECT_TRUE(output(session_.get(), 1).empty());
  EXPECT_EQ(coracle_session_copy_output(session_.get(), 1, nullptr, 0), CORACLE_OK);
}

TEST_F(ProductSession, CopiedInputsAreCopiesAndBorrowedOnesAreNot) {
  std::vector<float> x{1, 1};
  const int64_t dims[] = {1, 2};
  set(session_.get(), x);
  x[0] = 100;
  run(session_.get());
  EXPECT_EQ(output(session_.get(), 0), (std::vector<float>{2, 2}));
  ASSERT_EQ(coracle_session_borrow_input(session_.get(), 0, CORACLE_FLOAT32, 2, dims, x.data()), CORACLE_OK);
  run(session_.get());
  EXPECT_EQ(output(session_.get(), 0), (std::vector<float>{200, 2}));
  x[1] = 5;
  run(session_.get());
  EXPECT_EQ(output(session_.get(), 0), (std::vector<float>{200, 10}));
  EXPECT_EQ(x, (std::vector<float>{100, 5})) << "a run does not write to its inputs";
}

TEST_F(ProductSession, ClonesShareTheModelAndNothingElse) {
  set(session_.get(), {1, 2});
  run(session_.get());
  coracle_session* raw = nullptr;
  ASSERT_EQ(coracle_session_clone(session_.get(), &raw), CORACLE_OK);
  const test::SessionHandle clone(raw);
  expect_error(coracle_session_run(clone.get()), CORACLE_INVALID_ARGUMENT, "input 'x'");
  set(clone.get(), {5, 5});
  run(clone.get());
  EXPECT_EQ(output(clone.get(), 0), (std::vector<float>{10, 10}));
  EXPECT_EQ(output(session_.get(), 0), (std::vector<float>{2, 4}));
}

TEST_F(ProductSession, ASessionKeepsItsModel) {
  test::ModelHandle model = test::load(bytes_);
  const test::SessionHandle session = test::open(model);
  model.reset();
  set(session.get(), {1, 2});
  run(session.get());
  EXPECT_EQ(output(session.get(), 1), (std::vector<float>{7, 10}));
}

TEST_F(ProductSession, KeptTensors) {
  coracle_model_options options;
  coracle_model_options_init(&options, sizeof(options));
  const test::ModelBytes bytes = test::small_program_models()[0];
  options.keep_tensors = "c,n,r";
  const test::ModelHandle model = test::load(bytes, &options);
  EXPECT_EQ(coracle_model_output_count(model.get()), 1U) << "kept tensors are no outputs";
  const test::SessionHandle session = test::open(model);
  coracle_tensor_view view;
  expect_error(coracle_session_tensor(session.get(), "c", &view), CORACLE_INVALID_ARGUMENT, "before a run");
  const int64_t dims[] = {1, 3, 8, 7};
  ASSERT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 4, dims, bytes.inputs[0].raw()), CORACLE_OK);
  run(session.get());
  for (const char* name : {"c", "n", "r"}) {
    ASSERT_EQ(coracle_session_tensor(session.get(), name, &view), CORACLE_OK) << coracle_last_error();
    ASSERT_EQ(view.rank, 4);
    EXPECT_EQ(view.dims[1], 4);
    EXPECT_EQ(view.dims[2], 4);
    EXPECT_EQ(view.dims[3], 7);
  }
  const auto* r = static_cast<const float*>(view.data);
  EXPECT_EQ(std::count_if(r, r + view.bytes / 4, [](float v) { return v < 0 || v > 6; }), 0);
  expect_error(coracle_session_tensor(session.get(), "p", &view), CORACLE_INVALID_ARGUMENT, "'p' is not kept");
}

TEST_F(ProductSession, Profile) {
  const char* json = nullptr;
  set(session_.get(), {1, 2});
  run(session_.get());
  ASSERT_EQ(coracle_session_profile(session_.get(), &json), CORACLE_OK);
  EXPECT_STREQ(json, "[]");
  ASSERT_EQ(coracle_session_set_profiling(session_.get(), 1), CORACLE_OK);
  run(session_.get());
  ASSERT_EQ(coracle_session_profile(session_.get(), &json), CORACLE_OK);
  rapidjson::Document d;
  d.Parse(json);
  ASSERT_TRUE(d.IsArray());
  ASSERT_EQ(d.Size(), 2U);
  coracle_machine_limits limits{};
  ASSERT_EQ(coracle_session_machine_limits(session_.get(), &limits), CORACLE_OK);
  EXPECT_GT(limits.flops_per_second, 1e6);
  EXPECT_GT(limits.bytes_per_second, 1e6);
  int64_t flops = 0;
  for (const rapidjson::Value& e : d.GetArray()) {
    EXPECT_GT(e["duration_ns"].GetInt64(), 0);
    flops += e["flops"].GetInt64();
    EXPECT_GE(e["bytes"].GetInt64(), 8) << "two floats at least";
    EXPECT_STREQ(e["output"].GetString(), "float32[1, 2]");
  }
  EXPECT_GT(flops, 0);
  ASSERT_EQ(coracle_session_set_profiling(session_.get(), 0), CORACLE_OK);
  run(session_.get());
  ASSERT_EQ(coracle_session_profile(session_.get(), &json), CORACLE_OK);
  EXPECT_STREQ(json, "[]");
}

TEST_F(ProductSession, ExplainAndPlannedMemory) {
  set(session_.get(), {1, 2, 3, 4});
  const char* json = nullptr;
  ASSERT_EQ(coracle_session_explain(session_.get(), &json), CORACLE_OK);
  rapidjson::Document d;
  d.Parse(json);
  ASSERT_EQ(d.Size(), 2U);
  EXPECT_STREQ(d[0]["inputs"][0].GetString(), "float32[2, 2]");
  size_t bytes = 0;
  ASSERT_EQ(coracle_session_planned_memory(session_.get(), &bytes), CORACLE_OK);
  EXPECT_GE(bytes, 32U) << "two outputs of four elements";
  EXPECT_LE(bytes, 4096U);
}

TEST_F(ProductSession, Memory) {
  const test::ModelBytes bytes = test::small_program_models()[0];
  const test::ModelHandle model = test::load(bytes);
  const test::SessionHandle session = test::open(model);
  coracle_memory memory;
  ASSERT_EQ(coracle_session_memory(session.get(), &memory), CORACLE_OK);
  EXPECT_EQ(memory.arena, 0U);
  EXPECT_EQ(memory.plans, 0U);
  const int64_t dims[] = {1, 3, 8, 7};
  ASSERT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 4, dims, bytes.inputs[0].raw()), CORACLE_OK);
  run(session.get());
  const std::vector<float> first = output(session.get(), 0);
  ASSERT_EQ(coracle_session_memory(session.get(), &memory), CORACLE_OK);
  EXPECT_GT(memory.arena, 0U);
  EXPECT_GT(memory.plans, 0U);
  size_t released = 0;
  ASSERT_EQ(coracle_session_release_memory(session.get(), &released), CORACLE_OK);
  EXPECT_GE(released, memory.arena);
  ASSERT_EQ(coracle_session_memory(session.get(), &memory), CORACLE_OK);
  EXPECT_EQ(memory.arena, 0U);
  EXPECT_EQ(memory.plans, 0U);
  run(session.get());
  EXPECT_EQ(output(session.get(), 0), first);
}

TEST_F(ProductSession, MemoryOfTheProcess) {
  const size_t before = coracle_memory_total();
  {
    const test::ModelBytes bytes = test::small_program_models()[0];
    const test::ModelHandle model = test::load(bytes);
    const test::SessionHandle session = test::open(model);
    const size_t loaded = coracle_memory_total();
    EXPECT_GE(loaded, before);
    const int64_t dims[] = {1, 3, 8, 7};
    ASSERT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 4, dims, bytes.inputs[0].raw()), CORACLE_OK);
    run(session.get());
    coracle_memory memory;
    ASSERT_EQ(coracle_session_memory(session.get(), &memory), CORACLE_OK);
    EXPECT_GE(coracle_memory_total(), loaded + memory.arena);
  }
  EXPECT_EQ(coracle_memory_total(), before);
}

TEST(TimeLimit, EndsALoopThatDoesNot) {
  const test::ModelBytes bytes = test::endless_model();
  const test::ModelHandle model = test::load(bytes);
  coracle_session_options options;
  coracle_session_options_init(&options, sizeof(options));
  options.time_limit_ms = 50;
  const test::SessionHandle session = test::open(model, &options);
  const int64_t dims[] = {1};
  float i = 0;
  ASSERT_EQ(coracle_session_borrow_input(session.get(), 0, CORACLE_FLOAT32, 1, dims, &i), CORACLE_OK);
  expect_error(coracle_session_run(session.get()), CORACLE_RUN_FAILURE, "limit of 50 ms");
  // The limit is for each run.
  i = 1;
  EXPECT_EQ(coracle_session_run(session.get()), CORACLE_OK) << coracle_last_error();
  options.time_limit_ms = -1;
  coracle_session* refused = nullptr;
  expect_error(coracle_session_create(model.get(), &options, &refused), CORACLE_INVALID_ARGUMENT, "time_limit_ms");
}

TEST(Cancel, EndsALoopThatDoesNot) {
  const test::ModelBytes bytes = test::endless_model();
  const test::ModelHandle model = test::load(bytes);
  const test::SessionHandle session = test::open(model);
  const int64_t dims[] = {1};
  float i = 0;
  ASSERT_EQ(coracle_session_borrow_input(session.get(), 0, CORACLE_FLOAT32, 1, dims, &i), CORACLE_OK);
  std::atomic<bool> done{false};
  std::thread other([&] {  // what comes before the run does nothing
    while (!done) EXPECT_EQ(coracle_session_cancel(session.get()), CORACLE_OK);
  });
  expect_error(coracle_session_run(session.get()), CORACLE_CANCELLED, "the run was cancelled");
  done = true;
  other.join();
  i = 1;
  EXPECT_EQ(coracle_session_run(session.get()), CORACLE_OK) << coracle_last_error();
  EXPECT_EQ(coracle_session_cancel(nullptr), CORACLE_INVALID_ARGUMENT);
}

TEST(Cancel, EndsLoading) {
  const test::ModelBytes bytes = test::product_model();
  coracle_model_options options;
  coracle_model_options_init(&options, sizeof(options));
  uint32_t cancelled = 1;
  options.cancelled = &cancelled;
  coracle_model* model = nullptr;
  expect_error(coracle_model_load_memory(bytes.program.data(), bytes.program.size(), bytes.params.data(),
                                         bytes.params.size(), &options, &model),
               CORACLE_CANCELLED, "loading was cancelled");
  cancelled = 0;
  EXPECT_NE(test::load(bytes, &options), nullptr);
}

TEST(SequenceSession, OffsetsInAndOut) {
  const test::ModelBytes bytes = test::small_program_models()[2];
  const test::ModelHandle model = test::load(bytes);
  const test::SessionHandle session = test::open(model);
  const int64_t dims[] = {5, 1};
  ASSERT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_INT64, 2, dims, bytes.inputs[0].raw()), CORACLE_OK);
  const size_t sizes[] = {3};
  const size_t offsets[] = {0, 3, 5};
  ASSERT_EQ(coracle_session_set_input_lod(session.get(), 0, 1, sizes, offsets), CORACLE_OK) << coracle_last_error();
  ASSERT_EQ(coracle_session_run(session.get()), CORACLE_OK) << coracle_last_error();
  coracle_tensor_view view;
  ASSERT_EQ(coracle_session_output(session.get(), 0, &view), CORACLE_OK);
  EXPECT_EQ(view.dims[0], 2) << "one row for each sequence";
  ASSERT_EQ(coracle_session_output(session.get(), 1, &view), CORACLE_OK);
  EXPECT_EQ(view.dims[0], 5);
  ASSERT_EQ(view.lod_levels, 1U);
  const size_t* got = nullptr;
  size_t count = 0;
  ASSERT_EQ(coracle_session_output_lod(session.get(), 1, 0, &got, &count), CORACLE_OK);
  EXPECT_EQ(std::vector<size_t>(got, got + count), (std::vector<size_t>{0, 3, 5}));
  // Other offsets for the same elements are another plan.
  const size_t other[] = {0, 1, 2, 5};
  const size_t four = 4;
  ASSERT_EQ(coracle_session_set_input_lod(session.get(), 0, 1, &four, other), CORACLE_OK);
  ASSERT_EQ(coracle_session_run(session.get()), CORACLE_OK) << coracle_last_error();
  ASSERT_EQ(coracle_session_output(session.get(), 0, &view), CORACLE_OK);
  EXPECT_EQ(view.dims[0], 3);
  const size_t wrong[] = {0, 3, 4};
  expect_error(coracle_session_set_input_lod(session.get(), 0, 1, sizes, wrong), CORACLE_INVALID_ARGUMENT,
               "end with 4, expected 5");
}

TEST_F(ProductSession, UseByTwoThreadsAtOnceIsAnError) {
  const test::ModelBytes bytes = test::small_program_models()[0];
  const test::ModelHandle model = test::load(bytes);
  coracle_session_options options;
  coracle_session_options_init(&options, sizeof(options));
  options.threads = 1;
  const test::SessionHandle session = test::open(model, &options);
  const int64_t dims[] = {1, 3, 400, 400};
  const std::vector<float> x(3 * 400 * 400, 0.5F);
  ASSERT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 4, dims, x.data()), CORACLE_OK);
  run(session.get());
  std::atomic<bool> stop{false};
  std::atomic<int> refused{0};
  std::atomic<int> wrong{0};
  const auto use = [&](int at_least) {
    for (int i = 0; i < at_least || !stop.load(); ++i) {
      const coracle_status status = coracle_session_run(session.get());
      if (status == CORACLE_INVALID_ARGUMENT) {
        ++refused;
        if (std::string(coracle_last_error()).find("another thread") == std::string::npos) ++wrong;
      } else if (status != CORACLE_OK) {
        ++wrong;
      }
      if (refused.load() > 0 || i > 10000) stop = true;
    }
  };
  std::thread other(use, 1);
  use(1);
  other.join();
  EXPECT_GT(refused.load(), 0);
  EXPECT_EQ(wrong.load(), 0);
  run(session.get());
}

TEST_F(ProductSession, OneModelForManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const test::SessionHandle session = test::open(model_);
      for (int i = 0; i < 20; ++i) {
        const auto v = static_cast<float>(t * 100 + i);
        set(session.get(), {v, 0});
        run(session.get());
        if (output(session.get(), 1) == std::vector<float>{v, 2 * v}) ++right;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right.load(), 80);
}

}  // namespace
}  // namespace coracle::internal
