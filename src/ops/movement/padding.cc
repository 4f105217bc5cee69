// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/padding.h"

#include "base/convert.h"
#include "base/counted.h"
#include "ops/common/complex_numbers.h"
#include "ops/movement/movement.h"

namespace coracle::internal {
namespace {

constexpr int64_t kOutside = -1;

/// Index in a dimension of n elements that stands at position i (which may lie outside), or kOutside.
int64_t padded_source(int64_t i, int64_t n, PadMode mode) {
  if (i >= 0 && i < n) return i;
  switch (mode) {
    case PadMode::kReflect: return i < 0 ? -i : 2 * n - i - 2;
    case PadMode::kReplicate: return i < 0 ? 0 : n - 1;
    case PadMode::kCircular: return (i % n + n) % n;
    default: return kOutside;
  }
}

}  // namespace

PadMode pad_mode_of(const std::string& name) {
  if (name == "constant") return PadMode::kConstant;
  if (name == "reflect") return PadMode::kReflect;
  if (name == "replicate" || name == "edge") return PadMode::kReplicate;
  if (name == "circular") return PadMode::kCircular;
  fail(ErrorCode::kUnsupported, "pad mode '", name, "', expected constant, reflect, replicate, edge or circular");
}

Shape padded_shape(const Shape& x, std::span<const PadAmount> amounts, PadMode mode) {
  Shape y = x;
  for (int i = 0; i < x.rank(); ++i) {
    if (x[i] < 0) continue;
    const PadAmount& amount = amounts[static_cast<size_t>(i)];
    const int64_t most = std::max(amount.before, amount.after);
    require(mode != PadMode::kReflect || most <= 0 || most < x[i], "reflecting ", counted(most, "element"),
            " of dimension ", i, " of x ", x, ", which must be larger");
    require(mode == PadMode::kConstant || most <= 0 || x[i] > 0, "dimension ", i, " of x ", x,
            " has nothing to repeat");
    y[i] = checked_add(checked_add(x[i], amount.before), amount.after);
    require(y[i] >= 0, "padding leaves ", counted(y[i], "element"), " in dimension ", i, " of x ", x);
  }
  return y;
}

void pad_tensor(const Tensor& x, std::span<const PadAmount> amounts, PadMode mode, double value, Tensor& out) {
  const ElementWalk from = row_major(x.shape());
  const ElementWalk to = row_major(out.shape());
  const int rank = from.rank;
  std::vector<std::vector<int64_t>> source(static_cast<size_t>(rank));
  for (int d = 0; d < rank; ++d) {
    const auto at = static_cast<size_t>(d);
    for (int64_t i = 0; i < to.size[d]; ++i) {
      source[at].push_back(padded_source(i - amounts[at].before, from.size[d], mode));
    }
  }
  const int64_t count = out.count();
  const auto pad = [&]<class T>(T* result) {
    const T fill = convert<T>(value);
    const T* in = x.data<T>();
    int64_t at[Shape::kMaxRank] = {};
    const int64_t width = rank == 0 ? 1 : to.size[rank - 1];
    for (int64_t row = 0; row < count; row += width) {
      int64_t start = 0;
      bool outside = false;
      for (int d = 0; d + 1 < rank; ++d) {
        const int64_t s = source[static_cast<size_t>(d)][static_cast<size_t>(at[d])];
        outside = outside || s == kOutside;
        start += s * from.step[d];
      }
      for (int64_t i = 0; i < width; ++i) {
        const int64_t s = rank == 0 ? 0 : source[static_cast<size_t>(rank - 1)][static_cast<size_t>(i)];
        result[row + i] = outside || s == kOutside ? fill : in[start + s];
      }
      for (int d = rank - 2; d >= 0; --d) {
        if (++at[d] < to.size[d]) break;
        at[d] = 0;
      }
    }
  };
  if (is_complex(x.dtype())) {
    return visit_complex(x.dtype(),
                         [&](auto* p) { pad(out.data<std::complex<std::remove_pointer_t<decltype(p)>>>()); });
  }
  visit_real(x.dtype(), [&](auto* p) { pad(out.data<std::remove_pointer_t<decltype(p)>>()); });
}

}  // namespace coracle::internal
