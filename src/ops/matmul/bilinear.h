// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/common/operand_types.h"

namespace coracle::internal {

/// out[n, c] = x[n] @ weight[c] @ y[n] + bias[c]
struct Bilinear {
  static constexpr const char* kName = "bilinear";
  static constexpr const char* kLegacy[] = {"bilinear_tensor_product"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y"), weight_in("weight", "Weight"),
                                     optional_weight_in("bias", "Bias")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Bilinear&, const Bilinear&) = default;
};

inline void infer(const Bilinear&, InferArgs& a) {
  require_one_dtype(a, {1, 2, 3});
  const Shape& w = a.shape(2);
  Shape y = Shape::filled(2, Shape::kUnknown);
  for (int port : {0, 1}) {
    const Shape& s = a.shape(port);
    if (!s.rank_known()) continue;
    require(s.rank() == 2, "operand ", port, " has shape ", s, ", expected 2 dimensions");
    const bool fits = !w.rank_known() || (w.rank() == 3 && (w[port + 1] < 0 || s[1] < 0 || w[port + 1] == s[1]));
    require(fits, "operand ", port, " ", s, " does not fit the weight ", w);
    if (s[0] >= 0) y[0] = s[0];
  }
  if (w.rank_known()) y[1] = w[0];
  require(!a.has(3) || !a.shape(3).known() || y[1] < 0 || a.shape(3).count() == y[1], "bias has another size than ",
          y[1]);
  a.set(0, a.dtype(0), y);
}

inline void reference(const Bilinear&, ReferenceArgs& a) {
  const int64_t rows = a.shape(0)[0];
  const int64_t m = a.shape(0)[1];
  const int64_t n = a.shape(1)[1];
  const int64_t channels = a.shape(2)[0];
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* w = a.in(2).data<T>();
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < channels; ++c) {
        double sum = a.has(3) ? static_cast<double>(a.in(3).data<T>()[c]) : 0.0;
        for (int64_t i = 0; i < m; ++i) {
          double line = 0;
          for (int64_t j = 0; j < n; ++j) {
            line += static_cast<double>(w[(c * m + i) * n + j]) * static_cast<double>(a.in(1).data<T>()[r * n + j]);
          }
          sum += static_cast<double>(a.in(0).data<T>()[r * m + i]) * line;
        }
        a.out(0).data<T>()[r * channels + c] = static_cast<T>(sum);
      }
    }
  });
}

inline constexpr const OpSchema* bilinear_op = &kOpSchema<Bilinear>;

}  // namespace coracle::internal
