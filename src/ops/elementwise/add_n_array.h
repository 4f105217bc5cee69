// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ops/control/arrays.h"
#include "ops/elementwise/arithmetic.h"

namespace coracle::internal {

/// A tensor array whose elements are the sums of those of the operands at the same place, where they have one.
struct AddNArray {
  static constexpr const char* kName = "add_n_array";
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {list_in("inputs", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr size_t kArrays = SIZE_MAX;
  friend bool operator==(const AddNArray&, const AddNArray&) = default;
};

inline void infer(const AddNArray&, InferArgs& a) {
  const DType dtype = common_dtype(a, 0);
  Shape shape = a.shape(0);
  for (int i = 0; i < a.count(0); ++i) {
    require(a.in(0, i).is_array, "operand ", i, " is a tensor, expected a tensor array");
    shape = joined(shape, a.shape(0, i));
  }
  a.out(0) = array_fact(dtype, shape);
}

inline void reference(const AddNArray&, ReferenceArgs& a) {
  Tensor sums = Tensor::array(a.in(0).dtype());
  for (int k = 0; k < a.count(0); ++k) {
    const std::vector<Tensor>& terms = a.in(0, k).elements();
    if (terms.size() > sums.elements().size()) sums.elements().resize(terms.size());
    for (size_t i = 0; i < terms.size(); ++i) {
      Tensor& sum = sums.elements()[i];
      if (terms[i].empty_handle()) continue;
      if (sum.empty_handle()) {
        sum = terms[i].clone(a.context());
        continue;
      }
      require(sum.shape() == terms[i].shape() && sum.dtype() == terms[i].dtype(), ErrorCode::kRunFailure, "elements ",
              i, " of tensor arrays to add are ", sum.shape(), " and ", terms[i].shape());
      visit_real(sum.dtype(), [&](auto* p) {
        using T = std::remove_pointer_t<decltype(p)>;
        for (int64_t j = 0, n = sum.count(); j < n; ++j) {
          sum.data<T>()[j] = wrapped_sum(sum.data<T>()[j], terms[i].data<T>()[j]);
        }
      });
    }
  }
  a.out(0) = sums;
}

inline constexpr const OpSchema* add_n_array_op = &kOpSchema<AddNArray>;

}  // namespace coracle::internal
