// SPDX-License-Identifier: Apache-2.0
#include "ops/common/binary.h"

#include "base/buffer.h"
#include "base/long_loop.h"
#include "ops/common/complex_numbers.h"
#include "ops/shape/reshape.h"
#include "ops/shape/unsqueeze.h"

namespace coracle::internal {
namespace {

/// `small` seen with the rank of `big`, its dimensions beginning at `axis`.
ValueId aligned(Lowering& l, ValueId small, const Shape& big, int64_t axis) {
  const int rank = big.rank();
  const Shape shape = l.fact(small).shape;
  if (axis < 0) axis += rank;
  require(axis >= 0 && axis <= rank, "axis ", axis, " does not align ", shape, " with ", big);
  if (axis + shape.rank() == rank) return small;
  if (axis + shape.rank() > rank) {
    // Trailing ones may stand past the end.
    Ints dims;
    int keep = shape.rank();
    while (keep > 0 && axis + keep > rank && shape[keep - 1] == 1) --keep;
    require(axis + keep <= rank, "axis ", axis, " does not align ", shape, " with ", big);
    for (int i = 0; i < keep; ++i) dims.push_back(shape[i] < 0 ? 0 : shape[i]);
    dims.insert(dims.end(), static_cast<size_t>(rank - axis - keep), 1);
    return l.add(Reshape{}, {{small}, {l.constant(Tensor::ints(dims))}});
  }
  Ints axes;
  for (int64_t d = shape.rank(); d < rank - axis; ++d) axes.push_back(d);
  return l.add(Unsqueeze{}, {{small}, {l.constant(Tensor::ints(axes))}});
}

}  // namespace

Tensor converted(const RunContext& context, const Tensor& t, DType dtype) {
  if (t.dtype() == dtype) return t;
  if (is_complex(dtype)) return as_complex_type(context, t, dtype);
  Tensor out = Tensor::make(context, dtype, t.shape());
  if (is_float(t.dtype()) || is_float(dtype)) {
    out.assign(context, doubles_of(context, t));
  } else {
    out.assign(context, t.integers(context));
  }
  return out;
}

void map_complex(const RunContext& context, const Tensor& x, ComplexFunction* f, Tensor& out) {
  visit_complex(x.dtype(), [&](auto* p) {
    using C = std::complex<std::remove_pointer_t<decltype(p)>>;
    LoopCheck check(context);
    for (int64_t i = 0, n = x.count(); i < n; ++i) {
      check.step();
      out.data<C>()[i] = C(f(std::complex<double>(x.data<C>()[i])));
    }
  });
}

PortValues aligned_by_axis(Lowering& l) {
  ValueId x = l.input("X");
  ValueId y = l.input("Y");
  require(x != kNoValue && y != kNoValue, "operands X and Y are needed");
  const auto axis = l.attribute<int64_t>("axis", -1);
  Shape xs = l.fact(x).shape;
  const Shape ys = l.fact(y).shape;
  // Where a loop or a branch leaves the rank open, the declared one of the result, which is that of the larger operand.
  if (!xs.rank_known() && axis != -1) xs = l.declared_output("Out").shape;
  if (l.is_pir() || axis == -1 || !xs.rank_known() || !ys.rank_known() || xs.rank() == ys.rank()) return {{x}, {y}};
  if (ys.rank() == 0 || xs.rank() == 0) return {{x}, {y}};
  if (xs.rank() > ys.rank()) {
    y = aligned(l, y, xs, axis);
  } else {
    x = aligned(l, x, ys, axis);
  }
  return {{x}, {y}};
}

}  // namespace coracle::internal
