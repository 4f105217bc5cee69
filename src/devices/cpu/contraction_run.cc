// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "devices/cpu/bands.h"
#include "devices/cpu/contraction.h"

/// How a contraction that is planned runs on its threads.
namespace coracle::internal::cpu {
namespace {

/// Multiplications that are worth a thread.
constexpr int64_t kContractionGrain = 256 << 10;
/// Elements copied or packed that are worth a thread.
constexpr int64_t kCopyGrain = 32 << 10;
/// Columns of a part where rows are few.
constexpr int64_t kColumnTile = 128;
/// Products for each thread that share the work evenly enough.
constexpr size_t kManyProducts = 8;
/// Multiplications of one thread that are not cut: some tens of milliseconds, as a limit on time is not looked at
/// meanwhile.
constexpr int64_t kMostWhole = int64_t{1} << 30;

/// Copies of matrices side by side, all threads taking part.
template <class T>
void copy_matrices(const TransposeFunctions& moves, const Permutation& copy, const std::vector<int64_t>& offsets,
                   const T* from, T* to, ThreadPool& pool) {
  int64_t slice = 1;
  for (int i = 1; i < copy.rank; ++i) slice *= copy.dims[i];
  const int64_t slices = copy.dims[0];
  pool.parallel_for(static_cast<int64_t>(offsets.size()) * slices, kCopyGrain / slice + 1,
                    [&](int64_t begin, int64_t end) {
                      while (begin < end) {
                        const int64_t matrix = begin / slices;
                        const int64_t last = std::min(end, (matrix + 1) * slices);
                        moves.permute(sizeof(T), copy, from + offsets[static_cast<size_t>(matrix)],
                                      to + matrix * slices * slice, begin - matrix * slices, last - matrix * slices);
                        begin = last;
                      }
                    });
}

/// f(product, begin, end) for parts of `count` things that each product has, one costing `cost` multiplications.
template <class F>
void for_parts(ThreadPool& pool, int64_t products, int64_t count, int64_t cost, const F& f) {
  pool.parallel_for(products * count, kContractionGrain / (cost + 1) + 1, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t product = begin / count;
      const int64_t last = std::min(end, (product + 1) * count);
      f(static_cast<size_t>(product), begin - product * count, last - product * count);
      begin = last;
    }
  });
}

}  // namespace

GemmCall Contraction::bound(const float* a, const float* packed, float* c) const {
  GemmCall call = call_;
  call.a = a;
  call.packed = packed;
  call.c = c;
  return call;
}

template <class T>
void Contraction::run_direct(const T* a, const T* b, T* c, int64_t row, int64_t rows, int64_t column,
                             int64_t end) const {
  const DirectProduct<T> product{a + row * a_row_, a_row_, a_depth_, b,     b_depth_,
                                 c + row * c_row_, c_row_, rows,     depth_};
  if constexpr (sizeof(T) == sizeof(double)) {
    direct_->direct_double(product, column, end);
  } else {
    direct_->direct(product, column, end);
  }
}

template <class T>
void Contraction::run_each(const T* a, const T* b, T* c, char* workspace, const KernelCall& call) const noexcept {
  ThreadPool& pool = *call.pool;
  const auto count = static_cast<int64_t>(products_.size());
  const int64_t worth = count * rows_ * columns_ * depth_ / kContractionGrain + 1;
  const int64_t bands = std::min({count, worth, static_cast<int64_t>(pool.threads())});
  for_bands(pool, count, bands, [&](int64_t band, int64_t begin, int64_t end) {
    T* const left = reinterpret_cast<T*>(workspace + left_at_) + band * rows_ * depth_;
    T* const right = reinterpret_cast<T*>(workspace + right_at_) + band * columns_ * depth_;
    for (int64_t i = begin; i < end && !call.over(); ++i) {
      const Product& p = products_[static_cast<size_t>(i)];
      if (copies_left_) moves_->permute(sizeof(T), left_copy_, a + p.a, left, 0, left_copy_.dims[0]);
      if (copies_right_) moves_->permute(sizeof(T), right_copy_, b + p.b, right, 0, right_copy_.dims[0]);
      const T* const x = copies_left_ ? left : a + p.a;
      const T* const y = copies_right_ ? right : b + p.b;
      if (method_ == Method::kDirect) {
        run_direct(x, y, c + p.c, 0, rows_, 0, columns_);
      } else if constexpr (sizeof(T) == sizeof(float)) {
        float* const packed = reinterpret_cast<float*>(workspace + packed_at_) + band * packed_floats_;
        const int64_t panels = gemm_->panels(columns_);
        GemmSource source = source_;
        source.data = y;
        gemm_->pack(call_.shape, source, packed, 0, panels);
        gemm_->run(bound(x, packed, c + p.c), 0, rows_, 0, panels);
      }
    }
  });
}

template <class T>
void Contraction::run_of(const T* a, const T* b, T* c, char* workspace, const KernelCall& call) const noexcept {
  ThreadPool& pool = *call.pool;
  // Matrices that several products share would be copied for each of them.
  const size_t all = products_.size();
  const bool own = right_.size() == all && (!copies_left_ || left_.size() == all);
  const auto threads = static_cast<size_t>(pool.threads());
  const int64_t work = static_cast<int64_t>(all) * rows_ * columns_ * depth_ / pool.threads();
  if (method_ != Method::kDots && own && work <= kMostWhole && (all % threads == 0 || all >= kManyProducts * threads)) {
    return run_each(a, b, c, workspace, call);
  }
  T* const left = reinterpret_cast<T*>(workspace + left_at_);
  T* const right = reinterpret_cast<T*>(workspace + right_at_);
  if (copies_left_) copy_matrices(*moves_, left_copy_, left_, a, left, pool);
  if (copies_right_) copy_matrices(*moves_, right_copy_, right_, b, right, pool);
  const auto left_of = [&](const Product& p) { return copies_left_ ? left + p.left * rows_ * depth_ : a + p.a; };
  const auto right_of = [&](int64_t number, int64_t offset) {
    return copies_right_ ? right + number * columns_ * depth_ : b + offset;
  };
  const auto count = static_cast<int64_t>(products_.size());
  const int64_t tiles = (rows_ + row_tile_ - 1) / row_tile_;
  // Where there are not enough tiles of rows for all threads, columns are split.
  const bool by_columns = count * tiles < 2 * pool.threads() && columns_ > kColumnTile;
  if (method_ == Method::kDots) {
    return for_parts(pool, count, rows_, depth_, [&](size_t i, int64_t begin, int64_t end) {
      const Product& p = products_[i];
      const RowDots<T> dots{left_of(p), a_row_, right_of(p.right, p.b), c + p.c, c_row_, depth_};
      if constexpr (sizeof(T) == sizeof(double)) {
        direct_->dots_double(dots, begin, end);
      } else {
        direct_->dots(dots, begin, end);
      }
    });
  }
  if (method_ == Method::kDirect) {
    const auto part = [&](const Product& p, int64_t row, int64_t rows, int64_t column, int64_t end) {
      run_direct(left_of(p), right_of(p.right, p.b), c + p.c, row, rows, column, end);
    };
    if (by_columns) {
      return for_parts(pool, count, (columns_ + kColumnTile - 1) / kColumnTile, rows_ * depth_ * kColumnTile,
                       [&](size_t i, int64_t begin, int64_t end) {
                         part(products_[i], 0, rows_, begin * kColumnTile, std::min(end * kColumnTile, columns_));
                       });
    }
    return for_parts(pool, count, tiles, row_tile_ * depth_ * columns_, [&](size_t i, int64_t begin, int64_t end) {
      part(products_[i], begin * row_tile_, std::min(end * row_tile_, rows_) - begin * row_tile_, 0, columns_);
    });
  }
  if constexpr (sizeof(T) == sizeof(float)) {
    auto* packed = reinterpret_cast<float*>(workspace + packed_at_);
    const int64_t panels = gemm_->panels(columns_);
    const auto matrices = static_cast<int64_t>(right_.size());
    const int64_t panel_floats = depth_ * columns_ / panels + 1;
    pool.parallel_for(matrices * panels, kCopyGrain / panel_floats + 1, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        const int64_t matrix = begin / panels;
        const int64_t last = std::min(end, (matrix + 1) * panels);
        GemmSource source = source_;
        source.data = right_of(matrix, right_[static_cast<size_t>(matrix)]);
        gemm_->pack(call_.shape, source, packed + matrix * packed_floats_, begin - matrix * panels,
                    last - matrix * panels);
        begin = last;
      }
    });
    const auto bound_to = [&](const Product& p) {
      return bound(left_of(p), packed + p.right * packed_floats_, c + p.c);
    };
    if (by_columns) {
      return for_parts(pool, count, panels, rows_ * panel_floats, [&](size_t i, int64_t begin, int64_t end) {
        gemm_->run(bound_to(products_[i]), 0, rows_, begin, end);
      });
    }
    for_parts(pool, count, tiles, row_tile_ * depth_ * columns_, [&](size_t i, int64_t begin, int64_t end) {
      gemm_->run(bound_to(products_[i]), begin * row_tile_, std::min(end * row_tile_, rows_), 0, panels);
    });
  }
}

void Contraction::run(const void* a, const void* b, void* c, void* workspace, const KernelCall& call) const noexcept {
  ThreadPool& pool = *call.pool;
  if (swapped_) std::swap(a, b);
  auto* const room = static_cast<char*>(workspace);
  void* const to = moves_result_ ? room + result_at_ : c;
  if (element_ == sizeof(double)) {
    run_of(static_cast<const double*>(a), static_cast<const double*>(b), static_cast<double*>(to), room, call);
  } else {
    run_of(static_cast<const float*>(a), static_cast<const float*>(b), static_cast<float*>(to), room, call);
  }
  if (!moves_result_) return;
  int64_t slice = 1;
  for (int i = 1; i < result_.rank; ++i) slice *= result_.dims[i];
  pool.parallel_for(result_.dims[0], kCopyGrain / slice + 1,
                    [&](int64_t begin, int64_t end) { moves_->permute(element_, result_, to, c, begin, end); });
}

}  // namespace coracle::internal::cpu
