// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/tensor.h"

/// OpenVINO's intermediate representation (IR, version 11): a program as text, its constants beside it.
namespace coracle::internal::openvino {

/// Result `port` of a layer.
struct Wire {
  int layer = -1;
  int port = 0;
  bool known() const { return layer >= 0; }
};

/// An attribute of a layer; lists stand as "1, 2, 3".
using Attribute = std::pair<std::string_view, std::string>;
using Attributes = std::initializer_list<Attribute>;

std::string list_text(std::span<const int64_t> numbers);

/// Whether a program can have values of a type.
bool has_type(DType dtype);

/// Writes a program layer by layer.
class Ir {
 public:
  /// `shape` as OpenVINO writes it: "1, 3, ?, 32..320".
  Wire parameter(std::string name, DType dtype, const std::string& shape);
  /// `tensor` seen in a shape of as many elements.
  Wire constant(const Tensor& tensor, const Shape& shape);
  /// A layer with results of these types; gives the first of them.
  Wire layer(std::string_view type, std::string_view opset, std::span<const Wire> inputs, Attributes attributes,
             std::span<const DType> results);
  /// The program's next result, found by `name`.
  void result(Wire wire, std::string name);

  DType dtype(Wire wire) const { return at(wire).dtype; }
  /// True where somebody has named it: a parameter or a result.
  bool named(Wire wire) const { return !at(wire).name.empty(); }
  bool is_constant(Wire wire) const { return layers_[static_cast<size_t>(wire.layer)].constant >= 0; }
  /// What stands before the names of the layers that follow, for messages.
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }

  /// True if both are one program: the same text, and constants with the same elements.
  bool same_as(const Ir& other) const;

  /// The first layer in which programs differ, for people.
  std::string difference(const Ir& other) const;

  std::string text() const;
  /// The constants in the order and places that the text names, as bytes (int8); at least one.
  Tensor weights(const RunContext& context) const;

 private:
  struct Result {
    DType dtype;
    std::string name;
  };
  struct Layer {
    std::string name = {};
    std::string type = {};
    std::string opset = {};
    std::string attributes = {};
    std::vector<Wire> inputs = {};
    std::vector<Result> results = {};
    int constant = -1;  ///< among constants_
  };
  struct Constant {
    Tensor tensor;
    int64_t offset;
  };
  const Result& at(Wire wire) const {
    return layers_[static_cast<size_t>(wire.layer)].results[static_cast<size_t>(wire.port)];
  }
  Wire append(Layer layer);

  std::vector<Layer> layers_;
  std::vector<Constant> constants_;
  int64_t bytes_ = 0;
  std::string prefix_;
};

}  // namespace coracle::internal::openvino
