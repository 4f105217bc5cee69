// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolution for the usual square filters that goes along the rows: one or two output rows by one vector of
// channels, from input column to input column. Each input vector is loaded once; the sums of the output columns that an
// input column belongs to stay in registers. Included only by depthwise.cc.
#pragma once

#include "depthwise.h"
#include "epilogue.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// Output columns that are computed for one vector of channels before the next: the lines of their inputs, which hold
// more channels than one vector, should stay in the level-1 cache.
constexpr int64_t kStreamColumns = 64;

// Of lines that are copied first, so many.
template <int kStride>
constexpr int64_t kCopiedColumns = kStride == 1 ? 32 : 16;

constexpr int64_t kLineFloats = 16;

// The sums of kRows rows of the output, in so many columns.
struct Stream {
  const float* const* rows;  // of the input, at column 0; null outside the image
  const float* weights;
  const float* bias;  // or null
  int64_t weight_step;
  int64_t in_w, in_column;    // in_column: floats from column to column
  int64_t x;                  // the first output column's first tap
  int64_t columns;            // of the output
  float* to;                  // the first result
  int64_t to_row, to_column;  // floats from row to row and from column to column of results
  const float* ahead;         // what is read after these rows, a line for each input column
};

template <int kKernel, int kStride, int kRows, bool kInside>
struct StreamSums {
  using V = FloatVector;
  static constexpr int kInRows = (kRows - 1) * kStride + kKernel;
  static constexpr int kLive = (kKernel + kStride - 1) / kStride;  // output columns of an input column

  V sum[kLive][kRows];  // the newest column first

  // The input column that is column kFirst of the newest output column's taps. Every sum takes its taps column by
  // column, from top to bottom.
  template <int kFirst>
  HWY_INLINE void add(const float* const* rows, int64_t at, const V (&w)[kKernel][kKernel]) {
    const FloatTag d;
    V v[kInRows];
    CORACLE_UNROLL for (int y = 0; y < kInRows; ++y) {
      v[y] = kInside || rows[y] != nullptr ? hn::LoadU(d, rows[y] + at) : hn::Zero(d);
    }
    CORACLE_UNROLL for (int ky = 0; ky < kKernel; ++ky) {
      CORACLE_UNROLL for (int l = 0; l < kLive; ++l) {
        const int kx = kFirst + l * kStride;
        if (kx >= kKernel) continue;
        CORACLE_UNROLL for (int i = 0; i < kRows; ++i) {
          sum[l][i] = hn::MulAdd(v[ky + i * kStride], w[ky][kx], sum[l][i]);
        }
      }
    }
  }

  template <class F>
  HWY_INLINE void run(const Stream& s, F f) {
    const FloatTag d;
    V w[kKernel][kKernel];
    CORACLE_UNROLL for (int ky = 0; ky < kKernel; ++ky) {
      CORACLE_UNROLL for (int kx = 0; kx < kKernel; ++kx) {
        w[ky][kx] = hn::LoadU(d, s.weights + (ky * kKernel + kx) * s.weight_step);
      }
    }
    const float* rows[kInRows];
    CORACLE_UNROLL for (int y = 0; y < kInRows; ++y) {
      rows[y] = s.rows[y];
      asm("" : "+r"(rows[y]));
    }
    const V start = s.bias == nullptr ? hn::Zero(d) : hn::LoadU(d, s.bias);
    CORACLE_UNROLL for (int l = 0; l < kLive; ++l) { CORACLE_UNROLL for (int i = 0; i < kRows; ++i) sum[l][i] = start; }
    int64_t x = s.x;
    int64_t at = x * s.in_column;
    float* to = s.to;
    const float* ahead = s.ahead;
    for (int64_t column = 1 - kLive; column < s.columns; ++column, ++x, at += s.in_column) {
      if constexpr (kStride == 1) {
        __builtin_prefetch(ahead, 0, 2);
        ahead += kLineFloats;
      }
      if (x >= 0 && x < s.in_w) add<0>(rows, at, w);
      if (column >= 0) {
        CORACLE_UNROLL for (int i = 0; i < kRows; ++i) {
          hn::StoreU(f(sum[kLive - 1][i], nullptr), d, to + i * s.to_row);
        }
        to += s.to_column;
      }
      CORACLE_UNROLL for (int k = 1; k < kStride; ++k) {
        ++x;
        at += s.in_column;
        if (x >= 0 && x < s.in_w) add<1>(rows, at, w);
      }
      CORACLE_UNROLL for (int l = kLive - 1; l > 0; --l) {
        CORACLE_UNROLL for (int i = 0; i < kRows; ++i) sum[l][i] = sum[l - 1][i];
      }
      CORACLE_UNROLL for (int i = 0; i < kRows; ++i) sum[0][i] = start;
    }
  }
};

template <int kKernel, int kStride, int kRows, bool kInside>
void run_stream(const Stream& stream, const TileEpilogue& epilogue) {
  with_tile_epilogue<false>(epilogue, [&](auto f) HWY_ATTR {
    StreamSums<kKernel, kStride, kRows, kInside> sums;
    sums.run(stream, f);
  });
}

// Runs kRows output rows, `columns` wide, from pixel (oy, ox) of image n on.
template <int kKernel, int kStride, int kRows>
class StreamRows {
  static constexpr int kInRows = (kRows - 1) * kStride + kKernel;
  static constexpr int64_t kLanes = kFloatLanes;

 public:
  StreamRows(const DepthwiseCall& call, const Chain& chain, int64_t n, int64_t oy)
      : call_(call), chain_(chain), image_(n), oy_(oy), first_y_(oy * kStride - call.pad_top) {
    inside_ = first_y_ >= 0 && first_y_ + kInRows <= call.in_h;
    stream_.rows = rows_;
    stream_.weight_step = call.weight_step;
  }

  // Where lines are copied, channels fill them.
  void run(bool copies) {
    const bool even = call_.in_stride % (2 * kLineFloats) == 0;  // lines of pixels share half of the sets
    const int64_t most = copies ? kCopiedColumns<kStride> : even ? kStreamColumns / 2 : kStreamColumns;
    const int64_t tiles = (call_.out_w + most - 1) / most;
    for (int64_t t = 0; t < tiles; ++t) {
      const int64_t ox = call_.out_w * t / tiles;
      stream_.columns = call_.out_w * (t + 1) / tiles - ox;
      stream_.x = ox * kStride - call_.pad_left;
      // The next rows lie behind these, all channels of their pixels side by side.
      const int64_t next = (image_ * call_.in_h + first_y_ + kInRows) * call_.in_w + (stream_.x > 0 ? stream_.x : 0);
      stream_.ahead = call_.input + (next > 0 ? next : 0) * call_.in_stride;
      pixel_ = (image_ * call_.out_h + oy_) * call_.out_w + ox;
      if (copies) {
        run_copied();
      } else {
        run_in_place();
      }
    }
  }

 private:
  const float* row(int y) const {
    if (first_y_ + y < 0 || first_y_ + y >= call_.in_h) return nullptr;
    return call_.input + (image_ * call_.in_h + first_y_ + y) * call_.in_w * call_.in_stride;
  }

  void run_in_place() {
    stream_.in_w = call_.in_w;
    stream_.in_column = call_.in_stride;
    for (int64_t c = 0; c < call_.channels; c += kLanes) {
      // The last vector ends where the channels end: some of them are computed again, to the same bits.
      const int64_t channel = c + kLanes <= call_.channels ? c : call_.channels - kLanes;
      for (int y = 0; y < kInRows; ++y) {
        const float* from = row(y);
        rows_[y] = from == nullptr ? nullptr : from + channel;
      }
      compute(channel, c - channel);
    }
  }

  // A line of channels of all columns at a time.
  void run_copied() {
    constexpr int64_t kMostColumns = (kCopiedColumns<kStride> - 1) * kStride + kKernel;
    HWY_ALIGN float lines[kInRows * kMostColumns * kLineFloats];
    const FloatTag d;
    const int64_t x = stream_.x;
    const int64_t begin = x > 0 ? x : 0;
    int64_t end = x + (stream_.columns - 1) * kStride + kKernel;
    if (end > call_.in_w) end = call_.in_w;
    stream_.in_w = end - begin;
    stream_.in_column = kLineFloats;
    stream_.x = x - begin;
    for (int64_t line = 0; line < call_.channels; line += kLineFloats) {
      for (int y = 0; y < kInRows; ++y) {
        const float* from = row(y);
        rows_[y] = nullptr;
        if (from == nullptr) continue;
        float* to = lines + y * kMostColumns * kLineFloats;
        rows_[y] = to;
        from += begin * call_.in_stride + line;
        for (int64_t i = begin; i < end; ++i, from += call_.in_stride, to += kLineFloats) {
          CORACLE_UNROLL for (int64_t j = 0; j < kLineFloats; j += kLanes) {
            hn::Store(hn::LoadU(d, from + j), d, to + j);
          }
        }
      }
      for (int64_t c = 0; c < kLineFloats; c += kLanes) {
        compute(line + c, 0);
        for (int y = 0; y < kInRows; ++y) {
          if (rows_[y] != nullptr) rows_[y] += kLanes;
        }
      }
    }
  }

  // A vector of channels, of which the first `known` have been computed before.
  void compute(int64_t channel, int64_t known) {
    HWY_ALIGN float sums[kRows * kStreamColumns * kFloatLanes];
    stream_.weights = call_.packed + channel;
    stream_.bias = chain_.bias == nullptr ? nullptr : chain_.bias + channel;
    stream_.to = chain_.in_tile ? call_.output + pixel_ * call_.out_stride + channel : sums;
    stream_.to_row = chain_.in_tile ? call_.out_w * call_.out_stride : kStreamColumns * kLanes;
    stream_.to_column = chain_.in_tile ? call_.out_stride : kLanes;
    if (kRows > 1 && inside_) {
      run_stream<kKernel, kStride, kRows, kRows != 1>(stream_, chain_.tile);
    } else {
      run_stream<kKernel, kStride, kRows, false>(stream_, chain_.tile);
    }
    stream_.ahead += stream_.columns * kLineFloats;
    if (chain_.in_tile) return;
    int64_t pixels[kStreamColumns];
    for (int64_t i = 0; i < kRows; ++i) {
      for (int64_t x = 0; x < stream_.columns; ++x) pixels[x] = pixel_ + i * call_.out_w + x;
      apply_epilogue(chain_.ops, chain_.count, sums + i * kStreamColumns * kLanes + known, kFloatLanes,
                     static_cast<size_t>(stream_.columns), static_cast<size_t>(kLanes - known),
                     {call_.output, call_.out_stride, pixels, static_cast<size_t>(channel + known)});
    }
  }

  const DepthwiseCall& call_;
  const Chain& chain_;
  const int64_t image_;
  const int64_t oy_;
  const int64_t first_y_;  // of the input
  bool inside_;            // all input rows are there
  int64_t pixel_ = 0;      // of the output
  const float* rows_[kInRows];
  Stream stream_{};
};

template <int kKernel, int kStride, bool kCopies>
void run_streams(const DepthwiseCall& call, const Chain& chain, int64_t row_begin, int64_t row_end) {
  for (int64_t row = row_begin; row < row_end;) {
    const int64_t oy = row % call.out_h;
    if (row + 1 < row_end && oy + 1 < call.out_h) {
      StreamRows<kKernel, kStride, 2>(call, chain, row / call.out_h, oy).run(kCopies);
      row += 2;
    } else {
      StreamRows<kKernel, kStride, 1>(call, chain, row / call.out_h, oy).run(kCopies);
      row += 1;
    }
  }
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
