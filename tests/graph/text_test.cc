// SPDX-License-Identifier: Apache-2.0
#include "graph/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "graph/patch.h"
#include "graph/text_attributes.h"
#include "model/load.h"

namespace coracle::internal {
namespace {

std::string parse_error(std::string_view graph) {
  try {
    parse(graph);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidModel);
    return e.text();
  }
  return "no error";
}

/// The graph with one input %x: float32[2, 3] and the given lines.
std::string around(const std::string& lines) { return "graph (%x: float32[2, 3]) {\n" + lines + "\n}\n"; }

TEST(Text, PrintsWhatItParses) {
  const std::string graph = R"(graph (%x0 "image \"1\"\\x0a": float32[?, 3, ?, ?], %x1: int64[...]) {
  @c0 "w": float32[8, 3, 3, 3] = random(864)
  @c1: int32[1] = {1}
  %0 "conv": float32[?, 8, ?, ?] = conv2d(%x0, @c0) {strides = [2, 2]}
  [%1: float32[?, 4, ?, ?], %2: float32[?, 4, ?, ?]] = split_with_num(%0, @c1) {num = 2}
  %3: float32[?, 8, ?, ?] = concat([%2, %1], @c1)
  return %3 "out", %x1, %1 "first"
}
)";
  EXPECT_EQ(print(parse(graph)), graph);
}

TEST(Text, ScopesStandBehindTheirNodes) {
  const std::string graph = R"(graph (%x0: float32[2], %x1: bool[1]) {
  %0: float32[2] = relu(%x0) scope "/a \"b\"/c/"
  %1: float32[2] = exp(%0) lod none scope "/a/"
  %2: float32[2] = abs(%1)
  [%3: float32[2]] = if(%x1, [%2]) scope "/if/" graph (%x0: float32[2]) {
    %0: float32[2] = exp(%x0) scope "/in/"
    return %0
  } graph (%x0: float32[2]) {
    return %x0
  }
  return %3
}
)";
  EXPECT_EQ(print(parse(graph)), graph);
  const auto scope_of = [](const char* given) {
    const Graph g = parse(around(text("%0 = relu(%x) scope \"", given, "\" return %0")));
    return g.node(g.order()[0]).scope;
  };
  EXPECT_EQ(scope_of("/"), "") << "what Paddle writes where there is none";
  EXPECT_EQ(scope_of("/a/"), "/a/");
  EXPECT_EQ(scope_of("/\x01/"), "/\\x01/") << "printable";
  EXPECT_NE(
      parse_error(around("%0 = relu(%x) scope a return %0")).find("expected a name scope, like \"/encoder/\", found"),
      std::string::npos);
}

TEST(Text, NamesOfNodesAreComments) {
  const Graph graph = parse(R"(graph (%x0: bool[1], %x1: float32[2]) {
  %0: float32[2] = relu(%x1)
  [%1: float32[2]] = if(%x0, [%0]) graph (%x0: float32[2]) {
    %0: float32[2] = exp(%x0)
    return %0
  } graph (%x0: float32[2]) {
    return %x0
  }
  return %1
}
)");
  const std::string named = print(graph, NodeNames::kAsComments);
  EXPECT_NE(named.find("= relu(%x1)  # \"relu_0\"\n"), std::string::npos) << named;
  EXPECT_NE(named.find("}  # \"if_"), std::string::npos) << named;
  EXPECT_EQ(print(parse(named)), print(graph));
}

TEST(Text, RegionsNest) {
  const std::string graph = R"(graph (%x0: bool[1], %x1: float32[2]) {
  [%0: float32[2]] = if(%x0, [%x1, %x0]) graph (%x0: float32[2], %x1: bool[1]) {
    [%0: float32[2]] = if(%x1, [%x0]) graph (%x0: float32[2]) {
      %0: float32[2] = relu(%x0)
      return %0
    } graph (%x0: float32[2]) {
      return %x0
    }
    return %0
  } graph (%x0: float32[2], %x1: bool[1]) {
    return %x0
  }
  return %0
}
)";
  EXPECT_EQ(print(parse(graph)), graph);
}

TEST(Text, AbsentOperandsAndResultsStandAsUnderscores) {
  const std::string graph = R"(graph (%x0: float32[1, 4, 2, 2]) {
  @c0: float32[4] = {1, 2, 3, 4}
  %0: float32[1, 4, 2, 2], _, %1: float32[4] = batch_norm(%x0, @c0, @c0, _, @c0)
  return %0, %1
}
)";
  EXPECT_EQ(print(parse(graph)), graph);
}

TEST(Text, ConstantsKeepTheirElements) {
  const std::string graph = R"(graph () {
  @c0: float32[4] = {0.1, nan, -inf, -0}
  @c1: float64[2] = {0.1, inf}
  @c2: float16[2] = {0.5, -2}
  @c3: bool[2] = {1, 0}
  @c4: uint8[1] = {255}
  @c5: int64[2, 0] = {}
  @c6: int64[] = {-9223372036854775808}
  @c7: complex64[2] = random(16)
  @c8: float32[9] = random(36)
  @c9: int32[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}
  return @c0, @c1, @c2, @c3, @c4, @c5, @c6, @c7, @c8, @c9
}
)";
  const Graph parsed = parse(graph);
  EXPECT_EQ(print(parsed), graph);
  EXPECT_EQ(parsed.fact(parsed.outputs()[0]).value->data<float>()[0], 0.1F);
  EXPECT_EQ(parsed.fact(parsed.outputs()[1]).value->data<double>()[0], 0.1);
  EXPECT_TRUE(std::signbit(parsed.fact(parsed.outputs()[0]).value->data<float>()[3]));
}

TEST(Text, RandomElementsAreThoseOfTheirSeedWithinTheirBounds) {
  const Graph a = parse("graph () { @a: float32[99] = random(5, 2, 3) return @a }");
  const Graph b =
      parse("graph () { @a: float32[99] = random(5, 2, 3) @b: float32[99] = random(6, 2, 3) return @a, @b }");
  const auto elements = [](const Graph& g, size_t i) { return g.fact(g.outputs()[i]).value->doubles(); };
  EXPECT_EQ(elements(a, 0), elements(b, 0));
  EXPECT_NE(elements(b, 0), elements(b, 1));
  for (double v : elements(a, 0)) EXPECT_TRUE(v >= 2 && v <= 3) << v;
  const Graph whole = parse("graph () { @a: int32[99] = random(5, -2, 2) return @a }");
  for (double v : elements(whole, 0)) EXPECT_TRUE(v >= -2 && v < 2) << v;
}

TEST(Text, CommentsAnyNamesAndMissingTypesAreUnderstood) {
  EXPECT_EQ(print(parse("# a comment\ngraph(%in:float32[2]){%out=relu(%in)# here too\nreturn %out\"y\"}")),
            "graph (%x0: float32[2]) {\n  %0: float32[2] = relu(%x0)\n  return %0 \"y\"\n}\n");
}

// ---- attributes

/// Sets every field of an operator to something else, so that each is printed. `Round` chooses among odd values.
class Changer : public AttributeVisitor {
 public:
  explicit Changer(int round) : round_(round) {}

 protected:
  void visit(std::string_view name, std::string_view, AttributeRef field) override {
    if (name.starts_with("epilogue")) return;  // these two go together
    std::visit([this](auto* p) { change(*p); }, field);
  }

 private:
  void change(bool& v) const { v = round_ % 2 == 0 ? !v : v; }
  void change(int& v) const { v = round_ % 2 == 0 ? std::numeric_limits<int>::min() : std::numeric_limits<int>::max(); }
  void change(int64_t& v) const { v = round_ % 2 == 0 ? -7 : 2147483647; }
  void change(double& v) const {
    constexpr double kValues[] = {std::numeric_limits<double>::infinity(), -0.0, 1.0 / 1024, -3e-30};
    v = kValues[round_ % 4];
  }
  void change(std::string& v) const { v = round_ % 2 == 0 ? "a \"b\"\\\n\x01 c" : "中"; }
  void change(Ints& v) const { v = round_ % 2 == 0 ? Ints{} : Ints{1, -2, INT64_MIN, INT64_MAX}; }
  void change(Floats& v) const { v = round_ % 2 == 0 ? Floats{0.5, -INFINITY} : Floats{}; }
  void change(Strings& v) const { v = round_ % 2 == 0 ? Strings{"", ", ]"} : Strings{}; }
  void change(DType& v) const { v = static_cast<DType>(round_ % 12); }
  void change(std::optional<DType>& v) const {
    if (round_ % 3 == 0) v = std::nullopt;
    if (round_ % 3 != 0) v = static_cast<DType>(round_ % 12);
  }
  void change(EnumRef& v) const { v.value = round_ % static_cast<int>(v.names.size()); }

  int round_;
};

TEST(Text, IntegersThatAFieldCannotHoldAreRefused) {
  try {
    parse("graph (%x: float32[2, 2]) { %0 = diagonal(%x) {offset = 4294967296} return %0 }");
    ADD_FAILURE() << "the number was cut";
  } catch (const Error& e) {
    for (const char* part : {"diagonal", "'offset' is 4294967296", "an integer of 32 bits"}) {
      EXPECT_NE(e.text().find(part), std::string::npos) << e.text();
    }
  }
}

TEST(Text, AttributesOfEveryOperatorReturn) {
  for (const OpSchema* schema : all_ops()) {
    if (schema->infer == nullptr) continue;
    EXPECT_EQ(print_attributes(Op(schema)), "") << schema->name;
    for (int round = 0; round < 12; ++round) {
      const std::shared_ptr<void> attributes = schema->make(nullptr);
      Changer changer(round);
      schema->visit(attributes.get(), changer);
      const Op op(schema, attributes);
      const std::string printed = print_attributes(op);
      TextLexer lexer(printed);
      const Op again = parse_attributes(lexer, *schema);
      EXPECT_EQ(lexer.next().kind, Token::Kind::kEnd) << schema->name << printed;
      EXPECT_TRUE(op == again) << schema->name << printed << " came back as" << print_attributes(again);
    }
  }
}

TEST(Text, NotANumberIsAnAttributeToo) {
  const std::string graph = R"(graph (%x0: float32[2]) {
  %0: float32[2] = scale(%x0) {bias = nan}
  return %0
}
)";
  EXPECT_EQ(print(parse(graph)), graph);
}

TEST(Text, EpiloguesReturn) {
  const std::string graph = R"(graph (%x0: float32[5, 9]) {
  @c0: float32[9, 2] = random(72)
  @c1: float32[2] = {1, 2}
  %0: float32[5, 2] = linear(%x0, @c0, [@c1]) {epilogue = ["add_channel", "clip"], epilogue_numbers = [0, 0, 0, 0, 6, 0]}
  return %0
}
)";
  EXPECT_EQ(print(parse(graph)), graph);
}

// ---- errors

struct BadText {
  std::string text;
  std::string place;
  std::string message;
};

class TextErrors : public ::testing::TestWithParam<BadText> {};

TEST_P(TextErrors, NamePlaceExpectedAndFound) {
  const std::string error = parse_error(GetParam().text);
  EXPECT_EQ(error.rfind(GetParam().place, 0), 0U) << error;
  EXPECT_NE(error.find(GetParam().message), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(
    All, TextErrors,
    ::testing::Values(
        BadText{"", "line 1, column 1", "expected 'graph', found the end of the text"},
        BadText{"grap", "line 1, column 1", "expected 'graph', found 'grap'"},
        BadText{around("return %x"), "no error", ""},  // the frame itself is right
        BadText{around("return %x") + "x", "line 4, column 1", "expected the end of the text, found 'x'"},
        BadText{around("%y = relu(%x]\nreturn %y"), "line 2, column 13", "expected ',', found ']'"},
        BadText{around("%y = relu(%z)\nreturn %y"), "line 2, column 11", "%z is used before it is defined"},
        BadText{around("%x = relu(%x)\nreturn %x"), "line 2, column 1", "%x is defined a second time"},
        BadText{around("%y = rely(%x)\nreturn %y"), "line 2, column 6", "there is no operator 'rely'"},
        BadText{around("%y = relu(%x) {up = 1}\nreturn %y"), "line 2, column 16",
                "relu has no attribute 'up', expected one"},
        BadText{around("%y = scale(%x) {bias = \"a\"}\nreturn %y"), "line 2, column 24", "expected a real number"},
        BadText{around("%y = scale(%x) {bias = [1]}\nreturn %y"), "line 2, column 24",
                "a list, expected a real number"},
        BadText{around("%y = scale(%x) {bias = 1e999}\nreturn %y"), "line 2, column 24", "expected a real number"},
        BadText{around("%y = scale(%x) {bias_after_scale = 1}\nreturn %y"), "line 2, column 36",
                "expected true or false"},
        BadText{around("%y = dropout(%x) {mode = half}\nreturn %y"), "line 2, column 26",
                "is half, expected one of downgrade_in_infer, upscale_in_train"},
        BadText{around("%y = cast(%x) {dtype = float7}\nreturn %y"), "line 2, column 24", "expected an element type"},
        BadText{around("%y: float32[2, 4] = relu(%x)\nreturn %y"), "line 2, column 5",
                "%y is float32[2, 3], and the text says float32[2, 4]"},
        BadText{around("%a, %b = relu(%x)\nreturn %a"), "line 2, column 10", "relu has 1 result ports, found 2"},
        BadText{around("%a = relu(%x, %x)\nreturn %a"), "operator relu", "takes 1 operand, given 2"},
        BadText{around("%a = relu()\nreturn %a"), "operator relu", "operand 'x' needs one value"},
        BadText{around("%a = relu(%x) graph () { return }\nreturn %a"), "line 2, column 6", "has 0 regions, found 1"},
        BadText{around("@w: float32[?] = random(1)\nreturn @w"), "line 2, column 5", "all dimensions known"},
        BadText{around("@w: float33[1] = random(1)\nreturn @w"), "line 2, column 5", "expected an element type"},
        BadText{around("@w: float32[1, -2] = random(1)\nreturn @w"), "line 2, column 16", "a dimension of at least 0"},
        BadText{around("@w: float32[99999999999999] = random(1)\nreturn @w"), "line 2, column 5", "take more than"},
        BadText{around("@w: float32[4294967296, 4294967296] = random(1)\nreturn @w"), "line 2, column 5", "take more"},
        BadText{around("@w: float32[1, 1, 1, 1, 1, 1, 1, 1, 1, 1] = random(1)\nreturn @w"), "line 2, column 40",
                "at most 9 dimensions"},
        BadText{around("@w: float32[2] = {1}\nreturn @w"), "line 2, column 18", "expected 2 elements, found 1"},
        BadText{around("@w: float32[2] = {1, 2, 3}\nreturn @w"), "line 2, column 18",
                "expected 2 elements, found more"},
        BadText{around("@w: int8[1] = {128}\nreturn @w"), "line 2, column 16",
                "expected an element of int8, found 128"},
        BadText{around("@w: int8[1] = {1.5}\nreturn @w"), "line 2, column 16", "expected an integer"},
        BadText{around("@w: complex64[1] = {1}\nreturn @w"), "line 2, column 21", "random(seed) for complex"},
        BadText{around("@w: float32[1] = random(1, 2)\nreturn @w"), "line 2, column 29", "expected ',', found ')'"},
        BadText{around("@w: int32[1] = random(1, 0, 1e300)\nreturn @w"), "line 2, column 29", "between -1e9 and 1e9"},
        BadText{around("@w \"a: float32[1] = {1}\nreturn @w"), "line 2, column 4", "'\"' at the end of a string"},
        BadText{"graph (%x: float32[2]:nchw) { return }", "line 1, column 23", "expected 'nhwc' or 'array'"},
        BadText{"graph (%x: float32[2] { return }", "line 1, column 23", "expected ',', found '{'"}));

TEST(Text, NestingIsBounded) {
  std::string deep = "graph (%c: bool[1]) { return }";
  for (int i = 0; i < 40; ++i) {
    deep = "graph (%c: bool[1]) { if(%c, [%c]) " + deep + " graph (%c: bool[1]) { return } return }";
  }
  EXPECT_NE(parse_error(deep).find("nested deeper"), std::string::npos);
  std::string deeper;
  for (int i = 0; i < 100000; ++i) deeper += "graph(){if() ";
  EXPECT_NE(parse_error(deeper), "no error");
  EXPECT_NE(parse_error(std::string(1 << 20, '[')), "no error");
  EXPECT_NE(parse_error(around("%y = scale(%x) {bias = " + std::string(1 << 20, '['))), "no error");
}

/// Damage ends in an error or in a graph, whatever the damage.
TEST(Text, DamagedTextsNeverCrash) {
  const std::string graph = R"(graph (%x0 "image": float32[?, 3, 8, 8], %x1: bool[1]) {
  @c0 "w": float32[8, 3, 3, 3] = random(864)
  @c1: int32[1] = {1}
  %0 "conv": float32[?, 8, ?, ?] = conv2d(%x0, @c0) {strides = [2, 2], padding_algorithm = SAME}
  [%1, %2: float32[?, 4, ?, ?]] = split_with_num(%0, @c1) {num = 2}
  [%3] = if(%x1, [%2, %1]) graph (%x0: float32[...], %x1: float32[...]) {
    %0 = add(%x0, %x1)
    return %0
  } graph (%x0: float32[...], %x1: float32[...]) {
    %0 = dropout(%x0) {mode = upscale_in_train}
    return %0
  }
  return %3 "out", %1 "first"
}
)";
  EXPECT_NO_THROW(parse(graph));
  uint64_t state = 1;
  const auto random = [&](uint64_t n) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33U) % n;
  };
  constexpr std::string_view kBytes = "(){}[],:=?%@\"\\#.-0123456789eabfgx \n\x01\xff_";
  int graphs = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = graph;
    if (round < static_cast<int>(graph.size())) {
      damaged.resize(static_cast<size_t>(round));
    } else {
      for (uint64_t n = 1 + random(3); n-- > 0;) damaged[random(damaged.size())] = kBytes[random(kBytes.size())];
    }
    try {
      parse(damaged);
      ++graphs;
    } catch (const Error& e) {
      EXPECT_FALSE(e.text().empty());
    }
  }
  EXPECT_GT(graphs, 0);
}

// ---- real programs

std::vector<std::string> programs() {
  std::vector<std::string> found;
  const std::filesystem::path root = std::string(CORACLE_SHARED) + "/models";
  std::error_code missing;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root, missing)) {
    const std::filesystem::path& p = entry.path();
    if (p.extension() == ".pdmodel" || p.filename() == "__model__" || p.extension() == ".json") found.push_back(p);
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(Text, ImportedGraphsReturn) {
  if (programs().empty()) GTEST_SKIP() << "the reference folder ../shared is absent";
  int graphs = 0;
  for (const std::string& program : programs()) {
    SCOPED_TRACE(program);
    LoadedModel model;
    try {
      model = load_model(ModelSource::on_disk(program, {}));
    } catch (const Error&) {
      continue;  // without parameters, or no model at all
    }
    const std::string printed = print(model.graph);
    const Graph parsed = parse(printed);
    EXPECT_EQ(print(parsed), printed);
    verify(parsed, true);
    ++graphs;
  }
  EXPECT_GT(graphs, 5);
}

}  // namespace
}  // namespace coracle::internal
