// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/indices.h"
#include "ops/common/operands.h"
#include "ops/common/sharing_lod.h"
#include "ops/movement/slicing.h"

namespace coracle::internal {

/// Elements starts[i] to ends[i] (exclusive) of each of `axes`; `decrease_axis` are dropped afterwards. Of a tensor
/// array it takes elements: one tensor where decrease_axis is given, else an array.
struct Slice {
  static constexpr const char* kName = "slice";
  static constexpr const char* kLegacy[] = {"slice"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr size_t kArrays = 1;
  static constexpr Port kInputs[] = {in("input", "Input"),
                                     shape_in("starts", "starts", "StartsTensor", "StartsTensorList"),
                                     shape_in("ends", "ends", "EndsTensor", "EndsTensorList")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  Ints axes;
  Ints infer_flags;
  Ints decrease_axis;
  void attributes(AttributeVisitor& visit) {
    visit("axes", axes);
    visit("infer_flags", infer_flags);
    visit("decrease_axis", decrease_axis);
  }
  friend bool operator==(const Slice&, const Slice&) = default;
};

inline void infer(const Slice& op, InferArgs& a) {
  require_operand(a, 1, "starts");
  require_operand(a, 2, "ends");
  if (a.in(0).is_array) {
    a.out(0) = a.in(0);
    a.out(0).is_array = op.decrease_axis.empty();
    return;
  }
  a.set(0, a.dtype(0),
        sliced_shape(a.shape(0), op.axes, a.ints(1), a.ints(2), nullptr, op.decrease_axis, op.infer_flags));
  if (!op.axes.empty() && op.axes[0] != 0) share_lod(a, 0, 0);
}

inline void reference(const Slice& op, ReferenceArgs& a) {
  const Tensor& x = a.in(0);
  const Ints starts = a.in(1).integers(a.context());
  const Ints ends = a.in(2).integers(a.context());
  if (!x.is_array()) {
    const ElementWalk read = sliced_steps(x.shape(), op.axes, starts, ends, nullptr, op.decrease_axis, op.infer_flags);
    return gather_elements(a.context(), x, read, a.out(0));
  }
  require(starts.size() == 1 && ends.size() == 1, "a tensor array is sliced by one start and one end, given ",
          starts.size(), " and ", ends.size());
  const auto size = static_cast<int64_t>(x.elements().size());
  if (!op.decrease_axis.empty()) {
    copy_tensor(a.context(), x.elements()[static_cast<size_t>(index_from_front(starts[0], size, "starts", 0))],
                a.out(0));
    return;
  }
  const Slicing part = slice_of(size, starts[0], ends[0]);
  a.out(0) = Tensor::array(x.dtype());
  for (int64_t i = 0; i < part.length; ++i) {
    a.out(0).elements().push_back(x.elements()[static_cast<size_t>(part.start + i)]);
  }
}

inline std::optional<StridedView> view_of_result(const Slice& op, const NodeFacts& f, const StridedView& x, int) {
  const Tensor* starts = f.value(1);
  const Tensor* ends = f.value(2);
  if (starts == nullptr || ends == nullptr) return std::nullopt;
  const ElementWalk read = sliced_steps(f.shape(0), op.axes, starts->integers(), ends->integers(), nullptr,
                                        op.decrease_axis, op.infer_flags);
  return sliced_view(x, f.shape(0), read, op.decrease_axis);
}

inline constexpr const OpSchema* slice_op = &kOpSchema<Slice>;

}  // namespace coracle::internal
