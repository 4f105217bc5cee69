// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "ops/control/arrays.h"

namespace coracle::internal {

/// A tensor array whose elements have the shapes of those of the input and are filled with `val`.
struct CreateArrayLike {
  static constexpr const char* kName = "create_array_like";
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("input", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kAnyType = true;
  double val = 0;
  void attributes(AttributeVisitor& visit) { visit("val", val); }
  friend bool operator==(const CreateArrayLike&, const CreateArrayLike&) = default;
};

inline void infer(const CreateArrayLike&, InferArgs& a) {
  require_array(a, 0);
  a.out(0) = array_fact(a.dtype(0), a.shape(0));
}

inline void reference(const CreateArrayLike& op, ReferenceArgs& a) {
  a.out(0) = Tensor::array(a.in(0).dtype());
  for (const Tensor& from : a.in(0).elements()) {
    Tensor filled = a.make(from.dtype(), from.shape());
    visit_real(from.dtype(), [&](auto* p) {
      using T = std::remove_pointer_t<decltype(p)>;
      for (int64_t i = 0, n = filled.count(); i < n; ++i) filled.data<T>()[i] = convert<T>(op.val);
    });
    a.out(0).elements().push_back(std::move(filled));
  }
}

inline constexpr const OpSchema* create_array_like_op = &kOpSchema<CreateArrayLike>;

}  // namespace coracle::internal
