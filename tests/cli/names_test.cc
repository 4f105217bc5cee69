// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <cstring>

#include "base/printable.h"
#include "coracle/coracle.hpp"
#include "files.h"
#include "program.h"
#include "support/program_writer.h"

// Names of a file are data: whatever bytes they hold, what is printed and returned is text.
namespace coracle::internal {
namespace {

using test::OpWriter;

// Colours a terminal, is cut by C strings, is no UTF-8.
const std::string kInput = "in\x1b[31m";
const std::string kOutput = std::string("out\0tail", 8);
const std::string kMiddle = "mid\xff\xc3";
const std::string kOperator = "scale\x9b\x1b]0;title\x07";

test::ModelBytes model(const std::string& type) {
  test::BlockWriter main;
  test::add_feed(main, kInput, test::kFloat32, {2}, 0);
  main.variables.push_back(test::variable(kMiddle, test::kFloat32, {2}));
  main.variables.push_back(test::variable(kOutput, test::kFloat32, {2}));
  main.operators.push_back(OpWriter("relu").in("X", {kInput}).out("Out", {kMiddle}));
  main.operators.push_back(OpWriter(type).in("X", {kMiddle}).out("Out", {kOutput}));
  test::add_fetch(main, kOutput, 0);
  return {"names", test::program_file({main}), "", {}};
}

class Names : public testing::Test {
 protected:
  void expect_text(const std::vector<std::string>& arguments, int code) {
    const test::Outcome outcome = test::coracle_program(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    for (const std::string& stream : {outcome.out, outcome.err}) {
      EXPECT_EQ(stream, printable(stream, /*lines=*/true)) << arguments[0];
    }
    if (arguments.back() != "--json") return;
    rapidjson::Document d;
    d.Parse<rapidjson::kParseValidateEncodingFlag>(outcome.out.c_str(), outcome.out.size());
    EXPECT_FALSE(d.HasParseError()) << outcome.out;
  }

  const test::TemporaryFolder folder_;
};

TEST_F(Names, ReachTerminalsAndJsonAsText) {
  const std::string path = test::write_model(folder_, model("tanh"));
  for (const char* command : {"inspect", "explain", "run", "bench"}) {
    expect_text({command, path}, 0);
    expect_text({command, path, "--json"}, 0);
  }
  expect_text({"profile", path}, 0);
  expect_text({"run", path, "--input", kInput + "=nothing.npy"}, 2);
  const std::string unsupported = test::write_model(folder_, model(kOperator));
  expect_text({"inspect", unsupported, "--json"}, 0);
  expect_text({"run", unsupported}, 4);
  expect_text({"run", folder_.path("none\x1b[31m\xff")}, 5);
}

TEST_F(Names, AreFoundInBothForms) {
  coracle::ModelOptions options;
  options.keep_tensors = kMiddle;
  const coracle::Model m(test::write_model(folder_, model("tanh")), {}, options);
  EXPECT_EQ(m.inputs()[0].name, "in\\x1b[31m");
  EXPECT_EQ(m.outputs()[0].name, "out\\x00tail");
  EXPECT_EQ(m.find_input(kInput), size_t{0});
  EXPECT_EQ(m.find_input("in\\x1b[31m"), size_t{0});
  EXPECT_EQ(m.find_input("in"), std::nullopt);
  coracle::Session session(m);
  session.set_input(0, {2}, std::vector<float>{-1, 1});
  session.run();
  for (const std::string& name : {kMiddle, printable(kMiddle)}) {
    EXPECT_EQ(session.tensor(name).values<float>()[1], 1.0F);
  }
}

TEST_F(Names, OfFilesNeedNotBeText) {
  const test::TemporaryFolder folder;
  const std::string picture = folder.path("mid\xff\x1b.png");
  test::write_png(picture, 90, 120, {250, 10, 10});
  const std::vector<std::string> predict = {"predict", CORACLE_VISION_TESTS "/objects", "--description",
                                            CORACLE_VISION_TESTS "/descriptions/objects.yml"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = predict;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  expect_text(with({picture}), 0);
  expect_text(with({picture, "--csv"}), 0);
  expect_text(with({picture, "--json"}), 0);
  const std::string path = folder.write("mod\xff/names.pdmodel", model("tanh").program);
  for (const char* command : {"inspect", "explain", "run", "bench"}) expect_text({command, path, "--json"}, 0);
}

}  // namespace
}  // namespace coracle::internal
