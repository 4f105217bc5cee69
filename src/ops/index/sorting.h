// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <type_traits>

#include "base/buffer.h"
#include "base/long_loop.h"
#include "ops/common/joining.h"
#include "ops/common/sharing_lod.h"

namespace coracle::internal {

/// The key of NaN: it is the largest of floats. Of integers the largest has it.
inline constexpr int64_t kNanKey = std::numeric_limits<int64_t>::max();

/// A number in whose order elements are: x comes before y where key_of(x) < key_of(y), and they are as good as equal,
/// like zeros of both signs and NaN, where the keys are the same. So elements of every type are sorted by the same
/// code.
int64_t sort_key(double x);
template <class T>
int64_t key_of(T x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<int64_t>(x);
  } else {
    return sort_key(static_cast<double>(x));
  }
}
/// The keys of to.size() elements from `first` on, `step` apart; where `descending`, in the opposite order.
void take_keys(const Tensor& x, int64_t first, int64_t step, bool descending, std::span<int64_t> to);

/// LoopCheck::step for comparisons, of which the code of a sort has many copies. They refer to the check: a sort copies
/// its comparison.
[[gnu::noinline]] inline void step_of_sort(LoopCheck& check) { check.step(); }

/// Fills `order` with the positions of the keys in sorted order, of equal ones as they stand.
void sort_positions(std::span<const int64_t> keys, std::span<int64_t> order, LoopCheck& check);

/// The first k elements of each sorted row and their indices (int64); either result may be null.
void take_sorted(const RunContext& context, const Tensor& x, int axis, bool descending, int64_t k, Tensor& values,
                 Tensor* indices);

/// A scalar's axis may be 0 or -1.
inline int sorting_axis(int64_t axis, const Shape& x) { return normalize_axis(axis, x.is_scalar() ? 1 : x.rank()); }

/// Results 0 (values) and 1 (their int64 indices) have one element for each row of x along `axis_value`.
inline void infer_one_per_row(InferArgs& a, int64_t axis_value, bool keepdim) {
  Shape y = a.shape(0);
  if (y.rank_known()) {
    const int axis = sorting_axis(axis_value, y);
    if (!y.is_scalar()) {
      if (keepdim) {
        y[axis] = 1;
      } else {
        y.erase(axis);
      }
    }
  }
  a.set(0, a.dtype(0), y);
  a.set(1, DType::kInt64, y);
  share_lod(a, 1, 0);
}

/// The same computed: pick(keys) gives the position in the row of the element taken. Keys are of ascending order.
void reference_one_per_row(ReferenceArgs& a, int64_t axis_value,
                           const std::function<int64_t(std::span<const int64_t> keys)>& pick);

}  // namespace coracle::internal
