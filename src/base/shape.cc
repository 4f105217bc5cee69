// SPDX-License-Identifier: Apache-2.0
#include "base/shape.h"

#include <algorithm>

#include "base/counted.h"
#include "base/size.h"

namespace coracle::internal {

Shape::Shape(std::span<const int64_t> dims) {
  require(dims.size() <= kMaxRank, "a tensor has ", counted(dims.size(), "dimension"), ", at most ", kMaxRank,
          " are supported");
  rank_ = static_cast<int>(dims.size());
  std::copy(dims.begin(), dims.end(), dims_);
}

Shape Shape::filled(int rank, int64_t dim) {
  Shape s;
  for (int i = 0; i < rank; ++i) s.push_back(dim);
  return s;
}

bool Shape::known() const {
  return rank_known() && std::all_of(begin(), end(), [](int64_t d) { return d >= 0; });
}

int64_t Shape::count(int from, int to) const {
  int64_t n = 1;
  for (int i = from; i < to; ++i) {
    if (dims_[i] == 0) return 0;
  }
  for (int i = from; i < to; ++i) {
    require(dims_[i] > 0, "the number of elements of a tensor ", *this, " is not known");
    if (__builtin_mul_overflow(n, dims_[i], &n) || n > kMaxElements) [[unlikely]] {
      fail(ErrorCode::kOutOfMemory, "a tensor ", *this, " is too large: it would have more than ",
           counted(kMaxElements, "element"));
    }
  }
  return n;
}

void Shape::push_back(int64_t dim) { insert(rank_, dim); }

void Shape::insert(int at, int64_t dim) {
  require(rank_ < kMaxRank, "a tensor would have more than ", counted(kMaxRank, "dimension"));
  for (int i = rank_; i > at; --i) dims_[i] = dims_[i - 1];
  dims_[at] = dim;
  ++rank_;
}

void Shape::erase(int at) {
  for (int i = at; i + 1 < rank_; ++i) dims_[i] = dims_[i + 1];
  dims_[--rank_] = 0;
}

bool operator==(const Shape& a, const Shape& b) {
  return a.rank_ == b.rank_ && std::equal(a.begin(), a.end(), b.begin(), b.end());
}

void append_text(std::string& to, const Shape& shape) {
  if (!shape.rank_known()) {
    to.append("[...]");
    return;
  }
  to.push_back('[');
  for (int i = 0; i < shape.rank(); ++i) {
    if (i != 0) to.append(", ");
    if (shape[i] < 0) {
      to.push_back('?');
    } else {
      to.append(std::to_string(shape[i]));
    }
  }
  to.push_back(']');
}

int normalize_axis(int64_t axis, int rank, std::string_view what) {
  require(axis >= -rank && axis < rank, what, " is ", axis, ", expected between ", -rank, " and ", rank - 1);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Shape broadcast(const Shape& a, const Shape& b) {
  if (!a.rank_known() || !b.rank_known()) return Shape::unknown_rank();
  const int rank = std::max(a.rank(), b.rank());
  Shape out = Shape::filled(rank, 1);
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.rank());
    const int ib = i - (rank - b.rank());
    const int64_t da = ia < 0 ? 1 : a[ia];
    const int64_t db = ib < 0 ? 1 : b[ib];
    if (da == db || db == 1) {
      out[i] = da;
    } else if (da == 1) {
      out[i] = db;
    } else if (da < 0 || db < 0) {
      out[i] = std::max(da, db);
    } else {
      fail(ErrorCode::kInvalidModel, "shapes ", a, " and ", b, " do not broadcast: dimension ", i, " is ", da, " and ",
           db);
    }
  }
  return out;
}

bool compatible(const Shape& a, const Shape& b) {
  if (!a.rank_known() || !b.rank_known()) return true;
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i) {
    if (a[i] >= 0 && b[i] >= 0 && a[i] != b[i]) return false;
  }
  return true;
}

Shape joined(const Shape& a, const Shape& b) {
  if (!a.rank_known() || !b.rank_known() || a.rank() != b.rank()) return Shape::unknown_rank();
  Shape out = a;
  for (int i = 0; i < out.rank(); ++i) {
    if (out[i] != b[i]) out[i] = Shape::kUnknown;
  }
  return out;
}

int64_t checked_multiply(int64_t a, int64_t b) {
  int64_t out = 0;
  require(a >= 0 && b >= 0 && !__builtin_mul_overflow(a, b, &out), "size ", a, " x ", b, " does not fit");
  return out;
}

int64_t checked_add(int64_t a, int64_t b) {
  int64_t out = 0;
  require(!__builtin_add_overflow(a, b, &out), "size ", a, " + ", b, " does not fit");
  return out;
}

}  // namespace coracle::internal
