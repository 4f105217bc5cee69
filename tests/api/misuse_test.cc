// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <thread>

#include "api/loaded.h"

// Wrong use of the C interface is a status and a message, whatever is wrong.
namespace coracle::internal {
namespace {

using test::expect_error;

const int64_t kDims[] = {1, 2};
const float kValues[] = {1, 2};

class Misuse : public testing::Test {
 protected:
  coracle_status set(const void* data = kValues) const {
    return coracle_session_set_input(session_.get(), 0, CORACLE_FLOAT32, 2, kDims, data);
  }

  const test::ModelBytes bytes_ = test::product_model();
  const test::ModelHandle model_ = test::load(bytes_);
  const test::SessionHandle session_ = test::open(model_);
  coracle_tensor_view view_ = {};
};

TEST_F(Misuse, NullHandlesAndResults) {
  coracle_model* model = nullptr;
  coracle_session* session = nullptr;
  coracle_tensor_info info;
  coracle_memory memory;
  const size_t* offsets = nullptr;
  const char* json = nullptr;
  char* text = nullptr;
  size_t size = 0;
  const auto refused = [](coracle_status status, const char* name) {
    expect_error(status, CORACLE_INVALID_ARGUMENT, std::string("argument '") + name + "' is null");
  };
  refused(coracle_model_load(nullptr, nullptr, nullptr, &model), "path");
  refused(coracle_model_load("x", nullptr, nullptr, nullptr), "model");
  refused(coracle_model_load_memory(nullptr, 1, nullptr, 0, nullptr, &model), "program");
  refused(coracle_model_load_memory("x", 1, nullptr, 1, nullptr, &model), "params");
  refused(coracle_model_load_memory("x", 1, nullptr, 0, nullptr, nullptr), "model");
  refused(coracle_model_load_callback("x", nullptr, nullptr, nullptr, nullptr, &model), "read");
  char* data = nullptr;
  refused(coracle_model_file(nullptr, "x", 1, nullptr, nullptr, &data, &size), "path");
  refused(coracle_model_file("x", nullptr, 1, nullptr, nullptr, &data, &size), "name");
  refused(coracle_model_file("x", "x", 1, nullptr, nullptr, nullptr, &size), "data");
  refused(coracle_model_file("x", "x", 1, nullptr, nullptr, &data, nullptr), "size");
  expect_error(coracle_model_file("x", "../x", 1, nullptr, nullptr, &data, &size), CORACLE_INVALID_ARGUMENT,
               "'../x' is not the name of a file beside a model");
  expect_error(coracle_model_file("", "x", 1, nullptr, nullptr, &data, &size), CORACLE_INVALID_ARGUMENT,
               "no model was named");
  refused(coracle_model_input(nullptr, 0, &info), "model");
  refused(coracle_model_input(model_.get(), 0, nullptr), "info");
  refused(coracle_model_output(nullptr, 0, &info), "model");
  refused(coracle_inspect(nullptr, nullptr, &text), "path");
  refused(coracle_inspect("x", nullptr, nullptr), "json");
  refused(coracle_model_graph_text(nullptr, &text), "model");
  refused(coracle_model_graph_text(model_.get(), nullptr), "text");
  refused(coracle_session_create(nullptr, nullptr, &session), "model");
  refused(coracle_session_create(model_.get(), nullptr, nullptr), "session");
  refused(coracle_session_clone(nullptr, &session), "session");
  refused(coracle_session_clone(session_.get(), nullptr), "clone");
  refused(coracle_session_set_input(nullptr, 0, CORACLE_FLOAT32, 2, kDims, kValues), "session");
  refused(coracle_session_set_input(session_.get(), 0, CORACLE_FLOAT32, 2, nullptr, kValues), "dims");
  refused(set(nullptr), "data");
  refused(coracle_session_borrow_input(nullptr, 0, CORACLE_FLOAT32, 2, kDims, kValues), "session");
  refused(coracle_session_bind_output(nullptr, 0, &size, 8), "session");
  coracle_device_tensor* tensor = nullptr;
  refused(coracle_session_keep_output_on_device(nullptr, 0), "session");
  refused(coracle_session_output_on_device(nullptr, 0, &tensor), "session");
  refused(coracle_session_output_on_device(session_.get(), 0, nullptr), "tensor");
  refused(coracle_session_set_input_on_device(nullptr, 0, tensor), "session");
  refused(coracle_session_set_input_on_device(session_.get(), 0, nullptr), "tensor");
  refused(coracle_device_tensor_view(nullptr, &view_), "tensor");
  refused(coracle_device_tensor_copy(nullptr, &size, 8), "tensor");
  coracle_device_tensor_free(nullptr);
  coracle_device_address address;
  void* managed = nullptr;
  refused(coracle_device_tensor_wrap(nullptr, CORACLE_FLOAT32, 0, nullptr, &size, nullptr, nullptr, nullptr, &tensor),
          "device");
  refused(coracle_device_tensor_wrap("cuda", CORACLE_FLOAT32, 0, nullptr, &size, nullptr, nullptr, nullptr, nullptr),
          "tensor");
  refused(coracle_device_tensor_wrap("cuda", CORACLE_FLOAT32, 1, nullptr, &size, nullptr, nullptr, nullptr, &tensor),
          "dims");
  refused(coracle_device_tensor_address(nullptr, &address), "tensor");
  refused(coracle_device_tensor_from_dlpack(nullptr, 0, nullptr, &tensor), "managed");
  refused(coracle_device_tensor_from_dlpack(&size, 0, nullptr, nullptr), "tensor");
  refused(coracle_device_tensor_to_dlpack(nullptr, 0, nullptr, &managed), "tensor");
  refused(coracle_session_bind_output_on_device(nullptr, 0, tensor), "session");
  refused(coracle_session_bind_output_on_device(session_.get(), 0, nullptr), "tensor");
  refused(coracle_session_set_stream(nullptr, nullptr), "session");
  refused(coracle_session_set_input_lod(nullptr, 0, 0, nullptr, nullptr), "session");
  refused(coracle_session_set_input_lod(session_.get(), 0, 1, nullptr, &size), "sizes");
  refused(coracle_session_set_input_lod(session_.get(), 0, 1, &size, nullptr), "offsets");
  refused(coracle_session_run(nullptr), "session");
  refused(coracle_session_output(nullptr, 0, &view_), "session");
  refused(coracle_session_copy_output(nullptr, 0, &size, 8), "session");
  refused(coracle_session_output_lod(session_.get(), 0, 0, nullptr, &size), "offsets");
  refused(coracle_session_output_lod(session_.get(), 0, 0, &offsets, nullptr), "size");
  refused(coracle_session_tensor(session_.get(), nullptr, &view_), "name");
  refused(coracle_session_set_profiling(nullptr, 1), "session");
  coracle_machine_limits limits;
  refused(coracle_session_machine_limits(nullptr, &limits), "session");
  refused(coracle_session_machine_limits(session_.get(), nullptr), "limits");
  refused(coracle_session_profile(nullptr, &json), "session");
  refused(coracle_session_profile(session_.get(), nullptr), "json");
  refused(coracle_session_explain(session_.get(), nullptr), "json");
  refused(coracle_session_planned_memory(session_.get(), nullptr), "bytes");
  refused(coracle_session_device_memory(session_.get(), nullptr), "bytes");
  refused(coracle_session_graph_text(session_.get(), nullptr), "text");
  refused(coracle_session_memory(nullptr, &memory), "session");
  refused(coracle_session_memory(session_.get(), nullptr), "memory");
  refused(coracle_session_release_memory(nullptr, &size), "session");
  EXPECT_EQ(model, nullptr);
  EXPECT_EQ(session, nullptr);
  EXPECT_EQ(text, nullptr);

  EXPECT_EQ(coracle_model_input_count(nullptr), 0U);
  EXPECT_EQ(coracle_model_output_count(nullptr), 0U);
  EXPECT_EQ(coracle_model_find_input(nullptr, "x"), -1);
  EXPECT_EQ(coracle_model_find_input(model_.get(), nullptr), -1);
  EXPECT_EQ(coracle_model_find_output(nullptr, "x"), -1);
  EXPECT_STREQ(coracle_model_description(nullptr), "");
  coracle_model_free(nullptr);
  coracle_session_free(nullptr);
  coracle_string_free(nullptr);
  coracle_model_options_init(nullptr, sizeof(coracle_model_options));
  coracle_session_options_init(nullptr, sizeof(coracle_session_options));
}

TEST_F(Misuse, IndicesAndNames) {
  coracle_tensor_info info;
  expect_error(coracle_model_input(model_.get(), 1, &info), CORACLE_INVALID_ARGUMENT, "no input 1");
  expect_error(coracle_model_output(model_.get(), 2, &info), CORACLE_INVALID_ARGUMENT, "no output 2");
  EXPECT_EQ(coracle_model_find_input(model_.get(), "y"), -1);
  EXPECT_EQ(coracle_model_find_output(model_.get(), "product"), 1);
  expect_error(coracle_session_set_input(session_.get(), 7, CORACLE_FLOAT32, 2, kDims, kValues),
               CORACLE_INVALID_ARGUMENT, "no input 7");
  const size_t offsets[] = {0, 1};
  const size_t two = 2;
  expect_error(coracle_session_set_input_lod(session_.get(), 7, 1, &two, offsets), CORACLE_INVALID_ARGUMENT,
               "no input 7");
  EXPECT_EQ(set(), CORACLE_OK);
  EXPECT_EQ(coracle_session_run(session_.get()), CORACLE_OK);
  expect_error(coracle_session_output(session_.get(), 2, &view_), CORACLE_INVALID_ARGUMENT, "no output 2");
  expect_error(coracle_session_tensor(session_.get(), "nothing", &view_), CORACLE_INVALID_ARGUMENT, "keep_tensors");
  const size_t* level = nullptr;
  size_t size = 0;
  expect_error(coracle_session_output_lod(session_.get(), 0, 0, &level, &size), CORACLE_INVALID_ARGUMENT, "no level 0");
}

TEST_F(Misuse, InputTypesAndShapes) {
  const auto set = [&](coracle_dtype dtype, int32_t rank, const std::array<int64_t, 10>& dims) {
    return coracle_session_set_input(session_.get(), 0, dtype, rank, dims.data(), kValues);
  };
  expect_error(set(CORACLE_INT64, 1, {1}), CORACLE_INVALID_ARGUMENT, "input 'x' takes elements of type float32");
  expect_error(set(static_cast<coracle_dtype>(15), 1, {1}), CORACLE_INVALID_ARGUMENT, "no element type 15");
  expect_error(set(CORACLE_FLOAT32, 1, {2}), CORACLE_INVALID_ARGUMENT, "input 'x' has 2 dimensions");
  expect_error(set(CORACLE_FLOAT32, -1, {}), CORACLE_INVALID_ARGUMENT, "given -1");
  expect_error(set(CORACLE_FLOAT32, 10, {}), CORACLE_INVALID_ARGUMENT, "given 10");
  expect_error(set(CORACLE_FLOAT32, 2, {-1, 2}), CORACLE_INVALID_ARGUMENT, "dimension 0 is -1");
  expect_error(set(CORACLE_FLOAT32, 2, {int64_t{1} << 40, int64_t{1} << 40}), CORACLE_INVALID_ARGUMENT, "too large");
}

TEST_F(Misuse, OrderOfCalls) {
  float room[2];
  const char* json = nullptr;
  size_t bytes = 0;
  expect_error(coracle_session_run(session_.get()), CORACLE_INVALID_ARGUMENT, "input 'x'");
  expect_error(coracle_session_explain(session_.get(), &json), CORACLE_INVALID_ARGUMENT, "input 'x'");
  expect_error(coracle_session_planned_memory(session_.get(), &bytes), CORACLE_INVALID_ARGUMENT, "input 'x'");
  expect_error(coracle_session_output(session_.get(), 0, &view_), CORACLE_INVALID_ARGUMENT, "before a run");
  expect_error(coracle_session_copy_output(session_.get(), 0, room, sizeof(room)), CORACLE_INVALID_ARGUMENT,
               "before a run");
  const size_t two = 2;
  const size_t offsets[] = {0, 1};
  expect_error(coracle_session_set_input_lod(session_.get(), 0, 1, &two, offsets), CORACLE_INVALID_ARGUMENT,
               "before its sequence offsets");
  EXPECT_EQ(set(), CORACLE_OK);
  EXPECT_EQ(coracle_session_run(session_.get()), CORACLE_OK);
  expect_error(coracle_session_copy_output(session_.get(), 0, room, 4), CORACLE_INVALID_ARGUMENT, "8 bytes");
  expect_error(coracle_session_copy_output(session_.get(), 0, room, 12), CORACLE_INVALID_ARGUMENT, "room for 12");
  expect_error(coracle_session_copy_output(session_.get(), 0, nullptr, 8), CORACLE_INVALID_ARGUMENT, "'data'");
  EXPECT_EQ(coracle_session_release_memory(session_.get(), nullptr), CORACLE_OK);
  expect_error(coracle_session_output(session_.get(), 0, &view_), CORACLE_INVALID_ARGUMENT, "before a run");
}

TEST_F(Misuse, ASessionGoesOnAfterAFailure) {
  const test::ModelHandle model = test::load(bytes_);
  const test::SessionHandle session = test::open(model);
  const auto set = [&](const int64_t* dims, coracle_dtype dtype = CORACLE_FLOAT32) {
    return coracle_session_set_input(session.get(), 0, dtype, 2, dims, kValues);
  };
  // What only an operator can know is reported by the run, with the inputs it had.
  const int64_t wrong[] = {1, 1};
  EXPECT_EQ(set(wrong), CORACLE_OK);
  expect_error(coracle_session_run(session.get()), CORACLE_INVALID_ARGUMENT,
               "running with 'x' float32[1, 1] (the model declares float32[?, 2])");
  expect_error(coracle_session_output(session.get(), 0, &view_), CORACLE_INVALID_ARGUMENT, "run that succeeded");
  EXPECT_EQ(set(kDims), CORACLE_OK);
  EXPECT_EQ(coracle_session_run(session.get()), CORACLE_OK);
  ASSERT_EQ(coracle_session_output(session.get(), 1, &view_), CORACLE_OK);
  EXPECT_EQ(static_cast<const float*>(view_.data)[0], 7);
  EXPECT_EQ(static_cast<const float*>(view_.data)[1], 10);
  // A refused input leaves the one that was there.
  EXPECT_NE(set(kDims, CORACLE_INT32), CORACLE_OK);
  EXPECT_EQ(coracle_session_run(session.get()), CORACLE_OK);
}

TEST_F(Misuse, DeclaredSizesAreCheckedWhereAsked) {
  const int64_t wrong[] = {2, 1};
  const auto status = [&](const coracle_model_options* options, bool borrowed) {
    const test::ModelHandle model = test::load(bytes_, options);
    const test::SessionHandle session = test::open(model);
    const auto set = borrowed ? coracle_session_borrow_input : coracle_session_set_input;
    EXPECT_EQ(set(session.get(), 0, CORACLE_FLOAT32, 2, kDims, kValues), CORACLE_OK);
    return set(session.get(), 0, CORACLE_FLOAT32, 2, wrong, kValues);
  };
  coracle_model_options options;
  coracle_model_options_init(&options, sizeof(options));
  EXPECT_EQ(status(nullptr, false), CORACLE_OK);
  EXPECT_EQ(status(&options, true), CORACLE_OK);
  options.check_declared_sizes = 1;
  for (const bool borrowed : {false, true}) {
    expect_error(status(&options, borrowed), CORACLE_INVALID_ARGUMENT, "dimension 1 has size 1, the model declares 2");
    expect_error(status(&options, borrowed), CORACLE_INVALID_ARGUMENT, "check_declared_sizes");
  }
}

TEST_F(Misuse, MemoryLimit) {
  coracle_session_options options;
  coracle_session_options_init(&options, sizeof(options));
  options.memory_limit = 1024;
  const test::SessionHandle session = test::open(model_, &options);
  const int64_t dims[] = {1000, 2};
  const std::vector<float> values(2000);
  EXPECT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 2, dims, values.data()), CORACLE_OK);
  expect_error(coracle_session_run(session.get()), CORACLE_OUT_OF_MEMORY, "the memory limit is 1024");
  EXPECT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 2, kDims, kValues), CORACLE_OK);
  EXPECT_EQ(coracle_session_run(session.get()), CORACLE_OK);
}

TEST_F(Misuse, LastErrorIsOfTheThread) {
  coracle_tensor_info info;
  EXPECT_NE(coracle_model_input(model_.get(), 5, &info), CORACLE_OK);
  const std::string mine = coracle_last_error();
  std::string before;
  std::string after;
  std::thread other([&] {
    before = coracle_last_error();
    EXPECT_NE(coracle_model_output(model_.get(), 6, &info), CORACLE_OK);
    after = coracle_last_error();
  });
  other.join();
  EXPECT_EQ(before, "");
  EXPECT_NE(after.find("no output 6"), std::string::npos) << after;
  EXPECT_EQ(coracle_last_error(), mine);
  EXPECT_EQ(coracle_session_clone(session_.get(), nullptr), CORACLE_INVALID_ARGUMENT);
  EXPECT_NE(coracle_last_error(), mine);
}

// ---- option structs

/// The options as a program knew them when `isa` was their only field.
struct FirstModelOptions {
  size_t struct_size;
  const char* isa;
};
/// The options of a later version.
struct LaterModelOptions {
  coracle_model_options now;
  int64_t later;
};

TEST(OptionStructs, OfEarlierVersions) {
  const test::ModelBytes bytes = test::product_model();
  union {
    FirstModelOptions first;
    char room[sizeof(coracle_model_options)];
  } options;
  std::fill(std::begin(options.room), std::end(options.room), '?');
  coracle_model_options_init(reinterpret_cast<coracle_model_options*>(&options), sizeof(FirstModelOptions));
  EXPECT_EQ(options.first.struct_size, sizeof(FirstModelOptions));
  EXPECT_EQ(options.first.isa, nullptr);
  for (size_t i = sizeof(FirstModelOptions); i < sizeof(options.room); ++i) EXPECT_EQ(options.room[i], '?');
  EXPECT_NE(test::load(bytes, reinterpret_cast<coracle_model_options*>(&options)), nullptr);
  options.first.isa = "abacus";
  coracle_model* model = nullptr;
  expect_error(
      coracle_model_load_memory(bytes.program.data(), bytes.program.size(), bytes.params.data(), bytes.params.size(),
                                reinterpret_cast<coracle_model_options*>(&options), &model),
      CORACLE_INVALID_ARGUMENT, "'abacus'");
}

TEST(OptionStructs, OfLaterVersions) {
  const test::ModelBytes bytes = test::product_model();
  LaterModelOptions options{};
  options.later = 5;
  coracle_model_options_init(&options.now, sizeof(options));
  EXPECT_EQ(options.now.struct_size, sizeof(options));
  EXPECT_EQ(options.now.max_rewrites, -1);
  options.later = 0;
  EXPECT_NE(test::load(bytes, &options.now), nullptr);
  options.later = 5;
  coracle_model* model = nullptr;
  expect_error(coracle_model_load_memory(bytes.program.data(), bytes.program.size(), bytes.params.data(),
                                         bytes.params.size(), &options.now, &model),
               CORACLE_INVALID_ARGUMENT, "does not have");
}

TEST(OptionStructs, NotInitialised) {
  const test::ModelBytes bytes = test::product_model();
  const test::ModelHandle model = test::load(bytes);
  coracle_session_options options{};
  coracle_session* session = nullptr;
  for (size_t size : {size_t{0}, size_t{3}, size_t{13}, size_t{1} << 40U}) {
    options.struct_size = size;
    expect_error(coracle_session_create(model.get(), &options, &session), CORACLE_INVALID_ARGUMENT,
                 "coracle_session_options_init");
  }
  coracle_session_options_init(&options, sizeof(options));
  options.threads = -2;
  expect_error(coracle_session_create(model.get(), &options, &session), CORACLE_INVALID_ARGUMENT, "threads is -2");
  EXPECT_EQ(session, nullptr);
}

TEST(OptionStructs, ModelOptionsAreChecked) {
  const test::ModelBytes bytes = test::product_model();
  const auto refused = [&](const char* coracle_model_options::*field, const char* value, const char* part) {
    coracle_model_options options;
    coracle_model_options_init(&options, sizeof(options));
    options.*field = value;
    coracle_model* model = nullptr;
    expect_error(coracle_model_load_memory(bytes.program.data(), bytes.program.size(), bytes.params.data(),
                                           bytes.params.size(), &options, &model),
                 CORACLE_INVALID_ARGUMENT, part);
  };
  refused(&coracle_model_options::cpu_isa, "sse9", "'sse9'");
  refused(&coracle_model_options::precision, "fp8",
          "precision cannot be 'fp8', only one of: strict, default, int8, high, tf32, bf16, fp16");
  refused(&coracle_model_options::disable_passes, "identity,wishing", "no pass 'wishing'");
  refused(&coracle_model_options::disable_passes, "identty", "; did you mean 'identity'?");
  refused(&coracle_model_options::disable_kernels, "linear,conv2d.windograd",
          "'conv2d.windograd', to leave out; did you mean 'conv2d.winograd_");
  refused(&coracle_model_options::disable_kernels, "row_tile_", "; did you mean 'row_tiles'?");
  refused(&coracle_model_options::keep_tensors, "product,nothing", "'nothing'");
}

}  // namespace
}  // namespace coracle::internal
