// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/common/indices.h"
#include "ops/common/operands.h"
#include "ops/movement/slicing.h"

namespace coracle::internal {

/// Every strides[i]-th element from starts[i] to ends[i] (exclusive) of each of `axes`; strides may be negative.
struct StridedSlice {
  static constexpr const char* kName = "strided_slice";
  static constexpr const char* kLegacy[] = {"strided_slice"};
  static constexpr size_t kArrays = 1;
  static constexpr Port kInputs[] = {in("x", "Input"), shape_in("starts", "starts", "StartsTensor", "StartsTensorList"),
                                     shape_in("ends", "ends", "EndsTensor", "EndsTensorList"),
                                     shape_in("strides", "strides", "StridesTensor", "StridesTensorList")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  Ints axes;
  Ints infer_flags;
  Ints decrease_axis;
  bool legacy_bounds = false;  ///< bounds before element 0 mean what they do in ProgramDesc, else as in NumPy
  void attributes(AttributeVisitor& visit) {
    visit("axes", axes);
    visit("infer_flags", infer_flags);
    visit("decrease_axis", decrease_axis);
    visit("legacy_bounds", legacy_bounds);
  }
  SliceBounds bounds() const { return legacy_bounds ? SliceBounds::kLegacyStridedSlice : SliceBounds::kNumPy; }
  friend bool operator==(const StridedSlice&, const StridedSlice&) = default;
  static void lower(Lowering& l);
};

inline void infer(const StridedSlice& op, InferArgs& a) {
  require_operand(a, 1, "starts");
  require_operand(a, 2, "ends");
  require_operand(a, 3, "strides");
  const std::optional<Ints> strides = a.ints(3);
  if (a.in(0).is_array) {
    a.out(0) = a.in(0);
    a.out(0).is_array = op.decrease_axis.empty();
    return;
  }
  a.set(
      0, a.dtype(0),
      sliced_shape(a.shape(0), op.axes, a.ints(1), a.ints(2), &strides, op.decrease_axis, op.infer_flags, op.bounds()));
}

inline void reference(const StridedSlice& op, ReferenceArgs& a) {
  const Tensor& x = a.in(0);
  const Ints starts = a.in(1).integers(a.context());
  const Ints ends = a.in(2).integers(a.context());
  const Ints strides = a.in(3).integers(a.context());
  if (!x.is_array()) {
    const ElementWalk read =
        sliced_steps(x.shape(), op.axes, starts, ends, &strides, op.decrease_axis, op.infer_flags, op.bounds());
    return gather_elements(a.context(), x, read, a.out(0));
  }
  require(starts.size() == 1 && ends.size() == 1 && strides.size() == 1,
          "a tensor array is sliced by one start, one end and one stride");
  const auto size = static_cast<int64_t>(x.elements().size());
  const Slicing part = strided_slice_of(size, starts[0], ends[0], strides[0], op.bounds());
  if (!op.decrease_axis.empty()) {
    if (part.length <= 0) fail_index(starts[0], "starts", 0, -size, size - 1);
    return copy_tensor(a.context(), x.elements()[static_cast<size_t>(part.start)], a.out(0));
  }
  a.out(0) = Tensor::array(x.dtype());
  for (int64_t i = 0; i < part.length; ++i) {
    a.out(0).elements().push_back(x.elements()[static_cast<size_t>(part.start + i * part.step)]);
  }
}

/// The two formats differ in what bounds before element 0 mean.
inline void StridedSlice::lower(Lowering& l) {
  auto op = l.read<StridedSlice>();
  op.legacy_bounds = !l.is_pir();
  l.bind("Out", l.add(op, l.ports_of(kOpSchema<StridedSlice>)));
}

inline constexpr const OpSchema* strided_slice_op = &kOpSchema<StridedSlice>;

}  // namespace coracle::internal
