// SPDX-License-Identifier: Apache-2.0
// The engine xnnpack and operators with any attributes and operands: what it takes it answers as the reference does,
// and nothing ends the process.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "graph/text.h"
#include "run_block.h"
#include "support/hostile_operator.h"
#include "support/sanitized.h"
#include "xnnpack_support.h"

namespace coracle::internal::test {
namespace {

/// Of each operator, and how many of these at most are to be run.
constexpr int kMostDraws = test::as_time_allows(6000);
constexpr int kWanted = test::as_time_allows(60);

/// What a node may cost.
constexpr int64_t kMostElements = 20000;

/// Numbers that are not out of the ordinary: sums of greater ones cancel each other, smaller ones count as zero.
constexpr double kLargest = 1e3;
constexpr double kSmallest = 1e-30;

bool is_ordinary(const Tensor& t) {
  if (t.is_array() || t.dtype() != DType::kFloat32) return !t.is_array() && !is_complex(t.dtype());
  const std::span<const float> values = t.values<float>();
  return std::all_of(values.begin(), values.end(),
                     [](float v) { return v == 0 || (std::abs(v) <= kLargest && std::abs(v) >= kSmallest); });
}

/// A node as a block.
struct Block {
  Graph graph;
  std::vector<Tensor> inputs;
  bool ordinary = true;
};

Block block_of(const HostileNode& node, bool all_constant) {
  Block b;
  PortValues ports;
  size_t flat = 0;
  for (int count : node.in_counts) {
    ports.emplace_back();
    for (int i = 0; i < count; ++i, ++flat) {
      const Tensor& t = node.operands[flat];
      require(!t.is_array() && t.count() <= kMostElements, ErrorCode::kUnsupported, "nothing for this test");
      b.ordinary = b.ordinary && is_ordinary(t);
      // A block has an operand that is not constant, which is the first.
      if (flat > 0 && (all_constant || node.constant[flat])) {
        ports.back().push_back(b.graph.add_constant(t));
      } else {
        ports.back().push_back(b.graph.add_input(text("x", flat), Fact(t.dtype(), t.shape())));
        b.inputs.push_back(t);
      }
    }
  }
  for (ValueId v : add_hostile_node(b.graph, node, ports)) b.graph.add_output(v, "y");
  return b;
}

class XnnpackHostileTest : public WithXnnpack {
 protected:
  bool has(const OpSchema& schema) const {
    const Graph nothing;
    Node node;
    node.op = Op(&schema);
    return !engine_->refusal(nothing, node).starts_with("it has nothing for ");
  }

  /// True if the engine has run the node.
  bool runs(const Block& b) {
    const Node& node = b.graph.node(b.graph.order().back());
    for (ValueId v : node.outputs) {
      const Fact& f = b.graph.fact(v);
      if (!f.known() || f.is_array || f.shape.count() > kMostElements) return false;
    }
    if (b.graph.order().size() != 1 || !engine_->refusal(b.graph, node).empty()) return false;
    std::vector<Tensor> got;
    try {
      const auto run = compile_block(*engine_, b.graph, b.inputs, 1)->make_run();
      got = run_block(*run, b.graph, b.inputs);
    } catch (const Error&) {
      return false;
    }
    if (!b.ordinary) return true;
    const std::vector<Tensor> want = evaluate_graph(b.graph, b.inputs);
    double largest = 1;
    for (const Tensor& t : want) {
      if (t.dtype() != DType::kFloat32) continue;
      for (float v : t.values<float>()) largest = std::max(largest, std::isfinite(v) ? std::abs(double{v}) : 0.0);
    }
    for (size_t k = 0; k < want.size(); ++k) {
      const double allowed = want[k].dtype() == DType::kInt8 ? 1 : 1e-4 * largest;
      for (int64_t i = 0; i < want[k].count(); ++i) {
        const double w = want[k].number(i);
        const double g = got[k].number(i);
        if (!std::isfinite(w) || std::abs(g - w) <= allowed) continue;
        ADD_FAILURE() << "output " << k << ", element " << i << ": " << g << ", expected " << w;
        return true;
      }
    }
    return true;
  }
};

TEST_F(XnnpackHostileTest, AnyAttributesAndOperands) {
  int taken = 0;
  for (const OpSchema* schema : all_ops()) {
    if (!has(*schema)) continue;
    std::mt19937_64 numbers(7);
    int of_operator = 0;
    for (int i = 0; i < kMostDraws && of_operator < kWanted; ++i) {
      SCOPED_TRACE(text(schema->name, ", draw ", i));
      const bool tame = i % 2 == 0;
      try {
        const HostileNode node = draw_hostile_node(
            *schema, [&] { return numbers(); }, tame);
        if (node.schema->infer == nullptr || node.as_file) continue;
        if (runs(block_of(node, i % 3 != 0))) ++of_operator;
      } catch (const Error&) {
        continue;  // Coracle does not take it
      }
    }
    taken += of_operator;
    RecordProperty(schema->name, of_operator);
  }
  RecordProperty("taken", taken);
  EXPECT_GE(taken, test::as_time_allows(1000));
}

/// Windows over images as models might have them.
class Windows {
 public:
  explicit Windows(unsigned seed) : numbers_(seed) {}

  std::string graph() {
    const int kind = between(0, 4);
    const int groups = between(0, 2) == 0 ? between(2, 5) : 1;
    const int channels = kind < 2 ? groups * between(1, 3) : between(1, 9);
    const std::string x = text("graph (%x: float32[", between(1, 2), ", ", channels, ", ", between(1, 14), ", ",
                               between(1, 14), "]) {\n");
    const int height = between(1, 4);
    const int width = between(1, 4);
    const std::string window = text("strides = [", between(1, 3), ", ", between(1, 3), "]", paddings());
    const std::string dilated =
        text(window, ", dilations = [", between(1, 2), ", ", between(1, 2), "], groups = ", groups, "}\n return %y\n}");
    const std::string sizes = text(height, ", ", width, "] = random(1)\n");
    switch (kind) {
      case 0:
        return text(x, "@w: float32[", groups * between(1, 3), ", ", channels / groups, ", ", sizes,
                    "%y = conv2d(%x, @w) {", dilated);
      case 1:
        return text(x, "@w: float32[", channels, ", ", between(1, 3), ", ", sizes, "%y = conv2d_transpose(%x, @w, _) {",
                    dilated);
      case 2:
      case 3: {
        const bool adaptive = between(0, 5) == 0;
        return text(x, "@k: int64[2] = {", height, ", ", width, "}\n%y = pool2d(%x, @k) {", window,
                    ", pooling_type = ", kind == 2 ? "max" : "avg", ", ceil_mode = ", flag(), ", exclusive = ", flag(),
                    ", adaptive = ", adaptive, "}\n return %y\n}");
      }
      default: {
        const bool linear = between(0, 1) == 0;
        const int out_height = between(1, 30);
        return text(x, "@s: int32[2] = {", out_height, ", ", between(1, 30),
                    "}\n%y = ", linear ? "bilinear_interp" : "nearest_interp",
                    "(%x, @s, [], _) {align_corners = ", linear ? flag() : "false", ", align_mode = ", between(0, 1),
                    "}\n return %y\n}");
      }
    }
  }

 private:
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(numbers_); }
  const char* flag() { return between(0, 1) == 0 ? "true" : "false"; }
  std::string paddings() {
    switch (between(0, 4)) {
      case 0: return ", padding_algorithm = SAME";
      case 1: return ", padding_algorithm = VALID";
      case 2: return text(", paddings = [", between(0, 2), ", ", between(0, 2), "]");
      case 3: return text(", paddings = [", between(0, 2), "]");
      default:
        return text(", paddings = [", between(0, 2), ", ", between(0, 2), ", ", between(0, 2), ", ", between(0, 2),
                    "]");
    }
  }

  std::mt19937 numbers_;
};

TEST_F(XnnpackHostileTest, WindowsOverImages) {
  int taken = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    const std::string graph = Windows(seed).graph();
    SCOPED_TRACE(text("seed ", seed, ": ", graph));
    Block b;
    try {
      b.graph = parse(graph);
    } catch (const Error&) {
      continue;  // the windows do not fit
    }
    b.inputs = random_inputs(b.graph, seed);
    if (runs(b)) ++taken;
  }
  RecordProperty("taken", taken);
  EXPECT_GE(taken, 600);
}

}  // namespace
}  // namespace coracle::internal::test
