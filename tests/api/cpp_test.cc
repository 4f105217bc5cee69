// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>

#include "coracle/coracle.hpp"
#include "support/small_models.h"
#include "support/temporary_folder.h"

// The C++ interface.
namespace coracle::internal {
namespace {

std::span<const std::byte> content_of(const std::string& s) {
  return {reinterpret_cast<const std::byte*>(s.data()), s.size()};
}

template <class F>
coracle::Exception exception_of(const F& f) {
  try {
    f();
  } catch (const coracle::Exception& e) {
    return e;
  }
  ADD_FAILURE() << "no exception";
  return {CORACLE_OK, ""};
}

const test::ModelBytes& product() {
  static const test::ModelBytes kBytes = test::product_model();
  return kBytes;
}

coracle::Model product_in_cpp() { return {content_of(product().program), content_of(product().params)}; }

TEST(Cpp, ModelsFromPathMemoryAndFunction) {
  const test::TemporaryFolder folder;
  folder.write("m/inference.pdmodel", product().program);
  folder.write("m/inference.pdiparams", product().params);
  const coracle::Model from_path(folder.path("m"));
  const coracle::Model from_memory = product_in_cpp();
  std::vector<std::string> asked;
  const coracle::ReadFunction read = [&](const std::string& name) -> std::optional<std::span<const std::byte>> {
    asked.push_back(name);
    if (name == "x.pdmodel") return content_of(product().program);
    if (name == "x.pdiparams") return content_of(product().params);
    return std::nullopt;
  };
  const coracle::Model from_function(read, "x.pdmodel");
  from_path.check_files();
  EXPECT_FALSE(asked.empty());
  for (const coracle::Model* model : {&from_path, &from_memory, &from_function}) {
    const std::vector<coracle::TensorInfo> inputs = model->inputs();
    ASSERT_EQ(inputs.size(), 1U);
    EXPECT_EQ(inputs[0].name, "x");
    EXPECT_EQ(inputs[0].dims, (coracle::Dims{-1, 2}));
    EXPECT_TRUE(inputs[0].rank_known);
    EXPECT_EQ(model->find_input("x"), 0U);
    EXPECT_EQ(model->find_input("y"), std::nullopt);
    EXPECT_EQ(model->find_output("product"), 1U);
    EXPECT_NE(model->description().find("\"operators\""), std::string::npos);
    EXPECT_NE(model->graph_text().find("product"), std::string::npos);
  }
  EXPECT_NE(coracle::inspect(folder.path("m")).find("matmul_v2"), std::string::npos);
  EXPECT_EQ(exception_of([] { coracle::Model("/nonexistent"); }).status(), CORACLE_IO);
  EXPECT_EQ(exception_of([] { coracle::inspect("/nonexistent"); }).status(), CORACLE_IO);
}

TEST(Cpp, AsynchronousRuns) {
  const coracle::Model model = product_in_cpp();
  coracle::Session session(model, {.threads = 1});
  EXPECT_EQ(exception_of([&] { session.run_async(); }).status(), CORACLE_INVALID_ARGUMENT);
  session.set_input(0, {1, 2}, std::vector<float>{1, 2});
  session.run_async().get();
  EXPECT_EQ(session.output(1).copy<float>(), (std::vector<float>{7, 10}));
  const std::atomic<std::uint32_t> cancelled{1};
  std::future<void> ended = session.run_async({.cancelled = &cancelled});
  EXPECT_EQ(exception_of([&] { ended.get(); }).status(), CORACLE_CANCELLED);
  EXPECT_EQ(exception_of([&] { session.wait(); }).status(), CORACLE_CANCELLED);
  std::vector<float> seen;
  session.run_async({}, [&](coracle_status status) {
    if (status == CORACLE_OK) seen = session.output(1).copy<float>();
  });
  session.wait();
  EXPECT_EQ(seen, (std::vector<float>{7, 10}));
  session.run_async();  // a future that nobody looks at; ending the session waits
}

TEST(Cpp, RunAndViews) {
  const coracle::Model model = product_in_cpp();
  coracle::Session session(model, {.threads = 1});
  session.set_input(0, {1, 2}, std::vector<float>{1, 2});
  session.run();
  const coracle::View view = session.output(1);
  EXPECT_EQ(view.dtype(), CORACLE_FLOAT32);
  EXPECT_EQ(view.dims(), (coracle::Dims{1, 2}));
  EXPECT_EQ(view.size(), 2U);
  EXPECT_EQ(view.copy<float>(), (std::vector<float>{7, 10}));
  const coracle::Exception wrong = exception_of([&] { view.values<int64_t>(); });
  EXPECT_EQ(wrong.status(), CORACLE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(wrong.what()).find("float32"), std::string::npos);

  std::vector<float> x{3, 3};
  session.borrow_input(0, {1, 2}, std::span<const float>(x));
  x[0] = 4;
  session.run();
  EXPECT_EQ(session.output(0).copy<float>(), (std::vector<float>{8, 6}));
  std::vector<float> y(3, -1);
  session.bind_output(0, std::span<float>(y));
  session.run();
  EXPECT_EQ(y, (std::vector<float>{8, 6, -1}));
  EXPECT_EQ(session.output(0).copy<float>(), (std::vector<float>{8, 6}));
  session.unbind_output(0);
  const float raw[] = {1, 1};
  session.set_input(0, CORACLE_FLOAT32, {1, 2}, raw);
  coracle::Session second = session.clone();
  EXPECT_THROW(second.run(), coracle::Exception);
  second.set_input(0, {1, 2}, std::span<const float>(raw));
  second.run();
  EXPECT_EQ(second.output(0).copy<float>(), (std::vector<float>{2, 2}));
}

TEST(Cpp, Mistakes) {
  const coracle::Model model = product_in_cpp();
  coracle::Session session(model);
  const std::vector<float> three{1, 2, 3};
  EXPECT_NE(std::string(exception_of([&] {
                          session.set_input(0, {1, 2}, three);
                        }).what())
                .find("2 elements, given 3"),
            std::string::npos);
  EXPECT_EQ(exception_of([&] {
              session.set_input(0, {1, 3}, std::vector<int32_t>{1, 2, 3});
            }).status(),
            CORACLE_INVALID_ARGUMENT);
  EXPECT_EQ(exception_of([&] { session.set_input(0, {-1, -3}, three); }).status(), CORACLE_INVALID_ARGUMENT);
  EXPECT_EQ(exception_of([&] { session.output(0); }).status(), CORACLE_INVALID_ARGUMENT);
  EXPECT_EQ(exception_of([&] { session.run(); }).status(), CORACLE_INVALID_ARGUMENT);
  EXPECT_EQ(exception_of([&] { coracle::Session(model, {.threads = -1}); }).status(), CORACLE_INVALID_ARGUMENT);
  EXPECT_EQ(exception_of([&] { coracle::Model(std::span<const std::byte>(), std::span<const std::byte>()); }).status(),
            CORACLE_INVALID_ARGUMENT);
}

TEST(Cpp, OptionsOffsetsProfileAndMemory) {
  const test::ModelBytes bytes = test::small_program_models()[2];
  coracle::ModelOptions options;
  options.keep_tensors = "*";
  options.disable_passes = "all";
  options.cpu_isa = coracle_cpu_isa();
  const coracle::Model model(content_of(bytes.program), content_of(bytes.params), options);
  EXPECT_NE(model.description().find("\"isa\":\"" + options.cpu_isa + "\""), std::string::npos);
  EXPECT_NE(model.description().find("\"rewrites\":[]"), std::string::npos);
  coracle::Session session(model, {.threads = 2});
  const std::span<const int64_t> words = bytes.inputs[0].values<int64_t>();
  session.set_input(0, {5, 1}, words);
  session.set_lod(0, {{0, 3, 5}});
  EXPECT_GT(session.planned_memory(), 0U);
  EXPECT_NE(session.explain().find("\"kernel\""), std::string::npos);
  session.set_profiling(true);
  session.run();
  EXPECT_NE(session.profile().find("lookup_table"), std::string::npos);
  EXPECT_EQ(session.output(1).lod(), (coracle::Lod{{0, 3, 5}}));
  EXPECT_EQ(session.tensor("e").dims(), (coracle::Dims{5, 4}));
  EXPECT_EQ(exception_of([&] { session.tensor("nothing"); }).status(), CORACLE_INVALID_ARGUMENT);
  EXPECT_GT(session.memory().arena, 0U);
  EXPECT_GT(session.release_memory(), 0U);
}

TEST(Cpp, FilesThatChanged) {
  const test::TemporaryFolder folder;
  folder.write("m/inference.pdmodel", product().program);
  for (const char* weights : {"", "automatic", "copied", "mapped"}) {
    const std::string params = folder.write("m/inference.pdiparams", product().params);
    coracle::ModelOptions options;
    options.weights = weights;
    const coracle::Model model(folder.path("m"), {}, options);
    model.check_files();
    folder.write("m/inference.pdiparams", product().params + "more");
    const coracle::Exception changed = exception_of([&] { model.check_files(); });
    EXPECT_EQ(changed.status(), CORACLE_IO);
    EXPECT_NE(std::string(changed.what()).find(params + "' has grown"), std::string::npos) << changed.what();
  }
}

}  // namespace
}  // namespace coracle::internal
