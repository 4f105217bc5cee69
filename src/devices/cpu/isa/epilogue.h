// SPDX-License-Identifier: Apache-2.0
//
// Applies an epilogue (epilogue_op.h) to a tile of finished sums and stores it. Included only by sources
// that are compiled once per instruction set. Each element's result depends on that element alone.
#pragma once

#include "epilogue_op.h"
#include "math.h"
#include "quantized.h"

namespace coracle::internal::cpu::CORACLE_ISA {
#ifdef __arm__  // 32 bits: sources differ in what their vectors are, and each has functions of its own
namespace {
#endif
// Where a tile's rows go: row r is pixel pixels[r] of an output with `stride` floats per pixel, from channel `channel`
// on.
struct EpilogueTarget {
  float* c;
  int64_t stride;
  const int64_t* pixels;
  size_t channel;
};

// The chain for one vector of columns, all rows. `count` columns are stored, a vector or less.
void apply_to_columns(const EpilogueOp* ops, int op_count, const float* tile, size_t tile_stride, size_t rows,
                      size_t count, const EpilogueTarget& to);
#ifdef __arm__
}  // namespace
#endif

namespace {

HWY_INLINE FloatVector hard_swish(FloatVector x, FloatVector offset, FloatVector threshold, FloatVector inverse) {
  const FloatVector zero = hn::Zero(FloatTag());
  return hn::Mul(hn::Mul(x, at_most(threshold, at_least(zero, hn::Add(x, offset)))), inverse);
}

// What a register tile does to its sums itself.
struct TileEpilogue {
  enum class Kind : uint8_t { kClip, kRelu, kHardSwish, kScaledHardSwish, kAddAndClip, kAddAndRelu };
  Kind kind = Kind::kClip;
  EpilogueStep step = {EpilogueKind::kClip, -__builtin_inff(), __builtin_inff()};
  EpilogueStep scale;     // of kScaledHardSwish
  uintptr_t to_term = 0;  // of kAdd...: from the place of a result to that of what is added to it
};

HWY_INLINE bool adds(const TileEpilogue& tile) {
  return tile.kind == TileEpilogue::Kind::kAddAndClip || tile.kind == TileEpilogue::Kind::kAddAndRelu;
}

// The function of kScaledHardSwish.
HWY_INLINE auto scaled_hard_swish(const TileEpilogue& tile) {
  using V = FloatVector;
  const FloatTag d;
  const V offset = hn::Set(d, tile.step.a);
  const V threshold = hn::Set(d, tile.step.b);
  const V inverse = hn::Set(d, 1.0f / tile.step.c);
  const V scale = hn::Set(d, tile.scale.a);
  const V shift = hn::Set(d, tile.scale.b);
  return [=](V x, const float*)
             HWY_ATTR { return hn::MulAdd(scale, hard_swish(x, offset, threshold, inverse), shift); };
}

// Calls use(f) with the function of a tile's epilogue: f(sums, where the results go). kAdds: whether there may be
// terms.
template <bool kAdds, class Use>
HWY_INLINE void with_tile_epilogue(const TileEpilogue& tile, const Use& use) {
  using V = FloatVector;
  using Kind = TileEpilogue::Kind;
  const FloatTag d;
  const V a = hn::Set(d, tile.step.a);
  const V b = hn::Set(d, tile.step.b);
  if constexpr (kAdds) {
    const auto term = [d, distance = tile.to_term](const float* to) HWY_ATTR {
      return hn::LoadU(d, reinterpret_cast<const float*>(reinterpret_cast<uintptr_t>(to) + distance));
    };
    if (tile.kind == Kind::kAddAndRelu) {
      return use([=](V x, const float* to) HWY_ATTR { return rectified(hn::Add(x, term(to))); });
    }
    if (tile.kind == Kind::kAddAndClip) {
      return use([=](V x, const float* to) HWY_ATTR { return at_most(b, at_least(a, hn::Add(x, term(to)))); });
    }
  }
  switch (tile.kind) {
    case Kind::kRelu: return use([](V x, const float*) HWY_ATTR { return rectified(x); });
    case Kind::kHardSwish: {
      const V inverse = hn::Set(d, 1.0f / tile.step.c);
      return use([=](V x, const float*) HWY_ATTR { return hard_swish(x, a, b, inverse); });
    }
    case Kind::kScaledHardSwish: return use(scaled_hard_swish(tile));
    default: return use([=](V x, const float*) HWY_ATTR { return at_most(b, at_least(a, x)); });
  }
}

// An epilogue, with the bias split off that sums start at. If `in_tile`, `tile` does all of the rest, which is short
// and has no tensor but one that lies like the output.
struct Chain {
  const float* bias = nullptr;
  bool in_tile = false;
  TileEpilogue tile;
  const EpilogueOp* ops = nullptr;
  int count = 0;
};

// For an output of `stride` floats from pixel to pixel; null if its kernel adds tensors by apply_epilogue() only.
HWY_INLINE Chain split_epilogue(const EpilogueOp* ops, int count, const float* output = nullptr, int64_t stride = 0) {
  Chain chain;
  if (count > 0 && ops[0].step.kind == EpilogueKind::kAddChannel) {
    chain.bias = ops[0].tensor;
    ++ops;
    --count;
  }
  chain.ops = ops;
  chain.count = count;
  TileEpilogue& tile = chain.tile;
  using Kind = TileEpilogue::Kind;
  const auto take = [&](EpilogueKind kind, EpilogueStep& step) {
    if (count == 0 || ops[0].step.kind != kind) return false;
    step = ops[0].step;
    ++ops;
    --count;
    return true;
  };
  const bool has_term =
      output != nullptr && count > 0 && ops[0].step.kind == EpilogueKind::kAddTensor && ops[0].tensor_stride == stride;
  if (has_term) {
    tile.kind = Kind::kAddAndClip;
    tile.to_term = reinterpret_cast<uintptr_t>(ops[0].tensor) - reinterpret_cast<uintptr_t>(output);
    ++ops;
    --count;
  }
  EpilogueStep relu;
  if (take(EpilogueKind::kRelu, relu)) {
    tile.kind = has_term ? Kind::kAddAndRelu : Kind::kRelu;
  } else if (!take(EpilogueKind::kClip, tile.step) && !has_term && take(EpilogueKind::kHardSwish, tile.step)) {
    tile.kind = take(EpilogueKind::kScaleShift, tile.scale) ? Kind::kScaledHardSwish : Kind::kHardSwish;
  }
  chain.in_tile = count == 0;
  if (!chain.in_tile) tile = {};
  return chain;
}

// Rows of a tile that apply_epilogue_flat() takes at most: as each has less than a vector, so many vectors and one.
constexpr size_t kMaxFlatVectors = 17;

// tile[r * tile_stride + j], r < rows, j < columns, through the chain into the target. Each row of the tile must be
// readable up to an integer of vectors.
HWY_INLINE void apply_epilogue(const EpilogueOp* ops, int op_count, const float* tile, size_t tile_stride, size_t rows,
                               size_t columns, EpilogueTarget to) {
  if (rows == 0) return;
  size_t j = 0;
  for (; j + kFloatLanes <= columns; j += kFloatLanes, to.channel += kFloatLanes) {
    apply_to_columns(ops, op_count, tile + j, tile_stride, rows, kFloatLanes, to);
  }
  if (j < columns) apply_to_columns(ops, op_count, tile + j, tile_stride, rows, columns - j, to);
}

// Whether apply_epilogue_flat() does this chain for pixels of so many channels: nothing in it goes by channel, and
// tensors have as many.
HWY_INLINE bool is_flat(const EpilogueOp* ops, int op_count, int64_t channels) {
  for (const EpilogueOp* op = ops; op != ops + op_count; ++op) {
    if (op->step.kind == EpilogueKind::kAddChannel || op->step.kind == EpilogueKind::kMultiplyChannel) return false;
    if (op->integers != nullptr) return false;
    if (op->tensor != nullptr && op->tensor_stride != channels) return false;
  }
  return true;
}

// The same as apply_epilogue() where a tile has all channels, fewer than a vector, of adjacent pixels from `pixel` on,
// and its rows lie one after the other: whole vectors of them are done at once.
HWY_INLINE void apply_epilogue_flat(const EpilogueOp* ops, int op_count, const float* tile, size_t rows, size_t columns,
                                    float* c, int64_t pixel) {
  EpilogueOp moved[kMaxEpilogueOps];
  for (int i = 0; i < op_count; ++i) {
    moved[i] = ops[i];
    if (ops[i].tensor != nullptr) moved[i].tensor += pixel * ops[i].tensor_stride;
    moved[i].tensor_stride = static_cast<int64_t>(kFloatLanes);
  }
  const size_t count = rows * columns;
  const size_t vectors = count / kFloatLanes;
  int64_t pixels[kMaxFlatVectors];
  for (size_t v = 0; v <= vectors; ++v) pixels[v] = static_cast<int64_t>(v);
  EpilogueTarget to{c + pixel * static_cast<int64_t>(columns), static_cast<int64_t>(kFloatLanes), pixels, 0};
  if (vectors > 0) apply_to_columns(moved, op_count, tile, kFloatLanes, vectors, kFloatLanes, to);
  const size_t rest = count - vectors * kFloatLanes;
  if (rest == 0) return;
  to.pixels = pixels + vectors;
  apply_to_columns(moved, op_count, tile + vectors * kFloatLanes, kFloatLanes, 1, rest, to);
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA

#ifdef __arm__
#include "epilogue_columns.h"
#endif
