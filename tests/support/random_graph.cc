// SPDX-License-Identifier: Apache-2.0
#include "support/random_graph.h"

#include <random>

#include "ops/activation/abs.h"
#include "ops/activation/relu.h"
#include "ops/activation/sigmoid.h"
#include "ops/activation/softmax.h"
#include "ops/activation/tanh.h"
#include "ops/conv_pool/conv2d.h"
#include "ops/elementwise/add.h"
#include "ops/elementwise/maximum.h"
#include "ops/elementwise/multiply.h"
#include "ops/index/masked_select.h"
#include "ops/index/nonzero.h"
#include "ops/logic/greater_than.h"
#include "ops/movement/concat.h"
#include "ops/movement/split_with_num.h"
#include "ops/movement/transpose.h"
#include "ops/shape/flatten.h"
#include "ops/shape/reshape.h"
#include "ops/shape/shape.h"

namespace coracle::internal::test {

Tensor random_tensor(const Shape& shape, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Tensor t = Tensor::make(DType::kFloat32, shape);
  for (int64_t i = 0; i < t.count(); ++i) t.data<float>()[i] = uniform(engine);
  return t;
}

namespace {

/// Grows a graph of images with kChannels channels.
class Grower {
 public:
  explicit Grower(unsigned seed) : engine_(seed) {}

  Graph grow(int nodes, int counted) {
    const Fact image(DType::kFloat32, {Shape::kUnknown, kChannels, Shape::kUnknown, Shape::kUnknown});
    images_.push_back(graph_.add_input("x", image));
    for (int i = 0; i < counted; ++i) {
      for (const auto until = graph_.order().size() + static_cast<size_t>(nodes / (counted + 1));
           graph_.order().size() < until;)
        step();
      count(i);
    }
    while (static_cast<int>(graph_.order().size()) < nodes) step();
    graph_.add_output(images_.back(), "last");
    for (int i = 0; i < 2; ++i) graph_.add_output(any(), text("some", i));
    return std::move(graph_);
  }

 private:
  static constexpr int64_t kChannels = 4;

  int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
  /// An image, more often a late one.
  ValueId any() {
    const int n = static_cast<int>(images_.size());
    return images_[static_cast<size_t>(below(3) == 0 ? below(n) : n - 1 - below(std::min(n, 3)))];
  }
  ValueId floats(const Shape& shape) { return graph_.add_constant(random_tensor(shape, engine_())); }
  ValueId ints(const std::vector<int64_t>& values) { return graph_.add_constant(Tensor::ints(values)); }
  ValueId axis(int32_t a) { return graph_.add_constant(Tensor::of<int32_t>(Shape{1}, {&a, 1})); }
  void keep(ValueId image) { images_.push_back(image); }

  ValueId unary(ValueId x) {
    switch (below(4)) {
      case 0: return graph_.add(Relu{}, {{x}});
      case 1: return graph_.add(Sigmoid{}, {{x}});
      case 2: return graph_.add(Tanh{}, {{x}});
      default: return graph_.add(Abs{}, {{x}});
    }
  }

  ValueId binary(ValueId x, ValueId y) {
    switch (below(3)) {
      case 0: return graph_.add(Add{}, {{x}, {y}});
      case 1: return graph_.add(Multiply{}, {{x}, {y}});
      default: return graph_.add(Maximum{}, {{x}, {y}});
    }
  }

  ValueId convolution(ValueId x, int64_t channels_in) {
    const int kind = below(3);
    Conv2d conv;
    if (kind > 0) conv.paddings = {1, 1};
    if (kind == 2) conv.groups = static_cast<int>(channels_in);
    const int64_t out = kind == 2 ? channels_in : kChannels;
    return graph_.add(conv, {{x}, {floats({out, kind == 2 ? 1 : channels_in, kind > 0 ? 3 : 1, kind > 0 ? 3 : 1})}});
  }

  /// The elements of an image that another one chooses, and where others are.
  void count(int i) {
    const ValueId zero = graph_.add_constant(Tensor::scalar(below(3) - 1.0F));
    const ValueId mask = graph_.add(GreaterThan{}, {{any()}, {zero}});
    // All images are of one size, which the mask has.
    const ValueId chosen = unary(graph_.add(MaskedSelect{}, {{any()}, {mask}}));
    graph_.add_output(below(2) == 0 ? chosen : binary(chosen, chosen), text("chosen", i));
    graph_.add_output(graph_.add(Nonzero{}, {{binary(any(), any())}}), text("where", i));
  }

  void step() {
    switch (below(9)) {
      case 0:
      case 1: keep(convolution(any(), kChannels)); break;
      case 2: keep(unary(any())); break;
      case 3: keep(binary(any(), any())); break;
      case 4: keep(binary(any(), floats({1, kChannels, 1, 1}))); break;
      case 5: {  // a concat and back by a convolution of half the channels
        const ValueId both = graph_.add(Concat{}, {{any(), any()}, {axis(1)}});
        Conv2d conv;
        keep(graph_.add(conv, {{both}, {floats({kChannels, 2 * kChannels, 1, 1})}}));
        break;
      }
      case 6: {  // two halves, swapped
        SplitWithNum split;
        split.num = 2;
        const NodeId halves = graph_.add_node(split, {{any()}, {axis(1)}}, {2});
        const std::vector<ValueId> parts = graph_.node(halves).outputs;
        keep(graph_.add(Concat{}, {{parts[1], unary(parts[0])}, {axis(1)}}));
        break;
      }
      case 7: {  // views: flattened and back by the shape computed in the graph
        const ValueId x = any();
        Flatten flatten;
        flatten.start_axis = 1;
        flatten.stop_axis = -1;
        const ValueId flat = graph_.add(flatten, {{x}});
        const ValueId changed = below(2) == 0 ? flat : unary(flat);
        keep(graph_.add(Reshape{}, {{changed}, {graph_.add(ShapeOp{}, {{x}})}}));
        break;
      }
      default: {  // channels last for a softmax, and back
        Transpose there;
        there.perm = {0, 2, 3, 1};
        Transpose back;
        back.perm = {0, 3, 1, 2};
        keep(graph_.add(back, {{graph_.add(Softmax{}, {{graph_.add(there, {{any()}})}})}}));
      }
    }
  }

  std::mt19937 engine_;
  Graph graph_;
  std::vector<ValueId> images_;
};

}  // namespace

Graph random_graph(unsigned seed, int nodes, int counted) { return Grower(seed).grow(nodes, counted); }

}  // namespace coracle::internal::test
