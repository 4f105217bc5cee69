// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>

#include "ops/movement/channel_shuffle.h"
#include "ops/movement/expand.h"
#include "ops/movement/expand_as.h"
#include "ops/movement/expanding.h"
#include "ops/movement/flip.h"
#include "ops/movement/legacy_expand.h"
#include "ops/movement/movement.h"
#include "ops/movement/pixel_shuffle.h"
#include "ops/movement/shuffle_channel.h"
#include "ops/movement/slice.h"
#include "ops/movement/strided_slice.h"
#include "ops/movement/tile.h"
#include "ops/movement/transpose.h"
#include "plan/kernel.h"

/// Operators that only move elements: the result, from first to last element, is met along a walk over the operand.
/// What the kernels of all devices go by.
namespace coracle::internal::element_walks {

/// The elements of an operand that is known while planning, else null.
inline const Tensor* known(const ArgFacts& args, int port) {
  return args.has(port) ? args.in(port).value.get() : nullptr;
}

using Walk = std::optional<ElementWalk>;

// The walk over the row-major operand for each operator; nothing where it is not known while planning.
inline Walk walk_of(const Transpose& op, const ArgFacts& args) {
  if (args.all_out().size() != 1) return std::nullopt;
  const ElementWalk all = row_major(args.shape(0));
  ElementWalk read;
  for (int64_t p : op.perm) {
    const int from = normalize_axis(p, all.rank);
    read.push_back(all.size[from], all.step[from]);
  }
  return read;
}

inline Walk walk_of(const Slice& op, const ArgFacts& args) {
  const Tensor* starts = known(args, 1);
  const Tensor* ends = known(args, 2);
  if (starts == nullptr || ends == nullptr) return std::nullopt;
  return sliced_steps(args.shape(0), op.axes, starts->integers(), ends->integers(), nullptr, op.decrease_axis,
                      op.infer_flags);
}

inline Walk walk_of(const StridedSlice& op, const ArgFacts& args) {
  const Tensor* starts = known(args, 1);
  const Tensor* ends = known(args, 2);
  const Tensor* strides = known(args, 3);
  if (starts == nullptr || ends == nullptr || strides == nullptr) return std::nullopt;
  const Ints steps = strides->integers();
  return sliced_steps(args.shape(0), op.axes, starts->integers(), ends->integers(), &steps, op.decrease_axis,
                      op.infer_flags, op.bounds());
}

inline Walk walk_of(const Expand&, const ArgFacts& args) { return broadcast_steps(args.shape(0), args.out().shape); }
inline Walk walk_of(const ExpandAs&, const ArgFacts& args) { return broadcast_steps(args.shape(0), args.out().shape); }

inline Walk tiled(const ArgFacts& args) {
  const Tensor* times = known(args, 1);
  if (times == nullptr) return std::nullopt;
  return tile_steps(args.shape(0), times->integers());
}
inline Walk walk_of(const Tile&, const ArgFacts& args) { return tiled(args); }
inline Walk walk_of(const LegacyExpand&, const ArgFacts& args) { return tiled(args); }

inline Walk walk_of(const Flip& op, const ArgFacts& args) { return reversed_steps(args.shape(0), op.axis); }

/// The elements of x seen as `shape`, with its dimensions in another order.
inline Walk rearranged(const Shape& shape, std::initializer_list<int> order) {
  return permuted(row_major(shape), std::span<const int>(order.begin(), order.size()));
}

inline Walk walk_of(const PixelShuffle& op, const ArgFacts& args) {
  const Shape& x = args.shape(0);
  const int64_t r = op.upscale_factor;
  if (channels_are_last(op.data_format)) {
    return rearranged({x[0], x[1], x[2], x[3] / (r * r), r, r}, {0, 1, 4, 2, 5, 3});
  }
  return rearranged({x[0], x[1] / (r * r), r, r, x[2], x[3]}, {0, 1, 4, 2, 5, 3});
}

inline Walk walk_of(const ChannelShuffle& op, const ArgFacts& args) {
  const Shape& x = args.shape(0);
  const int64_t g = op.groups;
  if (channels_are_last(op.data_format)) return rearranged({x[0] * x[1] * x[2], g, x[3] / g}, {0, 2, 1});
  return rearranged({x[0], g, x[1] / g, x[2] * x[3]}, {0, 2, 1, 3});
}

inline Walk walk_of(const ShuffleChannel& op, const ArgFacts& args) {
  const Shape& x = args.shape(0);
  return rearranged({x[0], op.group, x[1] / op.group, x[2] * x[3]}, {0, 2, 1, 3});
}

}  // namespace coracle::internal::element_walks
