// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/dtype.h"
#include "base/shape.h"
#include "base/tensor.h"

namespace coracle::internal {

/// Order of the elements in memory. Shapes are always the logical ones (NCHW for an image).
enum class Layout : uint8_t {
  kRowMajor,      ///< last dimension contiguous
  kChannelsLast,  ///< dimension 1 contiguous, then the others in row-major order (NHWC for an NCHW value)
};

/// Where the elements live: on the host, where the CPU's kernels run, or on a device, by its number among those that
/// the program uses.
struct Place {
  uint8_t device = 0;  ///< 0: the host
  bool is_host() const { return device == 0; }
  friend bool operator==(Place, Place) = default;
};

/// The type of a value: what is known about it before a run. A kernel is a typed function over facts.
///
/// Variables of Paddle's programs have no type: branches and iterations may leave tensors of different element types,
/// or a tensor here and a tensor array there. Where that is so nothing is known (Fact::unknown()) until a run, which
/// plans what follows with the facts of the tensors it has.
struct Fact {
  DType dtype = DType::kFloat32;
  Shape shape = Shape::unknown_rank();
  Layout layout = Layout::kRowMajor;
  Place place;
  bool is_array = false;           ///< a tensor array; dtype and shape are then those of its elements
  std::shared_ptr<const Lod> lod;  ///< sequence offsets, null if none
  std::shared_ptr<const Tensor>
      value;  ///< the elements (row-major), where they are constant or computed while planning

  Fact() = default;
  Fact(DType d, const Shape& s) : dtype(d), shape(s) {}
  /// The fact of a constant.
  static Fact constant(Tensor tensor);
  /// The fact of a value that may be anything: a tensor of any type and shape, or a tensor array.
  static Fact unknown() { return {DType::kUnknown, Shape::unknown_rank()}; }

  /// False where even the element type is known in a run only.
  bool type_known() const { return dtype != DType::kUnknown; }
  /// True if element type, rank and all dimensions are known.
  bool known() const { return type_known() && shape.known(); }
  /// Bytes of all elements; the shape must be known.
  size_t bytes() const { return static_cast<size_t>(shape.count()) * size_of(dtype); }
};

/// "float32[1, 3, ?, ?]", with ":nhwc" when channels-last.
void append_text(std::string& to, const Fact& fact);

/// True if `b` may stand where `a` stood: same dtype and kind, compatible shape, as far as the types are known.
bool replaceable(const Fact& a, const Fact& b);

/// What is known of a value that is either of two: dimensions that differ are unknown, and so is all of it where
/// element types differ or only one is a tensor array (two arrays: all of their elements). Elements and sequence
/// offsets are not kept.
Fact joined(const Fact& a, const Fact& b);

/// True if `a` says as much of a type as `b`: element type, kind and shape are the same.
bool same_type(const Fact& a, const Fact& b);

/// True if both layouts put the elements of `shape` in the same order.
bool layouts_agree(const Shape& shape);

}  // namespace coracle::internal
