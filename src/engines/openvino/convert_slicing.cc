// SPDX-License-Identifier: Apache-2.0
#include "engines/openvino/network.h"
#include "ops/movement/pad.h"
#include "ops/movement/pad2d.h"
#include "ops/movement/pad3d.h"
#include "ops/movement/slice.h"
#include "ops/movement/strided_slice.h"

namespace coracle::internal::openvino {
namespace {

/// The elements that `read` meets in x, in the result's shape.
void emit_walk(Emitter& e, const ElementWalk& read) {
  const Shape& x = e.shape(0);
  const ElementWalk whole = row_major(x);
  Ints starts;
  Ints ends;
  Ints steps;
  Ints axes;
  int64_t rest = read.start;
  for (int d = 0; d < x.rank(); ++d) {
    const int64_t first = rest / whole.step[d];
    rest %= whole.step[d];
    const int64_t step = read.size[d] <= 1 ? 1 : read.step[d] / whole.step[d];
    if (first == 0 && step == 1 && read.size[d] == x[d]) continue;
    // An end before element 0, counted from the last one.
    const int64_t end = first + step * read.size[d];
    starts.push_back(first);
    ends.push_back(end < 0 ? -x[d] - 1 : end);
    steps.push_back(step);
    axes.push_back(d);
  }
  Wire y = e.in(0);
  if (!axes.empty()) {
    y = e.layer("Slice", "opset8", {y, e.ints_of(starts), e.ints_of(ends), e.ints_of(steps), e.ints_of(axes)}, {},
                e.out_dtype());
  }
  e.set_reshaped(y);
}

void emit_slice(Emitter& e) {
  const auto& op = e.as<Slice>();
  emit_walk(e, sliced_steps(e.shape(0), op.axes, e.ints(1), e.ints(2), nullptr, op.decrease_axis, op.infer_flags));
}

void emit_strided_slice(Emitter& e) {
  const auto& op = e.as<StridedSlice>();
  const Ints strides = e.ints(3);
  emit_walk(e, sliced_steps(e.shape(0), op.axes, e.ints(1), e.ints(2), &strides, op.decrease_axis, op.infer_flags,
                            op.bounds()));
}

const char* pad_mode_name(PadMode mode) {
  switch (mode) {
    case PadMode::kConstant: return "constant";
    case PadMode::kReflect: return "reflect";
    case PadMode::kReplicate: return "edge";
    default: refuse("its padding is circular");
  }
}

void pad(Emitter& e, const std::vector<PadAmount>& amounts, PadMode mode, double value) {
  Ints before;
  Ints after;
  for (const PadAmount& a : amounts) {
    if (a.before < 0 || a.after < 0) refuse("a padding is negative");
    before.push_back(a.before);
    after.push_back(a.after);
  }
  const Wire x = e.in(0);
  e.set(e.layer("Pad", "opset1", {x, e.ints_of(before), e.ints_of(after), e.scalar_like(value, x)},
                {{"pad_mode", pad_mode_name(mode)}}, e.out_dtype()));
}

void emit_pad(Emitter& e) { pad(e, pad_amounts(e.as<Pad>()), PadMode::kConstant, e.number(1, 0)); }

template <class T>
void emit_image_pad(Emitter& e) {
  const auto& op = e.as<T>();
  constexpr size_t kPaddings = std::is_same_v<T, Pad2d> ? 4 : 6;
  pad(e, pad_amounts(op, e.ints(1, Ints(kPaddings, 0))), pad_mode_of(op.mode), op.pad_value);
}

template <class T>
std::string refuse_circular(const Question& q) {
  return q.as<T>().mode == "circular" ? "its padding is circular" : "";
}

constexpr Converter kSlicing[] = {
    {slice_op, kPlain, kPlain, emit_slice},
    {strided_slice_op, kPlain, kPlain, emit_strided_slice},
    {pad_op, kFloat, kFloat, emit_pad},
    {pad2d_op, kFloat, kFloat, emit_image_pad<Pad2d>, refuse_circular<Pad2d>},
    {pad3d_op, kFloat, kFloat, emit_image_pad<Pad3d>, refuse_circular<Pad3d>},
};

}  // namespace

extern const ConverterTable convert_slicing;
const ConverterTable convert_slicing{kSlicing};

}  // namespace coracle::internal::openvino
