// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "files.h"
#include "program.h"
#include "support/program_writer.h"

// coracle graph: drawings of graphs.
namespace coracle::internal {
namespace {

using test::expect_failure;
using test::OpWriter;

/// Elements of an SVG or HTML text open and close in their order; names and numbers of them are not looked at.
void expect_balanced(const std::string& text) {
  std::vector<std::string> open;
  for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const size_t end = text.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = text.substr(at + 1, end - at - 1);
    const bool closes = tag.starts_with("/");
    const std::string name = tag.substr(closes ? 1 : 0, tag.find(' ') - (closes ? 1 : 0));
    if (tag.ends_with("/")) continue;
    if (!closes) {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty()) << tag;
    ASSERT_EQ(open.back(), name);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// `length` activations in a row, each added to what went in; the names are hostile to HTML.
test::ModelBytes chain(int length) {
  test::BlockWriter main;
  test::add_feed(main, "x<b>&\"", test::kFloat32, {-1, 4}, 0);
  std::string last = "x<b>&\"";
  for (int i = 0; i < length; ++i) {
    const std::string a = "a" + std::to_string(i);
    const std::string sum = "s" + std::to_string(i);
    main.variables.push_back(test::variable(a, test::kFloat32, {-1, 4}));
    main.variables.push_back(test::variable(sum, test::kFloat32, {-1, 4}));
    main.operators.push_back(OpWriter("tanh").in("X", {last}).out("Out", {a}));
    main.operators.push_back(OpWriter("elementwise_add").in("X", {a}).in("Y", {last}).out("Out", {sum}));
    last = sum;
  }
  test::add_fetch(main, last, 0);
  return {"chain", test::program_file({main}), "", {}};
}

constexpr const char* kScope = "/a \"({/";

/// i = 0; while i < n: i += 1, the loop and the addition with a name scope
test::ModelBytes loop() {
  test::BlockWriter main;
  test::add_feed(main, "n", test::kInt64, {1}, 0);
  main.variables.push_back(test::variable("i", test::kInt64, {1}));
  main.variables.push_back(test::variable("go", test::kBool, {1}));
  const auto less = [] {
    return OpWriter("less_than").in("X", {"i"}).in("Y", {"n"}).out("Out", {"go"}).integer("axis", -1);
  };
  main.operators.push_back(OpWriter("fill_constant")
                               .out("Out", {"i"})
                               .integers("shape", {1})
                               .integer("dtype", test::kInt64)
                               .string("str_value", "0"));
  main.operators.push_back(less());
  main.operators.push_back(
      OpWriter("while").in("Condition", {"go"}).in("X", {"n"}).block("sub_block", 1).string("op_namescope", kScope));
  test::add_fetch(main, "i", 0);
  test::BlockWriter body{.index = 1, .parent = 0, .variables = {}, .operators = {}};
  body.operators.push_back(
      OpWriter("increment").in("X", {"i"}).out("Out", {"i"}).real("step", 1).string("op_namescope", kScope));
  body.operators.push_back(less());
  return {"loop", test::program_file({main, body}), "", {}};
}

class GraphCommand : public testing::Test {
 protected:
  std::string drawn(const std::string& model, const std::string& name, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"graph", model, "-o", folder_.path(name)});
    const test::Outcome outcome = test::coracle_program(more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::ifstream file(folder_.path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const test::TemporaryFolder folder_;
  const std::string chain_ = test::write_model(folder_, chain(100));
  const std::string loop_ = test::write_model(folder_, loop());
};

TEST_F(GraphCommand, DrawsEveryNodeWithShapesAndGroups) {
  const std::string svg = drawn(chain_, "g.svg");
  expect_balanced(svg);
  EXPECT_EQ(count(svg, "<g class=\"node\""), 200U);
  EXPECT_GT(count(svg, "class=\"frame\""), 6U);
  EXPECT_GT(count(svg, "float32[?, ?]"), 200U);
  EXPECT_NE(svg.find("x&lt;b&gt;&amp;"), std::string::npos);
  const std::string dot = drawn(chain_, "g.dot");
  EXPECT_EQ(count(dot, "shape=box"), 200U);
  EXPECT_EQ(count(dot, " -> "), 301U);
  EXPECT_EQ(count(dot, "{"), count(dot, "}"));
  EXPECT_GT(count(dot, "subgraph cluster_"), 6U);
  const test::Outcome printed = test::coracle_program({"graph", chain_});
  EXPECT_EQ(printed.out, dot);
}

TEST_F(GraphCommand, PagesLoadNothing) {
  const std::string html = drawn(chain_, "g.HTML");
  for (const char* part : {"<!DOCTYPE html>", "id=\"search\"", "id=\"fold\"", "wheel"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
  for (const char* part : {"src=", "href=", "@import", "url(http", "fetch("}) {
    EXPECT_EQ(html.find(part), std::string::npos) << part;
  }
  expect_balanced(html.substr(html.find("<svg"), html.find("</svg>") + 6 - html.find("<svg")));
}

TEST_F(GraphCommand, RegionsLieWithinTheirNode) {
  EXPECT_EQ(count(drawn(loop_, "g.txt"), " scope \"/a \\\"({/\""), 2U);
  const std::string dot = drawn(loop_, "g.dot");
  EXPECT_NE(dot.find("label=\"while, region 0\""), std::string::npos) << dot;
  EXPECT_EQ(count(dot, "{"), count(dot, "}"));
  const std::string svg = drawn(loop_, "g.svg");
  expect_balanced(svg);
  EXPECT_EQ(count(svg, "<g class=\"regions\""), 1U);
  EXPECT_GE(count(svg, "<g class=\"stack\">"), 2U);
}

TEST_F(GraphCommand, StagesKeepTheModelsOptions) {
  const test::ModelBytes picture = test::picture_model();
  folder_.write("linked/__model__", picture.program);
  std::filesystem::create_symlink(folder_.write("store/w", picture.params), folder_.path("linked/w"));
  const std::string model = folder_.path("linked");
  for (const char* stage : {"final", "loaded"}) {
    expect_failure({"graph", model, "--stage", stage}, 3, {"'allow_outside_links'"});
    EXPECT_NE(drawn(model, "links.dot", {"--stage", stage, "--allow-outside-links"}).find("conv2d"), std::string::npos);
  }
}

TEST_F(GraphCommand, StagesOfRewriting) {
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {2}, 0);
  main.variables.push_back(test::variable("y", test::kFloat32, {2}));
  main.variables.push_back(test::variable("unused", test::kFloat32, {2}));
  main.operators.push_back(OpWriter("tanh").in("X", {"x"}).out("Out", {"y"}));
  main.operators.push_back(OpWriter("sigmoid").in("X", {"x"}).out("Out", {"unused"}));
  test::add_fetch(main, "y", 0);
  const std::string model = test::write_model(folder_, {"dead", test::program_file({main}), "", {}});
  EXPECT_NE(drawn(model, "a.txt", {"--stage", "loaded"}).find("sigmoid"), std::string::npos);
  EXPECT_EQ(drawn(model, "b.txt").find("sigmoid"), std::string::npos);
  EXPECT_EQ(drawn(model, "c.dot", {"--stage", "dead_code"}).find("sigmoid"), std::string::npos);
  expect_failure({"graph", model, "--stage", "never"}, 2, {"--stage never", "final, loaded", "dead_code"});
  expect_failure({"graph", model, "-o", folder_.path("g.pdf")}, 2, {"g.pdf", ".svg, .html, .dot"});
  expect_failure({"graph", model, "-o", folder_.path("none/g.svg")}, 5, {"none/g.svg", "cannot write"});
}

/// As `explain` has it.
std::string node_name(const std::string& model, const std::string& op) {
  const test::Outcome outcome = test::coracle_program({"explain", model, "--shape", "x=7,4", "--json"});
  rapidjson::Document d;
  EXPECT_FALSE(d.Parse(outcome.out.c_str()).HasParseError()) << outcome.out << outcome.err;
  for (const auto& step : d.GetArray()) {
    if (step["op"].GetString() == op) return step["node"].GetString();
  }
  return "no such step";
}

TEST_F(GraphCommand, ShapesOfInputsThatAreGiven) {
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {-1, 4}, 0);
  for (const char* name : {"y", "z"}) main.variables.push_back(test::variable(name, test::kFloat32, {-1, 4}));
  main.operators.push_back(OpWriter("tanh").in("X", {"x"}).out("Out", {"y"}));
  main.operators.push_back(OpWriter("sigmoid").in("X", {"y"}).out("Out", {"z"}));
  test::add_fetch(main, "z", 0);
  const std::string model = test::write_model(folder_, {"free", test::program_file({main}), "", {}});
  const std::string free = drawn(model, "a.dot");
  EXPECT_EQ(count(free, "label=\"float32[?, ?]\""), 1U) << free;
  EXPECT_EQ(count(free, "label=\"float32[?, 4]\""), 2U)
      << "what the model declares of its inputs and outputs: " << free;
  for (const std::string& page : {drawn(model, "a.html"), drawn(model, "a.html", {"--shape", "x=7,4"})}) {
    const std::string name = node_name(model, "tanh");
    EXPECT_NE(page.find("tanh (" + name + ")"), std::string::npos) << "explain calls it " << name;
  }
  for (const char* stage : {"final", "loaded", "dead_code"}) {
    const std::string dot = drawn(model, "b.dot", {"--shape", "x=[7,4]", "--stage", stage});
    EXPECT_EQ(dot.find('?'), std::string::npos) << dot;
    EXPECT_EQ(count(dot, "float32[7, 4]"), 3U) << dot;
  }
  EXPECT_NE(drawn(model, "c.txt", {"--shape", "x=5,4"}).find("\"z\": float32[5, 4] = sigmoid"), std::string::npos);
  EXPECT_NE(drawn(model, "d.txt", {"--shape", "x=7,3"}).find("\"z\": float32[7, 3] = sigmoid"), std::string::npos);
}

TEST_F(GraphCommand, LargeGraphs) {
  const std::string model = test::write_model(folder_, chain(1000));
  const std::string html = drawn(model, "large.html");
  EXPECT_EQ(count(html, "<g class=\"node\""), 2000U);
  EXPECT_LT(html.size(), 4000000U);
}

}  // namespace
}  // namespace coracle::internal
