// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/buffer.h"
#include "graph/op.h"

namespace coracle::internal {

/// The share of rows of `indices` (the classes that were thought most likely, [rows, k]) that hold the row's label, how
/// many these are, and how many rows there are. Operand 0, the scores of these classes, only says how many there are.
struct Accuracy {
  static constexpr const char* kName = "accuracy";
  static constexpr const char* kLegacy[] = {"accuracy"};
  static constexpr Port kInputs[] = {in("x", "Out"), in("indices", "Indices"), in("label", "Label")};
  static constexpr Port kOutputs[] = {out("accuracy", "Accuracy"), out("correct", "Correct"), out("total", "Total")};
  friend bool operator==(const Accuracy&, const Accuracy&) = default;
};

inline void infer(const Accuracy&, InferArgs& a) {
  const Shape& indices = a.shape(1);
  const Shape& label = a.shape(2);
  require(!indices.rank_known() || indices.rank() == 2, "indices are ", indices, ", expected [rows, k]");
  if (indices.known() && label.known()) {
    require(label.count() == indices[0], "there are ", label.count(), " labels for ", indices[0], " rows");
  }
  for (int port : {1, 2})
    require(is_integer(a.dtype(port)), port == 1 ? "indices" : "labels", " are ", a.dtype(port), ", expected integers");
  a.set(0, DType::kFloat32, Shape{});
  a.set(1, DType::kInt32, Shape{});
  a.set(2, DType::kInt32, Shape{});
}

inline void reference(const Accuracy&, ReferenceArgs& a) {
  const Buffer<int64_t> classes = a.integers(1);
  const Buffer<int64_t> labels = a.integers(2);
  const int64_t k = a.shape(1)[1];
  int32_t correct = 0;
  for (size_t row = 0; row < labels.size(); ++row) {
    const auto first = classes.begin() + static_cast<int64_t>(row) * k;
    if (std::find(first, first + k, labels[row]) != first + k) ++correct;
  }
  const auto total = static_cast<int32_t>(labels.size());
  if (a.wants(0)) *a.out(0).data<float>() = total == 0 ? 0.0F : static_cast<float>(correct) / static_cast<float>(total);
  if (a.wants(1)) *a.out(1).data<int32_t>() = correct;
  if (a.wants(2)) *a.out(2).data<int32_t>() = total;
}

inline constexpr const OpSchema* accuracy_op = &kOpSchema<Accuracy>;

}  // namespace coracle::internal
