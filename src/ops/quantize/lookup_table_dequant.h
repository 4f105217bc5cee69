// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "base/buffer.h"
#include "graph/op.h"
#include "ops/common/indices.h"
#include "ops/common/sharing_lod.h"

namespace coracle::internal {

/// Rows of a table in eight bits. A row of `weight` is float32: the smallest and the largest number, then four numbers
/// from 0 to 255 in the bytes of each element, which stand for smallest + (largest - smallest) / 256 * number.
struct LookupTableDequant {
  static constexpr const char* kName = "lookup_table_dequant";
  static constexpr const char* kLegacy[] = {"lookup_table_dequant"};
  static constexpr Port kInputs[] = {weight_in("w", "W"), in("ids", "Ids")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kDerived;
  int64_t padding_idx = -1;
  void attributes(AttributeVisitor& visit) { visit("padding_idx", padding_idx); }
  friend bool operator==(const LookupTableDequant&, const LookupTableDequant&) = default;
};

inline void infer(const LookupTableDequant&, InferArgs& a) {
  const Shape& w = a.shape(0);
  require(a.dtype(0) == DType::kFloat32, "W is ", a.dtype(0), ", expected float32");
  require(!w.rank_known() || (w.rank() == 2 && (w[1] < 0 || w[1] >= 2)), "W is ", w, ", expected [rows, columns + 2]");
  Shape y = a.shape(1);
  if (y.rank_known()) {
    require(y.rank() > 0 && (y.back() < 0 || y.back() == 1), "ids are ", y, ", expected a last dimension of 1");
    y[y.rank() - 1] = w.rank_known() && w[1] >= 0 ? (w[1] - 2) * 4 : Shape::kUnknown;
  }
  a.set(0, DType::kFloat32, y);
  share_lod(a, 0, 1);
}

inline void reference(const LookupTableDequant& op, ReferenceArgs& a) {
  const int64_t rows = a.shape(0)[0];
  const int64_t columns = a.shape(0)[1];
  const int64_t width = (columns - 2) * 4;
  const Buffer<int64_t> ids = a.integers(1);
  float* to = a.out(0).data<float>();
  for (size_t n = 0; n < ids.size(); ++n) {
    if (ids[n] == op.padding_idx) {
      std::fill_n(to, width, 0.0F);
    } else {
      const int64_t id = checked_index(ids[n], rows, "Ids", static_cast<int64_t>(n));
      const float* row = a.in(0).data<float>() + id * columns;
      const float step = (row[1] - row[0]) / 256.0F;
      const auto* bytes = reinterpret_cast<const unsigned char*>(row + 2);
      for (int64_t i = 0; i < width; ++i) to[i] = step * static_cast<float>(bytes[i]) + row[0];
    }
    to += width;
  }
}

inline constexpr const OpSchema* lookup_table_dequant_op = &kOpSchema<LookupTableDequant>;

}  // namespace coracle::internal
