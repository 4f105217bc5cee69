// SPDX-License-Identifier: Apache-2.0
#include <rapidjson/document.h>

#include <limits>
#include <vector>

#include "api/loaded.h"
#include "support/temporary_folder.h"

// The options engines, min_ops and marks of models where no engine is there, and what is wrong with them. Blocks that
// do run on an engine: tests/engines/c_interface_test.cc.
namespace coracle::internal::test {
namespace {

class Engines : public testing::Test {
 protected:
  void SetUp() override {
    coracle_model_options_init(&options_, sizeof(options_));
    const coracle_log_function keep = [](void* user, coracle_log_level level, const char* message) {
      if (level == CORACLE_LOG_WARNING) static_cast<std::vector<std::string>*>(user)->emplace_back(message);
    };
    ASSERT_EQ(coracle_set_logger(CORACLE_LOG_WARNING, keep, &warnings_), CORACLE_OK);
  }
  void TearDown() override { EXPECT_EQ(coracle_set_logger(CORACLE_LOG_OFF, nullptr, nullptr), CORACLE_OK); }

  int told(const std::string& part) const {
    int count = 0;
    for (const std::string& message : warnings_) count += message.find(part) != std::string::npos ? 1 : 0;
    return count;
  }

  /// Status and message of loading with the options.
  void expect_refused(const std::string& part) const {
    coracle_model* model = nullptr;
    expect_error(coracle_model_load_memory(bytes_.program.data(), bytes_.program.size(), bytes_.params.data(),
                                           bytes_.params.size(), &options_, &model),
                 CORACLE_INVALID_ARGUMENT, part);
    EXPECT_EQ(model, nullptr);
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

  /// The output "product" of 5 6.
  static std::vector<float> product(const ModelHandle& model) {
    const SessionHandle session = open(model);
    const int64_t dims[] = {1, 2};
    const float x[] = {5, 6};
    EXPECT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 2, dims, x), CORACLE_OK);
    EXPECT_EQ(coracle_session_run(session.get()), CORACLE_OK) << coracle_last_error();
    std::vector<float> y(2);
    EXPECT_EQ(coracle_session_copy_output(session.get(), 1, y.data(), sizeof(float) * 2), CORACLE_OK);
    return y;
  }

  const ModelBytes bytes_ = product_model();
  coracle_model_options options_{};
  std::vector<std::string> warnings_;
};

TEST_F(Engines, OneThatIsMissingIsToldAndTheModelRunsWithout) {
  const std::vector<float> expected = product(load(bytes_));
  options_.engines = "nobody,nobody_else:GPU";
  const ModelHandle model = load(bytes_, &options_);
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(told("the engine 'nobody' cannot be used"), 1);
  EXPECT_EQ(told("the engine 'nobody_else:GPU' cannot be used"), 1);
  EXPECT_EQ(product(model), expected);
  EXPECT_EQ(warnings_.size(), 2U) << "runs say it once more";

  const rapidjson::Document d = engines_of(model);
  ASSERT_EQ(d["engines"].Size(), 2U);
  EXPECT_EQ(std::string(d["engines"][0]["name"].GetString()), "nobody");
  const std::string missing = d["engines"][0]["missing"].GetString();
  EXPECT_NE(missing.find("there is no engine 'nobody'; this build has "), std::string::npos) << missing;
  EXPECT_NE(missing.find("libcoracle_engine_nobody.so"), std::string::npos) << missing;
  EXPECT_EQ(std::string(d["engines"][1]["name"].GetString()), "nobody_else:GPU");
  EXPECT_FALSE(d["engines"][0].HasMember("version"));
  EXPECT_TRUE(d["blocks"].Empty());
  ASSERT_FALSE(d["nodes"].Empty());
  for (const rapidjson::Value& node : d["nodes"].GetArray()) EXPECT_FALSE(node.HasMember("block"));
}

TEST_F(Engines, AModelWithoutBlocksCanBeSaved) {
  const TemporaryFolder folder;
  options_.engines = "nobody";
  const std::string path = folder.path("saved.coracle");
  EXPECT_EQ(coracle_model_save(load(bytes_, &options_).get(), path.c_str()), CORACLE_OK) << coracle_last_error();
}

TEST_F(Engines, OneThatOnlyAMarkNamesIsAmongThem) {
  options_.marks = "nobody=matmul";
  const ModelHandle model = load(bytes_, &options_);
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(told("the engine 'nobody' cannot be used"), 1);
  EXPECT_EQ(std::string(engines_of(model)["engines"][0]["name"].GetString()), "nobody");
}

TEST_F(Engines, WithoutThemThereIsNothingToTell) {
  const rapidjson::Document d = engines_of(load(bytes_, &options_));
  for (const char* key : {"engines", "blocks", "nodes"}) EXPECT_TRUE(d[key].Empty()) << key;
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(Engines, MinOpsBelowOneIsRefused) {
  for (int64_t count : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min()}) {
    options_.min_ops = count;
    expect_refused("min_ops is " + std::to_string(count) + ", expected at least 1");
  }
  options_.min_ops = std::numeric_limits<int64_t>::max();
  options_.engines = "nobody";
  EXPECT_NE(load(bytes_, &options_), nullptr);
}

TEST_F(Engines, MarksOfNoKnownFormAreRefused) {
  for (const char* mark : {"matmul", "nobody:", "nobody=", "nobody@", ":matmul", "=", "nobody=matmul,matmul"}) {
    options_.marks = mark;
    expect_refused(
        "has none of the forms ENGINE:NODE, ENGINE=OPERATOR, ENGINE@SCOPE, ENGINE%VARIABLE and "
        "ENGINE:VARIABLE..VARIABLE");
  }
  for (const char* mark : {"nobody:..y", "nobody:x..", "nobody:.."}) {
    options_.marks = mark;
    expect_refused(std::string("the mark '") + mark + "' names only one of two variables");
  }
}

TEST_F(Engines, StagesAreLeftOutByTheirNames) {
  options_.engines = "nobody";
  options_.disable_passes = "engine_marks,engine_detect,engine_grow,engine_small,engine_cost";
  EXPECT_NE(load(bytes_, &options_), nullptr);
  options_.disable_passes = "engine_costs";
  expect_refused("there is no pass 'engine_costs' to disable; there are: widen_half, identity, ");
  expect_refused("engine_marks, engine_detect, engine_grow, engine_small, engine_cost");
}

TEST_F(Engines, WithoutAModelOrAPlaceForTheTextThereIsNone) {
  char* text = nullptr;
  expect_error(coracle_model_engines(nullptr, &text), CORACLE_INVALID_ARGUMENT, "argument 'model' is null");
  expect_error(coracle_model_engines(load(bytes_).get(), nullptr), CORACLE_INVALID_ARGUMENT, "argument 'json' is null");
}

}  // namespace
}  // namespace coracle::internal::test
