// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace coracle::internal {

/// Dimensions of a tensor, outermost first, stored in place (no allocation).
/// A dimension may be unknown (kUnknown) and so may the rank; during a run all are known.
class Shape {
 public:
  static constexpr int kMaxRank = 9;
  static constexpr int64_t kUnknown = -1;

  constexpr Shape() = default;  ///< rank 0: a scalar
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims);

  static constexpr Shape unknown_rank() {
    Shape s;
    s.rank_ = -1;
    return s;
  }
  /// `rank` dimensions, all `dim`.
  static Shape filled(int rank, int64_t dim);

  bool rank_known() const { return rank_ >= 0; }
  /// Number of dimensions; the rank must be known.
  int rank() const { return rank_; }
  bool is_scalar() const { return rank_ == 0; }

  int64_t operator[](int i) const { return dims_[i]; }
  int64_t& operator[](int i) { return dims_[i]; }
  int64_t back() const { return dims_[rank_ - 1]; }

  const int64_t* begin() const { return dims_; }
  const int64_t* end() const { return dims_ + (rank_ < 0 ? 0 : rank_); }
  int64_t* begin() { return dims_; }
  int64_t* end() { return dims_ + (rank_ < 0 ? 0 : rank_); }
  std::span<const int64_t> dims() const { return {begin(), end()}; }

  /// True if the rank and every dimension are known.
  bool known() const;
  /// Product of all dimensions (1 for a scalar). All must be known; throws Error above kMaxElements (base/size.h).
  int64_t count() const { return count(0, rank_); }
  /// Product of dimensions [from, to).
  int64_t count(int from, int to) const;

  void push_back(int64_t dim);
  void insert(int at, int64_t dim);
  void erase(int at);

  friend bool operator==(const Shape& a, const Shape& b);
  friend void append_text(std::string& to, const Shape& shape);  ///< "[1, 3, ?, ?]"

 private:
  int64_t dims_[kMaxRank] = {};
  int rank_ = 0;
};

/// `axis` counted from the front; negative counts from the end. Throws Error when outside [-rank, rank).
int normalize_axis(int64_t axis, int rank, std::string_view what = "axis");

/// NumPy broadcasting of two shapes; unknown dimensions stay unknown unless the other decides.
Shape broadcast(const Shape& a, const Shape& b);

/// True if the two can be the same shape (unknown dimensions match anything).
bool compatible(const Shape& a, const Shape& b);

/// The shape of a value that is either of two: dimensions that differ are unknown, and so is a rank that differs.
Shape joined(const Shape& a, const Shape& b);

/// a * b, Error on overflow or when negative.
int64_t checked_multiply(int64_t a, int64_t b);
int64_t checked_add(int64_t a, int64_t b);

}  // namespace coracle::internal
