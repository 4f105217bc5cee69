// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolution of a block of output pixels by one vector of channels, for the usual square filters: each input
// vector of the block is loaded once. Included only by depthwise.cc.
#pragma once

#include "depthwise.h"
#include "depthwise_stream.h"
#include "epilogue.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

constexpr bool kStreams = HWY_TARGET == HWY_AVX2;
// A library for some models leaves out filters that they have not (src/light/tailor.cmake): these run like all else.
#ifdef CORACLE_WITHOUT_DEPTHWISE_3
constexpr bool kHas3x3 = false;
#else
constexpr bool kHas3x3 = true;
#endif
#ifdef CORACLE_WITHOUT_DEPTHWISE_5
constexpr bool kHas5x5 = false;
#else
constexpr bool kHas5x5 = true;
#endif
constexpr int kBlockColumns = 4;
constexpr int kMaxBlockRows = 2;

// Where the inputs of a block lie.
enum class Inputs {
  kInside,   // all in the image: at fixed steps
  kPointers  // each where its pointer says, zeros outside the image
};

struct BlockCall {
  const float* input;            // kInside: of the first output pixel's first tap
  int64_t input_row;             // kInside: floats from row to row
  int64_t input_column;          // kInside: floats from column to column
  const float* const* pointers;  // kPointers: by row and column
  const float* weights;
  int64_t weight_step;                            // floats from tap to tap
  int columns;                                    // output pixels of a row wanted; the others are computed and dropped
  int64_t pixels[kMaxBlockRows * kBlockColumns];  // wanted output pixels, row by row
};

// kCount addresses at fixed steps. 64-bit ARM adds two registers in a load, and has enough of them to keep all steps
// while the channels of a block pass.
template <int kCount>
struct Steps {
  static constexpr bool kKept = HWY_ARCH_ARM_A64;

  // The steps from `last` on are the last one.
  HWY_INLINE explicit Steps(int64_t floats, int last = kCount - 1) {
    CORACLE_UNROLL for (int i = 0; i < kCount; ++i) {
      bytes[i] = (i < last ? i : last) * floats * static_cast<int64_t>(sizeof(float));
      if (kKept && i > 0) asm("" : "+r"(bytes[i]));  // else they are computed again for each vector
    }
  }
  template <class T>
  HWY_INLINE T* at(T* from, int i) const {
    return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(from) + static_cast<uintptr_t>(bytes[i]));
  }
  int64_t bytes[kCount];
};

template <int kCount, class T>
HWY_INLINE void set_rows(T* (&rows)[kCount], T* first, int64_t step) {
  CORACLE_UNROLL for (int i = 0; i < kCount; ++i) {
    rows[i] = first + i * step;
    if constexpr (Steps<kCount>::kKept) asm("" : "+r"(rows[i]));
  }
}

// A block, whose channels pass vector by vector.
template <int kKernel, int kStride, int kRows>
struct Block {
  using V = FloatVector;
  static constexpr int kInRows = (kRows - 1) * kStride + kKernel;
  static constexpr int kInColumns = (kBlockColumns - 1) * kStride + kKernel;
  // Whether there are registers for all weights.
  static constexpr bool kByInputColumns = HWY_ARCH_ARM_A64 && kKernel == 3;

  const float* input[kInRows];  // kInside: of the first column
  const float* const* pointers;
  const float* weights[kKernel];  // of the first column of taps
  float* output[kRows];           // of the first column
  Steps<kInColumns> input_steps;
  Steps<kKernel> weight_steps;
  Steps<kBlockColumns> output_steps;

  HWY_INLINE Block(const DepthwiseCall& call, const BlockCall& block)
      : pointers(block.pointers),
        input_steps(block.input_column),
        weight_steps(block.weight_step),
        output_steps(call.out_stride, block.columns - 1) {
    set_rows(input, block.input, block.input_row);
    set_rows(weights, block.weights, kKernel * block.weight_step);
    set_rows(output, call.output + block.pixels[0] * call.out_stride, call.out_w * call.out_stride);
  }

  // Every sum takes its taps column by column, from top to bottom. Here each column of the filter with all its inputs.
  template <Inputs kInputs, class Load>
  HWY_INLINE void add_filter_columns(Load load, int64_t channel, V (&sum)[kRows][kBlockColumns]) const {
    const FloatTag d;
    CORACLE_UNROLL for (int kx = 0; kx < kKernel; ++kx) {
      V w[kKernel];
      CORACLE_UNROLL for (int ky = 0; ky < kKernel; ++ky) {
        w[ky] = hn::LoadU(d, weight_steps.at(weights[ky] + channel, kx));
      }
      CORACLE_UNROLL for (int j = 0; j < kBlockColumns; ++j) {
        const int x = j * kStride + kx;
        CORACLE_UNROLL for (int y = 0; y < kInRows; ++y) {
          const V v = load(kInputs == Inputs::kInside ? input_steps.at(input[y] + channel, x)
                                                      : pointers[y * kInColumns + x] + channel);
          CORACLE_UNROLL for (int i = 0; i < kRows; ++i) {
            const int ky = y - i * kStride;
            if (ky >= 0 && ky < kKernel) sum[i][j] = hn::MulAdd(v, w[ky], sum[i][j]);
          }
        }
      }
    }
  }

  // Here each column of the input with all its sums. One register goes from column to column of all rows.
  template <Inputs kInputs, class Load>
  HWY_INLINE void add_input_columns(Load load, int64_t channel, V (&sum)[kRows][kBlockColumns]) const {
    const FloatTag d;
    const auto behind = [](const float* p, int64_t bytes) {
      return reinterpret_cast<const float*>(reinterpret_cast<uintptr_t>(p) + static_cast<uintptr_t>(bytes));
    };
    const auto step = [](int64_t& bytes, int64_t by) {
      bytes += by;
      asm("" : "+r"(bytes));  // else there is an address for each column and row
    };
    const int64_t first = channel * static_cast<int64_t>(sizeof(float));
    V w[kKernel][kKernel];
    int64_t at = first;
    CORACLE_UNROLL for (int kx = 0; kx < kKernel; ++kx) {
      CORACLE_UNROLL for (int ky = 0; ky < kKernel; ++ky) w[ky][kx] = hn::LoadU(d, behind(weights[ky], at));
      step(at, weight_steps.bytes[1]);
    }
    at = first;
    CORACLE_UNROLL for (int x = 0; x < kInColumns; ++x) {
      V v[kInRows];
      CORACLE_UNROLL for (int y = 0; y < kInRows; ++y) {
        v[y] = load(behind(kInputs == Inputs::kInside ? input[y] : pointers[y * kInColumns + x], at));
      }
      if constexpr (kInputs == Inputs::kInside) step(at, input_steps.bytes[1]);
      CORACLE_UNROLL for (int ky = 0; ky < kKernel; ++ky) {
        CORACLE_UNROLL for (int j = 0; j < kBlockColumns; ++j) {
          const int kx = x - j * kStride;
          if (kx < 0 || kx >= kKernel) continue;
          CORACLE_UNROLL for (int i = 0; i < kRows; ++i) {
            sum[i][j] = hn::MulAdd(v[ky + i * kStride], w[ky][kx], sum[i][j]);
          }
        }
      }
    }
  }

  // One vector of channels from `channel` on; a partial vector has `count` channels.
  template <Inputs kInputs, bool kPartial>
  HWY_INLINE void convolve(const DepthwiseCall& call, const Chain& chain, const BlockCall& block, int64_t channel,
                           size_t count) const {
    const FloatTag d;
    const auto load = [&](const float* p) HWY_ATTR {
      if constexpr (kPartial) {
        return load_partial(d, p, count);
      } else {
        return hn::LoadU(d, p);
      }
    };
    V sum[kRows][kBlockColumns];
    const V start = chain.bias == nullptr ? hn::Zero(d) : load(chain.bias + channel);
    CORACLE_UNROLL for (int i = 0; i < kRows; ++i) {
      CORACLE_UNROLL for (int j = 0; j < kBlockColumns; ++j) sum[i][j] = start;
    }
    if constexpr (kByInputColumns) {
      add_input_columns<kInputs>(load, channel, sum);
    } else {
      add_filter_columns<kInputs>(load, channel, sum);
    }
    if (chain.in_tile) {
      // From the last column to the first one: pixels to drop are written over the last wanted one, and over by it.
      with_tile_epilogue<false>(chain.tile, [&](auto f) HWY_ATTR {
        CORACLE_UNROLL for (int i = 0; i < kRows; ++i) {
          CORACLE_UNROLL for (int j = kBlockColumns - 1; j >= 0; --j) {
            float* c = output_steps.at(output[i] + channel, j);
            const V result = f(sum[i][j], c);
            if constexpr (kPartial) {
              store_partial(d, result, c, count);
            } else {
              hn::StoreU(result, d, c);
            }
          }
        }
      });
      return;
    }
    HWY_ALIGN float tile[kRows * kBlockColumns * kFloatLanes];
    size_t pixels = 0;
    CORACLE_UNROLL for (int i = 0; i < kRows; ++i) {
      CORACLE_UNROLL for (int j = 0; j < kBlockColumns; ++j) {
        if (j >= block.columns) continue;
        hn::Store(sum[i][j], d, tile + pixels * kFloatLanes);
        ++pixels;
      }
    }
    apply_epilogue(chain.ops, chain.count, tile, kFloatLanes, pixels, kPartial ? count : kFloatLanes,
                   {call.output, call.out_stride, block.pixels, static_cast<size_t>(channel)});
  }
};

// All channels of a block.
template <int kKernel, int kStride, int kRows>
void convolve_block_channels(const DepthwiseCall& call, const Chain& chain, const BlockCall& block_call, bool inside) {
  constexpr int64_t kLanes = kFloatLanes;
  const int64_t channels = call.channels;
  const Block<kKernel, kStride, kRows> block(call, block_call);
  int64_t channel = 0;
  if (inside) {
    for (; channel + kLanes <= channels; channel += kLanes) {
      block.template convolve<Inputs::kInside, false>(call, chain, block_call, channel, 0);
    }
  } else {
    for (; channel + kLanes <= channels; channel += kLanes) {
      block.template convolve<Inputs::kPointers, false>(call, chain, block_call, channel, 0);
    }
  }
  if (channel < channels) {
    block.template convolve<Inputs::kPointers, true>(call, chain, block_call, channel,
                                                     static_cast<size_t>(channels - channel));
  }
}

// kRows output rows from oy on of image n.
template <int kKernel, int kStride, int kRows>
void run_block_rows(const DepthwiseCall& call, const Chain& chain, int64_t n, int64_t oy) {
  constexpr int kInRows = (kRows - 1) * kStride + kKernel;
  constexpr int kInColumns = (kBlockColumns - 1) * kStride + kKernel;
  constexpr int64_t kLanes = kFloatLanes;
  const bool needs_pointers = call.channels % kLanes != 0;
  const float* pointers[kInRows * kInColumns];
  BlockCall block{};
  block.pointers = pointers;
  block.weights = call.packed;
  block.weight_step = call.weight_step;
  block.input_column = call.in_stride;
  block.input_row = call.in_w * call.in_stride;
  const int64_t y = oy * kStride - call.pad_top;
  const float* image = call.input + n * call.in_h * block.input_row;
  for (int64_t ox = 0; ox < call.out_w; ox += kBlockColumns) {
    block.columns = static_cast<int>(call.out_w - ox < kBlockColumns ? call.out_w - ox : kBlockColumns);
    const int64_t x = ox * kStride - call.pad_left;
    const bool inside = y >= 0 && y + kInRows <= call.in_h && x >= 0 && x + kInColumns <= call.in_w;
    block.input = inside ? image + y * block.input_row + x * block.input_column : image;
    if (!inside || needs_pointers) {
      const float** to = pointers;
      for (int64_t r = y; r < y + kInRows; ++r) {
        for (int64_t c = x; c < x + kInColumns; ++c) {
          const bool there = r >= 0 && r < call.in_h && c >= 0 && c < call.in_w;
          *to++ = there ? image + r * block.input_row + c * block.input_column : call.zeros;
        }
      }
    }
    int64_t* pixel = block.pixels;
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < block.columns; ++j) *pixel++ = (n * call.out_h + oy + i) * call.out_w + ox + j;
    }
    convolve_block_channels<kKernel, kStride, kRows>(call, chain, block, inside);
  }
}

template <int kKernel, int kStride>
void run_blocks(const DepthwiseCall& call, const Chain& chain, int64_t row_begin, int64_t row_end) {
  for (int64_t row = row_begin; row < row_end;) {
    const int64_t oy = row % call.out_h;
    if (row + 1 < row_end && oy + 1 < call.out_h) {
      run_block_rows<kKernel, kStride, 2>(call, chain, row / call.out_h, oy);
      row += 2;
    } else {
      run_block_rows<kKernel, kStride, 1>(call, chain, row / call.out_h, oy);
      row += 1;
    }
  }
}

using BlockFunction = void (*)(const DepthwiseCall& call, const Chain& chain, int64_t row_begin, int64_t row_end);

// How to go through an image: by blocks of pixels, along its rows, or along rows that are copied side by side.
enum class Way { kBlocks, kStream, kCopies };

// Pixels that are a multiple of some lines apart share few sets of the caches. Along rows they would push each other
// out before the rest of a line is used; where even those of a block do, copying is worth it.
HWY_INLINE Way way_of(const DepthwiseCall& call) {
  constexpr int64_t kFewSets = 4 * kLineFloats;
  constexpr int64_t kFewestSets = 16 * kLineFloats;
  if (call.channels < static_cast<int64_t>(kFloatLanes)) return Way::kBlocks;
  if (call.in_stride % kFewestSets == 0 && call.channels % kLineFloats == 0) return Way::kCopies;
  return call.in_stride % kFewSets == 0 ? Way::kBlocks : Way::kStream;
}

template <bool kCopies>
HWY_INLINE BlockFunction stream_function(int64_t kernel, int64_t stride) {
  if (kHas3x3 && kernel == 3 && stride == 1) return run_streams<3, 1, kCopies>;
  if (kHas3x3 && kernel == 3 && stride == 2) return run_streams<3, 2, kCopies>;
  if (kHas5x5 && kernel == 5 && stride == 1) return run_streams<5, 1, kCopies>;
  return nullptr;
}

// The function for this filter, or null.
HWY_INLINE BlockFunction find_block_function(const DepthwiseCall& call) {
  const int64_t kernel = call.kernel_h;
  const int64_t stride = call.stride_y;
  if (call.zeros == nullptr || call.kernel_w != kernel || call.stride_x != stride) return nullptr;
  if (call.dilation_y != 1 || call.dilation_x != 1) return nullptr;
  if constexpr (kStreams) {
    switch (way_of(call)) {
      case Way::kBlocks: break;
      case Way::kStream:
        if (const BlockFunction stream = stream_function<false>(kernel, stride)) return stream;
        break;
      case Way::kCopies:
        if (const BlockFunction stream = stream_function<true>(kernel, stride)) return stream;
        break;
    }
  }
  if (kHas3x3 && kernel == 3 && stride == 1) return run_blocks<3, 1>;
  if (kHas3x3 && kernel == 3 && stride == 2) return run_blocks<3, 2>;
  if (kHas5x5 && kernel == 5 && stride == 1) return run_blocks<5, 1>;
  if (kHas5x5 && kernel == 5 && stride == 2) return run_blocks<5, 2>;
  return nullptr;
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
