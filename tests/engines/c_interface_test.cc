// SPDX-License-Identifier: Apache-2.0
#include <rapidjson/document.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "api/loaded.h"
#include "support/program_writer.h"
#include "support/temporary_folder.h"

// Blocks on plug-ins through the C interface: the engine `good`, which takes single nodes `negative` and fails in a run
// at 13, and xnnpack.
namespace coracle::internal::test {
namespace {

class CInterface : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("CORACLE_ENGINE_PATH", CORACLE_TEST_PLUGINS, 1);
    coracle_model_options_init(&options_, sizeof(options_));
    const coracle_log_function keep = [](void* user, coracle_log_level level, const char* message) {
      if (level == CORACLE_LOG_WARNING) static_cast<std::vector<std::string>*>(user)->emplace_back(message);
    };
    ASSERT_EQ(coracle_set_logger(CORACLE_LOG_WARNING, keep, &warnings_), CORACLE_OK);
  }
  void TearDown() override {
    ::unsetenv("CORACLE_ENGINE_PATH");
    EXPECT_EQ(coracle_set_logger(CORACLE_LOG_OFF, nullptr, nullptr), CORACLE_OK);
  }

  /// y = -relu(-x), of any length.
  static ModelBytes clipped() {
    BlockWriter main;
    add_feed(main, "x", kFloat32, {-1}, 0);
    main.operators.push_back(OpWriter("negative").in("X", {"x"}).out("Out", {"a"}));
    main.operators.push_back(OpWriter("relu").in("X", {"a"}).out("Out", {"b"}));
    main.operators.push_back(OpWriter("negative").in("X", {"b"}).out("Out", {"y"}));
    add_fetch(main, "y", 0);
    return {.name = "clipped", .program = program_file({main}), .params = {}, .inputs = {}};
  }

  static rapidjson::Document engines_of(const ModelHandle& model) {
    char* text = nullptr;
    EXPECT_EQ(coracle_model_engines(model.get(), &text), CORACLE_OK) << coracle_last_error();
    const std::unique_ptr<char, FreeHandle> owner(text);
    rapidjson::Document d;
    d.Parse(text);
    EXPECT_FALSE(d.HasParseError()) << text;
    return d;
  }

  /// One run, and that it gives min(x, 0).
  static void expect_clipped(const SessionHandle& session, const std::vector<float>& x) {
    const int64_t dims[] = {static_cast<int64_t>(x.size())};
    ASSERT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 1, dims, x.data()), CORACLE_OK);
    ASSERT_EQ(coracle_session_run(session.get()), CORACLE_OK) << coracle_last_error();
    std::vector<float> y(x.size());
    ASSERT_EQ(coracle_session_copy_output(session.get(), 0, y.data(), sizeof(float) * y.size()), CORACLE_OK);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(y[i], std::min(x[i], 0.0F)) << i;
  }

  const ModelBytes bytes_ = clipped();
  coracle_model_options options_{};
  std::vector<std::string> warnings_;
};

TEST_F(CInterface, BlocksRunOnAPlugIn) {
  options_.engines = "good";
  options_.min_ops = 1;
  options_.disable_passes = "engine_cost";
  const ModelHandle model = load(bytes_, &options_);
  ASSERT_NE(model, nullptr);
  const rapidjson::Document d = engines_of(model);
  ASSERT_EQ(d["engines"].Size(), 1U);
  EXPECT_TRUE(d["engines"][0].HasMember("version"));
  EXPECT_FALSE(d["engines"][0].HasMember("missing"));
  ASSERT_EQ(d["blocks"].Size(), 2U);
  EXPECT_EQ(std::string(d["blocks"][0]["name"].GetString()), "good_0");
  EXPECT_EQ(std::string(d["blocks"][1]["engine"].GetString()), "good");
  EXPECT_EQ(d["blocks"][0]["nodes"].GetInt64(), 1);
  ASSERT_EQ(d["nodes"].Size(), 3U);
  EXPECT_EQ(std::string(d["nodes"][1]["op"].GetString()), "relu");
  EXPECT_FALSE(d["nodes"][1].HasMember("block"));
  EXPECT_EQ(std::string(d["nodes"][2]["block"].GetString()), "good_1");
  const SessionHandle session = open(model);
  expect_clipped(session, {1, -2, 3});
  expect_clipped(session, {-1, 2, -3, 4, 5});
  EXPECT_TRUE(warnings_.empty()) << warnings_[0];
}

TEST_F(CInterface, FilesHoldBlocks) {
  const TemporaryFolder folder;
  const std::string path = folder.path("with.coracle");
  options_.marks = "good=negative";
  for (const bool packed : {false, true}) {
    const ModelHandle model = load(bytes_, &options_);
    ASSERT_EQ((packed ? coracle_model_save_packed : coracle_model_save)(model.get(), path.c_str()), CORACLE_OK)
        << coracle_last_error();
    const auto blocks = [&](const coracle_model_options* options) {
      coracle_model* saved = nullptr;
      EXPECT_EQ(coracle_model_load(path.c_str(), nullptr, options, &saved), CORACLE_OK) << coracle_last_error();
      const ModelHandle of_file(saved);
      expect_clipped(open(of_file), {1, -2});
      return engines_of(of_file)["blocks"].Size();
    };
    EXPECT_EQ(blocks(nullptr), 2U) << "those of the file";
    coracle_model_options other = options_;
    other.marks = "good%y";
    EXPECT_EQ(blocks(&other), 1U) << "those that are asked for";
    other.marks = nullptr;
    other.disable_passes = "engine_saved";
    EXPECT_EQ(blocks(&other), 0U);
  }
}

TEST_F(CInterface, ABlockThatFailsInARunRunsNatively) {
  options_.engines = "good";
  options_.min_ops = 1;
  options_.disable_passes = "engine_cost";
  const ModelHandle model = load(bytes_, &options_);
  const SessionHandle session = open(model);
  expect_clipped(session, {13, -2, 3});
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_[0].find("the block good_0 of 1 node runs natively, not on good: it failed in a run: "),
            std::string::npos)
      << warnings_[0];
  EXPECT_NE(warnings_[0].find("thirteen"), std::string::npos) << warnings_[0];
  expect_clipped(session, {13, -2, 4});
  EXPECT_EQ(warnings_.size(), 1U) << "told once";
}

TEST_F(CInterface, SmallBlocksRunNativelyUnlessTheyAreMarked) {
  options_.engines = "good";
  const rapidjson::Document small = engines_of(load(bytes_, &options_));
  EXPECT_TRUE(small["blocks"].Empty());
  EXPECT_EQ(std::string(small["nodes"][0]["cause"].GetString()), "good: a block of 1 node, fewer than min_ops, 2");
  EXPECT_NE(std::string(small["nodes"][1]["cause"].GetString()).find("good: only "), std::string::npos);

  const struct {
    const char* engines;
    const char* marks;
    unsigned blocks;
  } cases[] = {
      {"good", "good=negative", 2}, {nullptr, "good=negative", 2}, {nullptr, "good=neg*e", 2},
      {nullptr, "good=relu", 0},    {nullptr, "good:x..a", 1},     {nullptr, "good:x..y", 2},
      {nullptr, "good:y..x", 0},    {nullptr, "good:*", 2},        {nullptr, "good:x..a,good:b..y", 2},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.marks);
    options_.engines = c.engines;
    options_.marks = c.marks;
    const ModelHandle model = load(bytes_, &options_);
    EXPECT_EQ(engines_of(model)["blocks"].Size(), c.blocks);
    expect_clipped(open(model), {1, -2});
  }
  options_.marks = "good=negative";
  options_.disable_passes = "engine_marks";
  EXPECT_TRUE(engines_of(load(bytes_, &options_))["blocks"].Empty());
}

#ifdef CORACLE_HAS_XNNPACK
TEST_F(CInterface, OneBlockOfXnnpackHasTheWholeModel) {
  ::unsetenv("CORACLE_ENGINE_PATH");  // it lies beside this program
  options_.engines = "xnnpack";
  options_.disable_passes = "engine_cost";
  const ModelHandle model = load(bytes_, &options_);
  const rapidjson::Document d = engines_of(model);
  ASSERT_EQ(d["blocks"].Size(), 1U);
  EXPECT_EQ(d["blocks"][0]["nodes"].GetInt64(), 3);
  EXPECT_EQ(std::string(d["blocks"][0]["graph"].GetString()), "main");
  const SessionHandle session = open(model);
  expect_clipped(session, {1, -2, 3});
  EXPECT_TRUE(warnings_.empty()) << warnings_[0];
}

TEST_F(CInterface, EnginesThatComeLaterTakeWhatIsLeft) {
  ::setenv("CORACLE_ENGINE_PATH", CORACLE_TEST_PLUGINS, 1);
  options_.engines = "good,xnnpack";
  options_.min_ops = 1;
  options_.disable_passes = "engine_cost";
  const ModelHandle model = load(bytes_, &options_);
  const rapidjson::Document d = engines_of(model);
  ASSERT_EQ(d["blocks"].Size(), 3U);
  EXPECT_EQ(std::string(d["blocks"][1]["engine"].GetString()), "xnnpack");
  expect_clipped(open(model), {1, -2, 3});
  EXPECT_TRUE(warnings_.empty()) << warnings_[0];
}
#endif

}  // namespace
}  // namespace coracle::internal::test
