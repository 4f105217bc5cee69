// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/convert.h"
#include "base/long_loop.h"
#include "graph/lowering.h"
#include "ops/common/indices.h"

namespace coracle::internal {

/// out[..., k] = 1 where x[...] == k, else 0, for k below num_classes.
struct OneHot {
  static constexpr const char* kName = "one_hot";
  static constexpr const char* kLegacy[] = {"one_hot_v2", "one_hot"};
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("num_classes", "depth", "depth_tensor")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  DType dtype = DType::kFloat32;
  bool allow_out_of_range = false;
  bool drops_last = false;  ///< the first version: x has a trailing dimension of 1 that is replaced
  void attributes(AttributeVisitor& visit) {
    visit("dtype", dtype);
    visit("allow_out_of_range", allow_out_of_range);
    visit("drops_last", drops_last);
  }
  friend bool operator==(const OneHot&, const OneHot&) = default;
  static void lower(Lowering& l);
};

inline void infer(const OneHot& op, InferArgs& a) {
  require(a.has(1), "operand 'num_classes' is missing");
  Shape y = a.shape(0);
  if (y.rank_known()) {
    if (op.drops_last) {
      require(y.rank() >= 1 && (y.back() == 1 || y.back() < 0), "x ", y, " needs a last dimension of 1");
      y.erase(y.rank() - 1);
    }
    const std::optional<double> depth = a.number(1);
    y.push_back(depth ? position(*depth) : Shape::kUnknown);
    require(!depth || *depth > -1, "num_classes is ", depth.value_or(0));
  }
  a.set(0, op.dtype, y);
}

inline void reference(const OneHot& op, ReferenceArgs& a) {
  const Tensor& x = a.in(0);
  const int64_t depth = a.out(0).shape().back();
  visit_real(op.dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* y = a.out(0).data<T>();
    std::fill_n(y, a.out(0).count(), static_cast<T>(0));
    LoopCheck check(a.context());
    for (int64_t i = 0, n = x.count(); i < n; ++i) {
      check.step();
      const int64_t k = x.integer(i);
      if (op.allow_out_of_range && (k < 0 || k >= depth)) continue;
      y[i * depth + checked_index(k, depth, "X", i)] = static_cast<T>(1);
    }
  });
}

inline void OneHot::lower(Lowering& l) {
  OneHot op = l.read<OneHot>();
  op.drops_last = !l.is_pir() && l.type() == "one_hot";
  const PortValues ports = l.ports_of(kOpSchema<OneHot>);
  l.bind("Out", l.add(op, ports));
}

inline constexpr const OpSchema* one_hot_op = &kOpSchema<OneHot>;

}  // namespace coracle::internal
