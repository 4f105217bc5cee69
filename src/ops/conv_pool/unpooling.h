// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "base/buffer.h"
#include "graph/op.h"
#include "ops/common/data_format.h"
#include "ops/common/indices.h"

namespace coracle::internal {

/// The way back from pooling with indices over `kSpatial` dimensions: each element of x goes where `indices` says (a
/// flat index in its channel of the result), the rest is 0. Base of unpool and unpool3d.
template <int kSpatial>
struct Unpooling {
  static constexpr Port kInputs[] = {in("x", "X"), in("indices", "Indices"), shape_in("output_size", "output_size")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  Ints ksize;
  Ints strides = Ints(kSpatial, 1);
  Ints padding = Ints(kSpatial, 0);
  DataFormat data_format = kSpatial == 2 ? DataFormat::kNchw : DataFormat::kNcdhw;
  void attributes(AttributeVisitor& visit) {
    visit("ksize", ksize);
    visit("strides", strides);
    visit(kSpatial == 2 ? "padding" : "paddings", padding, "paddings");
    visit("data_format", data_format);
  }
  friend bool operator==(const Unpooling&, const Unpooling&) = default;
};

template <int kSpatial>
void infer_unpooling(const Unpooling<kSpatial>& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  require(!is_channels_last(op.data_format), ErrorCode::kUnsupported, "channels must come first");
  require(is_integer(a.dtype(1)), "indices is ", a.dtype(1), ", expected an integer type");
  const Shape& x = a.shape(0);
  require(!x.rank_known() || x.rank() == kSpatial + 2, "x ", x, " has ", x.rank(), " dimensions, expected ",
          kSpatial + 2);
  require(compatible(x, a.shape(1)), "x ", x, " and indices ", a.shape(1), " differ in shape");
  const std::optional<Ints> size = a.has(2) ? a.ints(2) : Ints{};
  Shape y = Shape::filled(kSpatial + 2, Shape::kUnknown);
  if (x.rank_known()) {
    y[0] = x[0];
    y[1] = x[1];
  }
  constexpr auto kCount = static_cast<size_t>(kSpatial);
  for (size_t i = 0; size && i < kCount; ++i) {
    const int d = static_cast<int>(i) + 2;
    if (!size->empty() && size->back() > 0) {
      require(size->size() == kCount || size->size() == kCount + 2, "output_size has ", size->size(),
              " entries, expected ", kCount);
      y[d] = (*size)[size->size() - kCount + i];
    } else if (x.rank_known() && x[d] >= 0) {
      require(op.ksize.size() == kCount && op.strides.size() == kCount && op.padding.size() == kCount,
              "ksize, strides and paddings must have ", kCount, " entries");
      for (const Ints* list : {&op.ksize, &op.strides, &op.padding}) {
        require((*list)[i] >= 0 && (*list)[i] < (int64_t{1} << 31), "ksize, strides or paddings has ", (*list)[i],
                ", expected a number of 31 bits, not negative");
      }
      y[d] =
          checked_add(checked_multiply(std::max<int64_t>(x[d] - 1, 0), op.strides[i]), op.ksize[i] - 2 * op.padding[i]);
    }
    require(y[d] >= -1, "the result would have the size ", y[d]);
  }
  a.set(0, a.dtype(0), y);
}

inline void reference_unpooling(ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  Tensor& y = a.out(0);
  const int64_t from = s.count(2, s.rank());
  const int64_t to = y.shape().count(2, s.rank());
  const Buffer<int64_t> indices = a.integers(1);
  visit_float(y.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    std::fill_n(y.data<T>(), y.count(), T(0));
    for (int64_t i = 0, n = s.count(); i < n; ++i) {
      const int64_t at = checked_index(indices[static_cast<size_t>(i)], to, "Indices", i);
      y.data<T>()[i / from * to + at] = a.in(0).data<T>()[i];
    }
  });
}

}  // namespace coracle::internal
