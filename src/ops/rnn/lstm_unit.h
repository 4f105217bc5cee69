// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/rnn/recurrent.h"

namespace coracle::internal {

/// One step of an LSTM for a batch: x [batch, 4 * D] holds the sums of input, forget and output gate and candidate.
struct LstmUnit {
  static constexpr const char* kName = "lstm_unit";
  static constexpr const char* kLegacy[] = {"lstm_unit"};
  static constexpr Port kInputs[] = {in("x", "X"), in("c_prev", "C_prev")};
  static constexpr Port kOutputs[] = {out("c", "C"), out("h", "H")};
  double forget_bias = 0;
  void attributes(AttributeVisitor& visit) { visit("forget_bias", forget_bias); }
  friend bool operator==(const LstmUnit&, const LstmUnit&) = default;
};

inline void infer(const LstmUnit&, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  const Shape& c = a.shape(1);
  require(a.dtype(1) == a.dtype(0), "c_prev is ", a.dtype(1), ", but x is ", a.dtype(0));
  require(!c.rank_known() || c.rank() == 2, "c_prev ", c, " has ", c.rank(), " dimensions, expected 2");
  if (c.known() && a.shape(0).known()) {
    const Shape expected{c[0], 4 * c[1]};
    require(a.shape(0) == expected, "x is ", a.shape(0), ", expected ", expected);
  }
  a.set(0, a.dtype(0), c);
  a.set(1, a.dtype(0), c);
}

inline void reference(const LstmUnit& op, ReferenceArgs& a) {
  const int64_t width = a.shape(1)[1];
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0, n = a.in(1).count(); i < n; ++i) {
      const T* x = a.in(0).data<T>() + i / width * 4 * width + i % width;
      const auto gate = [&](int64_t g) { return static_cast<double>(x[g * width]); };
      const double before = static_cast<double>(a.in(1).data<T>()[i]);
      const double c = gate_sigmoid(gate(1) + op.forget_bias) * before + gate_sigmoid(gate(0)) * std::tanh(gate(3));
      a.out(0).data<T>()[i] = static_cast<T>(c);
      a.out(1).data<T>()[i] = static_cast<T>(gate_sigmoid(gate(2)) * std::tanh(c));
    }
  });
}

inline constexpr const OpSchema* lstm_unit_op = &kOpSchema<LstmUnit>;

}  // namespace coracle::internal
