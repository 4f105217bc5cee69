// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/openvino/convert.h"
#include "engines/openvino/ir.h"
#include "ops/common/data_format.h"
#include "ops/common/epilogue.h"
#include "plan/engine.h"

namespace coracle::internal::openvino {

/// An input whose elements are indices that OpenVINO does not check.
struct IndexCheck {
  size_t input;  ///< among the graph's
  const char* operand;
  int64_t least;
  int64_t most;
};

/// Where a result of a graph comes from.
struct ResultSource {
  std::string name;  ///< of the program's result; empty: one of the others
  int input = -1;    ///< the graph's input that it is
  Tensor elements;   ///< those it always has
};

/// What a program leaves open that is written for many sizes.
struct Openness {
  std::vector<VaryingDim> dims;   ///< of inputs
  std::vector<uint32_t> targets;  ///< of each Reshape, in the order of layers: a bit for each size that varies
};

/// Where quantised operators are written so that OpenVINO computes them with int8.
enum class Integers : uint8_t {
  kNone,      ///< nowhere
  kIn16Bits,  ///< where sums of two products fit 16 bits, as processors without instructions for int8 add them
  kAll,       ///< wherever OpenVINO has int8
};

/// A graph as a program for OpenVINO: inputs have the names "v<value>", results "o<position>".
struct Network {
  Ir ir;
  Openness open;
  Integers integers = Integers::kNone;
  const RunContext* context = &kNoRun;      ///< of whoever makes it, while it is made
  std::vector<Shape> targets;               ///< of each Reshape
  std::vector<std::optional<Shape>> known;  ///< the sizes of first results, by layer, as far as they were looked at
  std::vector<std::string> inputs;          ///< names; empty for those that the program does not read
  std::vector<ResultSource> results;
  std::vector<IndexCheck> checks;
};

/// Throws Error that names the operator where one cannot be converted.
Network make_network(const Graph& graph, std::span<const Fact> facts, Integers integers, Openness open = {},
                     const RunContext& context = kNoRun);

/// What is left open in a program for all of `examples`, which differ in `dims` of inputs. Throws Error where the
/// programs for them would differ in anything else.
Openness find_openness(const Graph& graph, std::span<const std::vector<Fact>> examples,
                       std::span<const VaryingDim> dims, Integers integers, const RunContext& context);

/// True if both are the same program, with the same inputs, results and checks.
bool same_program(const Network& a, const Network& b);

/// Why a node whose facts are known in full is not converted, found by trying; empty if it is.
std::string trial_refusal(const Graph& graph, const Node& node, const NodeFacts& facts, const Converter& converter);

/// Writes layers for one node; what a converter works with.
class Emitter {
 public:
  /// `wires` by value; `trial`: what it writes is thrown away.
  Emitter(const Graph& graph, const Node& node, const NodeFacts& facts, std::vector<Wire>& wires, Network& network,
          bool trial = false)
      : graph_(graph), node_(node), facts_(facts), wires_(wires), network_(network), trial_(trial) {}

  template <class T>
  const T& as() const {
    return *node_.op.as<T>();
  }
  const NodeFacts& facts() const { return facts_; }
  const OpSchema& schema() const { return node_.op.schema(); }
  const void* attributes() const { return node_.op.attributes(); }

  bool has(int port) const { return facts_.has(port); }
  int count(int port) const { return facts_.count(port); }
  const Shape& shape(int port, int i = 0) const { return facts_.shape(port, i); }
  const Shape& out_shape(int port = 0, int i = 0) const { return facts_.out(port, i).shape; }
  DType out_dtype(int port = 0) const { return facts_.out(port).dtype; }
  /// Whether OpenVINO may compute quantised operators with integers of its own.
  bool integers() const { return network_.integers != Integers::kNone; }
  bool wants(int port) const { return facts_.out_count(port) > 0; }
  /// The elements of an operand; throws where they are not known.
  const Tensor& elements(int port, int i = 0) const;
  Ints ints(int port, const Ints& missing = {}) const;
  double number(int port, double missing) const;

  /// An operand, of the type `as` where one is given.
  Wire in(int port, int i = 0);
  Wire in_as(int port, DType as, int i = 0);
  /// A result. It is brought to the result's shape by `reshape` where the layers may have left another.
  void set(Wire wire, int port = 0, int i = 0);
  void set_reshaped(Wire wire, int port = 0, int i = 0) { set(reshape(wire, out_shape(port, i)), port, i); }

  Wire layer(std::string_view type, std::string_view opset, std::initializer_list<Wire> inputs, Attributes attributes,
             DType result);
  Wire layer(std::string_view type, std::string_view opset, std::span<const Wire> inputs, Attributes attributes,
             std::span<const DType> results);
  /// Of opset1, with the type of its first operand.
  Wire plain(std::string_view type, std::initializer_list<Wire> inputs, Attributes attributes = {});
  Wire constant(const Tensor& tensor, const Shape& shape) { return network_.ir.constant(tensor, shape); }
  Wire constant(const Tensor& tensor) { return network_.ir.constant(tensor, tensor.shape()); }
  Wire ints_of(const Ints& numbers) { return constant(Tensor::ints(numbers)); }
  Wire scalar(double number);
  /// A number of the type that `like` has.
  Wire scalar_like(double number, Wire like);
  Wire floats(const std::vector<float>& numbers, const Shape& shape);
  /// The operand, constant weights whose output channels lie along `axis`, seen in `shape`: int8 with a step for each
  /// channel where they are integers of such steps and OpenVINO is to compute with these.
  Wire weights(int port, int axis, const Shape& shape);

  Wire add(Wire x, Wire y) { return plain("Add", {x, y}); }
  Wire multiply(Wire x, Wire y) { return plain("Multiply", {x, y}); }
  Wire subtract(Wire x, Wire y) { return plain("Subtract", {x, y}); }
  Wire reshape(Wire x, const Shape& shape);
  Wire transpose(Wire x, const Ints& permutation);
  Wire convert(Wire x, DType dtype);
  Wire reduce(std::string_view type, std::string_view opset, Wire x, const Ints& axes);
  /// x seen in `dims`, its dimensions in another order, and seen in `to`.
  Wire rearrange(Wire x, const Shape& dims, const Ints& permutation, const Shape& to);
  /// The channels brought to dimension 1, and back.
  Wire channels_first(Wire x, DataFormat format, int rank);
  Wire from_channels_first(Wire x, DataFormat format, int rank);

  /// y = f(x) for float32.
  Wire unary(Wire x, const UnaryStep& step);
  /// The steps of an epilogue, whose tensors stand at `port`.
  Wire epilogue(Wire x, const Epilogue& steps, int port, DataFormat format, int rank);
  /// x * factor + shift for each of the channels at dimension 1.
  Wire affine(Wire x, const std::vector<float>& factor, const std::vector<float>& shift, int rank);

  /// The operand's elements will be from `least` to `most`: checks those that are known, and an input's in each run.
  /// Throws for any other.
  void require_indices(int port, const char* name, int64_t least, int64_t most);

 private:
  /// Notes the sizes of a layer's first result, for `sizes_of`.
  void note_sizes(Wire x, const Shape& shape);
  const Shape* sizes_of(Wire x) const;

  const Graph& graph_;
  const Node& node_;
  const NodeFacts& facts_;
  std::vector<Wire>& wires_;
  Network& network_;
  bool trial_;
};

/// Throws Error: what OpenVINO has no layers for.
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  fail(ErrorCode::kUnsupported, parts...);
}

}  // namespace coracle::internal::openvino
