// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "files.h"
#include "program.h"
#include "support/program_writer.h"

// What the program says and draws of engines, with the plug-in "stand_in", which takes single nodes `negative`.
namespace coracle::internal {
namespace {

using test::OpWriter;

class EnginesOfProgram : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("CORACLE_ENGINE_PATH", CORACLE_TEST_PLUGINS, 1);
    ::setenv("CORACLE_ENGINE_CACHE", "", 1);
  }
  void TearDown() override {
    ::unsetenv("CORACLE_ENGINE_PATH");
    ::unsetenv("CORACLE_ENGINE_CACHE");
  }

  static std::string results(const std::vector<std::string>& arguments) {
    const test::Outcome outcome = test::coracle_program(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  }
  std::string drawing(const std::string& name, std::vector<std::string> more) const {
    const std::string path = folder_.path(name);
    std::vector<std::string> arguments{"graph", model_, "-o", path};
    arguments.insert(arguments.end(), more.begin(), more.end());
    results(arguments);
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  /// y = -relu(-x)
  static test::ModelBytes clipped() {
    test::BlockWriter main;
    test::add_feed(main, "x", test::kFloat32, {-1}, 0);
    main.operators.push_back(OpWriter("negative").in("X", {"x"}).out("Out", {"a"}));
    main.operators.push_back(OpWriter("relu").in("X", {"a"}).out("Out", {"b"}));
    main.operators.push_back(OpWriter("negative").in("X", {"b"}).out("Out", {"y"}));
    test::add_fetch(main, "y", 0);
    return {.name = "clipped", .program = test::program_file({main}), .params = {}, .inputs = {}};
  }

  const test::TemporaryFolder folder_;
  const std::string model_ = test::write_model(folder_, clipped());
  const std::vector<std::string> engines_ = {"--engines", "stand_in", "--min-ops", "1"};
};

void expect_engine_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in " << text;
}

TEST_F(EnginesOfProgram, AreListedWithWhatIsMissing) {
  ::setenv("CORACLE_OPENVINO", "/nowhere/libopenvino_c.so", 1);
  const std::string told = results({"devices"});
  rapidjson::Document d;
  d.Parse(results({"devices", "--json"}).c_str());
  const std::string doctor = results({"doctor"});
  ::unsetenv("CORACLE_OPENVINO");
  const std::string file = CORACLE_TEST_PLUGINS "/libcoracle_engine_stand_in.so";
  expect_engine_parts(told,
                      {"engine openvino  none: OpenVINO is missing: CORACLE_OPENVINO is /nowhere/libopenvino_c.so",
                       "engine stand_in  test ", "  file              " + file});
  expect_engine_parts(doctor, {"engines", "stand_in (test ", "-> openvino: OpenVINO is missing"});
  ASSERT_TRUE(d.HasMember("engines"));
  bool found = false;
  for (const rapidjson::Value& engine : d["engines"].GetArray()) {
    EXPECT_NE(engine.HasMember("missing"), engine.HasMember("version")) << engine["name"].GetString();
    if (std::string(engine["name"].GetString()) != "stand_in") continue;
    found = true;
    EXPECT_EQ(std::string(engine["file"].GetString()), file);
  }
  EXPECT_TRUE(found);
}

TEST_F(EnginesOfProgram, AreColoursInDrawings) {
  const std::string page = drawing("clipped.html", engines_);
  expect_engine_parts(page,
                      {".node.engine0 rect,.frame.engine0{fill:#", "<g class=\"node engine0\"", ">stand_in</text>",
                       ">natively</text>", "<rect class=\"frame engine0\"", "natively: stand_in: only "});
  const std::string dot = drawing("clipped.dot", engines_);
  expect_engine_parts(
      dot, {"subgraph cluster_legend {", "legend0 [shape=box, label=\"stand_in\", style=filled, fillcolor=\"#",
            "label=\"on stand_in\"", "tooltip=\"stand_in: only "});
  const std::string plain = drawing("plain.svg", {});
  EXPECT_EQ(plain.find("engine"), std::string::npos);
  EXPECT_EQ(drawing("loaded.svg", {"--stage", "loaded", engines_[0], engines_[1], engines_[2], engines_[3]}),
            drawing("loaded2.svg", {"--stage", "loaded"}));
}

TEST_F(EnginesOfProgram, MarksKeepNodesFromThem) {
  const auto explained = [&](const char* mark) {
    return results(
        {"explain", model_, "--shape", "x=3", "--mark", mark, engines_[0], engines_[1], engines_[2], engines_[3]});
  };
  expect_engine_parts(explained("native=relu"), {"block stand_in_0", "block stand_in_1"});
  const std::string one = explained("native%a");
  expect_engine_parts(one, {"block stand_in_0", "native: a mark keeps it from engines"});
  EXPECT_EQ(one.find("stand_in_1"), std::string::npos) << one;
  EXPECT_EQ(explained("native=negative").find("block "), std::string::npos);
}

TEST_F(EnginesOfProgram, ThatNeedNotBeThereAreNotWarnedOf) {
  const test::Outcome asked = test::coracle_program({"run", model_, "--shape", "x=3", "--engines", "nobody?"});
  EXPECT_EQ(asked.code, 0);
  EXPECT_EQ(asked.err, "");
  const test::Outcome wanted = test::coracle_program({"run", model_, "--shape", "x=3", "--engines", "nobody"});
  EXPECT_EQ(wanted.code, 0);
  expect_engine_parts(wanted.err, {"warning: the engine 'nobody' cannot be used"});
  EXPECT_EQ(asked.out, wanted.out);
}

TEST_F(EnginesOfProgram, StandInSavedModels) {
  const std::string saved = folder_.path("clipped.coracle");
  results({"optimize", model_, "-o", saved, "--shape", "x=3", engines_[0], engines_[1], engines_[2], engines_[3]});
  expect_engine_parts(results({"inspect", saved}), {"blocks      2 for engines, 0 compiled"});
  const std::vector<std::string> explain = {"explain", saved, "--shape", "x=3"};
  expect_engine_parts(results(explain), {"block stand_in_0 on stand_in: 1 nodes of main", "the model was saved so"});
  const std::vector<std::string> run = {"run", saved, "--shape", "x=3"};
  const std::string on_engine = results(run);
  ::setenv("CORACLE_ENGINE_PATH", "/nowhere", 1);  // each command is a process
  EXPECT_EQ(results(run), on_engine);
  const std::string missing = results(explain);
  expect_engine_parts(missing, {"engine stand_in: missing: "});
  EXPECT_EQ(missing.find("\nblock "), std::string::npos) << missing;
}

}  // namespace
}  // namespace coracle::internal
