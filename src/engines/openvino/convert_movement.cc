// SPDX-License-Identifier: Apache-2.0
#include "engines/openvino/network.h"
#include "ops/creation/full.h"
#include "ops/creation/full_batch_size_like.h"
#include "ops/creation/full_like.h"
#include "ops/creation/full_with_tensor.h"
#include "ops/creation/ones_like.h"
#include "ops/creation/zeros_like.h"
#include "ops/movement/assign.h"
#include "ops/movement/channel_shuffle.h"
#include "ops/movement/concat.h"
#include "ops/movement/expand.h"
#include "ops/movement/expand_as.h"
#include "ops/movement/flip.h"
#include "ops/movement/pixel_shuffle.h"
#include "ops/movement/roll.h"
#include "ops/movement/share_data.h"
#include "ops/movement/shuffle_channel.h"
#include "ops/movement/space_to_depth.h"
#include "ops/movement/split.h"
#include "ops/movement/split_with_num.h"
#include "ops/movement/stack.h"
#include "ops/movement/tile.h"
#include "ops/movement/transpose.h"
#include "ops/movement/unbind.h"
#include "ops/movement/unstack.h"

namespace coracle::internal::openvino {
namespace {

void emit_same(Emitter& e) { e.set(e.in(0)); }

void emit_transpose(Emitter& e) {
  Ints permutation;
  for (const int64_t p : e.as<Transpose>().perm) permutation.push_back(normalize_axis(p, e.shape(0).rank()));
  e.set(permutation.empty() ? e.in(0) : e.transpose(e.in(0), permutation));
}

/// Operands of one shape each, side by side along `axis`.
void emit_joined(Emitter& e, int axis, bool new_axis) {
  std::vector<Wire> parts;
  for (int i = 0; i < e.count(0); ++i) {
    Shape s = e.shape(0, i);
    Wire x = e.in(0, i);
    if (new_axis || s.is_scalar()) {
      s.insert(new_axis ? axis : 0, 1);
      x = e.reshape(x, s);
    }
    parts.push_back(x);
  }
  const DType dtype = e.out_dtype();
  e.set(e.layer("Concat", "opset1", parts, {{"axis", std::to_string(axis)}}, {&dtype, 1}));
}

void emit_concat(Emitter& e) {
  emit_joined(e, normalize_axis(e.has(1) ? e.elements(1).integer(0) : 0, e.out_shape().rank()), false);
}

void emit_stack(Emitter& e) { emit_joined(e, normalize_axis(e.as<Stack>().axis, e.out_shape().rank()), true); }

/// Parts of these sizes along an axis; `drops`: without that dimension.
void divide(Emitter& e, int64_t axis_value, const Ints& sizes, bool drops) {
  const int axis = normalize_axis(axis_value, e.shape(0).rank());
  const std::vector<DType> types(sizes.size(), e.out_dtype());
  const Wire operands[] = {e.in(0), e.ints_of({axis}), e.ints_of(sizes)};
  const Wire first = e.layer("VariadicSplit", "opset1", operands, {}, types);
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
    const Wire part{first.layer, i};
    if (drops) {
      e.set_reshaped(part, 0, i);
    } else {
      e.set(part, 0, i);
    }
  }
}

void emit_split(Emitter& e) {
  const int64_t axis = e.has(2) ? e.elements(2).integer(0) : 0;
  const Shape& x = e.shape(0);
  divide(e, axis, split_sections(e.ints(1), x[normalize_axis(axis, x.rank())]), false);
}

void emit_split_with_num(Emitter& e) {
  const int64_t axis = e.has(1) ? e.elements(1).integer(0) : 0;
  const auto num = static_cast<size_t>(e.as<SplitWithNum>().num);
  const Shape& x = e.shape(0);
  divide(e, axis, Ints(num, x[normalize_axis(axis, x.rank())] / static_cast<int64_t>(num)), false);
}

template <class T>
void emit_slices(Emitter& e) {
  divide(e, e.as<T>().axis, Ints(static_cast<size_t>(e.facts().out_count(0)), 1), true);
}

/// x, or one number, repeated to fill the result.
void broadcast_to_result(Emitter& e, Wire x) {
  const Shape& to = e.out_shape();
  if (to.is_scalar()) return e.set_reshaped(x);
  e.set(e.layer("Broadcast", "opset3", {x, e.ints_of(Ints(to.begin(), to.end()))}, {{"mode", "numpy"}}, e.out_dtype()));
}

void emit_expand(Emitter& e) { broadcast_to_result(e, e.in(0)); }

/// A result whose elements are all one number.
void fill_result(Emitter& e, double number, int64_t whole) {
  Tensor one = Tensor::make(e.out_dtype(), Shape{});
  fill(kNoRun, one, number, whole);
  broadcast_to_result(e, e.constant(one));
}

void emit_full(Emitter& e) {
  const auto& op = e.as<Full>();
  fill_result(e, op.value, op.exact ? *op.exact : whole(op.value));
}

void emit_full_with_tensor(Emitter& e) {
  if (e.shape(0).count() != 1) refuse("its number is ", e.shape(0), ", expected one element");
  broadcast_to_result(e, e.reshape(e.in_as(0, e.out_dtype()), Shape{1}));
}

void emit_full_batch_size_like(Emitter& e) {
  const double number = e.as<FullBatchSizeLike>().value;
  fill_result(e, number, whole(number));
}

void emit_full_like(Emitter& e) {
  const double number = e.number(1, 0);
  fill_result(e, number, whole(number));
}

void emit_zeros_like(Emitter& e) { fill_result(e, 0, 0); }
void emit_ones_like(Emitter& e) { fill_result(e, 1, 1); }

void emit_tile(Emitter& e) {
  Ints times = e.ints(1);
  Shape x = e.shape(0);
  const int rank = e.out_shape().rank();
  while (static_cast<int>(times.size()) < rank) times.insert(times.begin(), 1);
  while (x.rank() < rank) x.insert(0, 1);
  if (rank == 0) return e.set(e.in(0));
  e.set(e.plain("Tile", {x == e.shape(0) ? e.in(0) : e.reshape(e.in(0), x), e.ints_of(times)}));
}

void emit_flip(Emitter& e) {
  const Shape& x = e.shape(0);
  std::vector<bool> done(static_cast<size_t>(x.rank()));
  Ints starts;
  Ints ends;
  Ints steps;
  Ints axes;
  for (const int64_t a : e.as<Flip>().axis) {
    const int axis = normalize_axis(a, x.rank());
    if (done[static_cast<size_t>(axis)]) continue;
    done[static_cast<size_t>(axis)] = true;
    starts.push_back(x[axis] - 1);
    ends.push_back(-x[axis] - 1);
    steps.push_back(-1);
    axes.push_back(axis);
  }
  if (axes.empty()) return e.set(e.in(0));
  e.set(e.layer("Slice", "opset8", {e.in(0), e.ints_of(starts), e.ints_of(ends), e.ints_of(steps), e.ints_of(axes)}, {},
                e.out_dtype()));
}

void emit_roll(Emitter& e) {
  const Ints shifts = e.ints(1);
  const Shape& x = e.shape(0);
  const Ints& axis = e.as<Roll>().axis;
  if (x.is_scalar()) return e.set(e.in(0));
  if (!axis.empty()) {
    Ints axes;
    for (const int64_t a : axis) axes.push_back(normalize_axis(a, x.rank()));
    return e.set(e.layer("Roll", "opset7", {e.in(0), e.ints_of(shifts), e.ints_of(axes)}, {}, e.out_dtype()));
  }
  const Wire row = e.reshape(e.in(0), Shape{x.count()});
  e.set_reshaped(e.layer("Roll", "opset7", {row, e.ints_of(shifts), e.ints_of({0})}, {}, e.out_dtype()));
}

/// Channels in `groups` rows, read by columns.
void shuffle(Emitter& e, int64_t groups, bool channels_last) {
  const Shape& x = e.shape(0);
  if (channels_last) {
    return e.set(e.rearrange(e.in(0), {x[0], x[1], x[2], groups, x[3] / groups}, {0, 1, 2, 4, 3}, x));
  }
  e.set(e.rearrange(e.in(0), {x[0], groups, x[1] / groups, x[2], x[3]}, {0, 2, 1, 3, 4}, x));
}

void emit_channel_shuffle(Emitter& e) {
  const auto& op = e.as<ChannelShuffle>();
  shuffle(e, op.groups, channels_are_last(op.data_format));
}

void emit_shuffle_channel(Emitter& e) { shuffle(e, e.as<ShuffleChannel>().group, false); }

void emit_pixel_shuffle(Emitter& e) {
  const auto& op = e.as<PixelShuffle>();
  const Shape& x = e.shape(0);
  const int64_t r = op.upscale_factor;
  const Shape dims = channels_are_last(op.data_format) ? Shape{x[0], x[1], x[2], x[3] / (r * r), r, r}
                                                       : Shape{x[0], x[1] / (r * r), r, r, x[2], x[3]};
  e.set(e.rearrange(e.in(0), dims, {0, 1, 4, 2, 5, 3}, e.out_shape()));
}

void emit_space_to_depth(Emitter& e) {
  const Shape& x = e.shape(0);
  const int64_t b = e.as<SpaceToDepth>().blocksize;
  e.set(e.rearrange(e.in(0), {x[0], b, b, x[1] / (b * b), x[2], x[3]}, {0, 3, 4, 1, 5, 2}, e.out_shape()));
}

constexpr Converter kMovement[] = {
    {assign_op, kPlain, kPlain, emit_same},
    {share_data_op, kPlain, kPlain, emit_same},
    {transpose_op, kPlain, kPlain, emit_transpose},
    {concat_op, kPlain, kPlain, emit_concat},
    {stack_op, kPlain, kPlain, emit_stack},
    {split_op, kPlain, kPlain, emit_split, refuse_scalar},
    {split_with_num_op, kPlain, kPlain, emit_split_with_num, refuse_scalar},
    {unbind_op, kPlain, kPlain, emit_slices<Unbind>, refuse_scalar},
    {unstack_op, kPlain, kPlain, emit_slices<Unstack>, refuse_scalar},
    {expand_op, kPlain, kPlain, emit_expand},
    {expand_as_op, kPlain, kPlain, emit_expand},
    {tile_op, kPlain, kPlain, emit_tile},
    {flip_op, kPlain, kPlain, emit_flip},
    {roll_op, kPlain, kPlain, emit_roll},
    {channel_shuffle_op, kPlain, kPlain, emit_channel_shuffle},
    {shuffle_channel_op, kPlain, kPlain, emit_shuffle_channel},
    {pixel_shuffle_op, kPlain, kPlain, emit_pixel_shuffle},
    {space_to_depth_op, kPlain, kPlain, emit_space_to_depth},
    {full_op, 0, kPlain, emit_full},
    {full_with_tensor_op, kPlain, kPlain, emit_full_with_tensor},
    {full_batch_size_like_op, kPlain | kInt64, kPlain, emit_full_batch_size_like},
    {full_like_op, kPlain | kInt64, kPlain, emit_full_like},
    {zeros_like_op, kPlain | kInt64, kPlain, emit_zeros_like},
    {ones_like_op, kPlain | kInt64, kPlain, emit_ones_like},
};

}  // namespace

extern const ConverterTable convert_movement;
const ConverterTable convert_movement{kMovement};

}  // namespace coracle::internal::openvino
