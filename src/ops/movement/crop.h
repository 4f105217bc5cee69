// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/movement/movement.h"

namespace coracle::internal {

/// The box of `shape` elements that starts at `offsets` (0 where absent); -1 in shape takes what is left.
struct Crop {
  static constexpr const char* kName = "crop";
  static constexpr const char* kLegacy[] = {"crop_tensor"};
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("shape", "shape", "Shape", "ShapeTensor"),
                                     shape_in("offsets", "offsets", "Offsets", "OffsetsTensor")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Crop&, const Crop&) = default;
};

/// `shape` with -1 replaced; Error where the box leaves x. Unknown dimensions of x leave -1 unknown.
inline Shape cropped_shape(const Shape& x, const Ints& shape, const Ints& offsets) {
  require(shape.size() == static_cast<size_t>(x.rank()) && offsets.size() == shape.size(), "shape ", Shape(shape),
          " and offsets of ", offsets.size(), " elements do not fit x ", x);
  Shape y(shape);
  for (int i = 0; i < y.rank(); ++i) {
    const int64_t offset = offsets[static_cast<size_t>(i)];
    require(offset >= 0 && y[i] >= -1, "a box at offset ", offset, " of ", y[i], " elements");
    if (x[i] < 0) continue;
    if (y[i] == -1) y[i] = x[i] - offset;
    require(y[i] >= 0 && offset <= x[i] - y[i], "a box of ", y[i], " elements at ", offset, " leaves dimension ", i,
            " of x ", x);
  }
  return y;
}

/// out = the box of x at `offsets` with the shape of out.
inline void crop_box(const RunContext& context, const Tensor& x, const Ints& offsets, Tensor& out) {
  ElementWalk read = row_major(x.shape());
  for (int i = 0; i < read.rank; ++i) {
    read.size[i] = out.shape()[i];
    read.start += offsets[static_cast<size_t>(i)] * read.step[i];
  }
  gather_elements(context, x, read, out);
}

inline void infer(const Crop&, InferArgs& a) {
  const Shape& x = a.shape(0);
  const auto rank = static_cast<size_t>(x.rank_known() ? x.rank() : 0);
  std::optional<Ints> shape = a.has(1) ? a.ints(1) : Ints{};
  std::optional<Ints> offsets = a.has(2) ? a.ints(2) : Ints{};
  Shape y = Shape::unknown_rank();
  if (x.rank_known()) {
    if (shape && shape->empty()) shape->assign(rank, -1);
    if (offsets && offsets->empty()) offsets->assign(rank, 0);
    y = shape && offsets ? cropped_shape(x, *shape, *offsets) : Shape::filled(x.rank(), Shape::kUnknown);
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const Crop&, ReferenceArgs& a) {
  Ints offsets = a.has(2) ? a.in(2).integers(a.context()) : Ints{};
  offsets.resize(static_cast<size_t>(a.shape(0).rank()), 0);
  crop_box(a.context(), a.in(0), offsets, a.out(0));
}

inline constexpr const OpSchema* crop_op = &kOpSchema<Crop>;

}  // namespace coracle::internal
