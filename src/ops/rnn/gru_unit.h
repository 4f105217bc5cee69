// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/rnn/gru_step.h"

namespace coracle::internal {

/// One step of gru for a batch.
struct GruUnit {
  static constexpr const char* kName = "gru_unit";
  static constexpr const char* kLegacy[] = {"gru_unit"};
  static constexpr Port kInputs[] = {in("input", "Input"), in("hidden_prev", "HiddenPrev"),
                                     weight_in("weight", "Weight"), optional_weight_in("bias", "Bias")};
  static constexpr Port kOutputs[] = {optional_out("gate", "Gate"),
                                      optional_out("reset_hidden_prev", "ResetHiddenPrev"), out("hidden", "Hidden")};
  GateActivation activation = GateActivation::kTanh;
  GateActivation gate_activation = GateActivation::kSigmoid;
  bool origin_mode = false;
  void attributes(AttributeVisitor& visit) {
    visit("activation", activation);
    visit("gate_activation", gate_activation);
    visit("origin_mode", origin_mode);
  }
  friend bool operator==(const GruUnit&, const GruUnit&) = default;
};

inline void infer(const GruUnit&, InferArgs& a) {
  const Shape& h = a.shape(1);
  check_gru_operands(a, 2, 3);
  require(!h.rank_known() || h.rank() == 2, "hidden_prev ", h, " has ", h.rank(), " dimensions, expected 2");
  if (h.known() && a.shape(0).known()) {
    require(a.shape(0)[0] == h[0] && a.shape(0)[1] == 3 * h[1], "input ", a.shape(0), " does not fit hidden_prev ", h);
  }
  require(a.dtype(1) == a.dtype(0), "hidden_prev is ", a.dtype(1), ", but input is ", a.dtype(0));
  a.set(0, a.dtype(0), a.shape(0));
  a.set(1, a.dtype(0), h);
  a.set(2, a.dtype(0), h);
}

inline void reference(const GruUnit& op, ReferenceArgs& a) {
  const int64_t width = a.shape(1)[1];
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    GruStep<T> step(a.context(), width, a.in(2).data<T>(), a.has(3) ? a.in(3).data<T>() : nullptr, op.activation,
                    op.gate_activation, op.origin_mode);
    for (int64_t b = 0; b < a.shape(1)[0]; ++b) {
      Buffer<double> h(static_cast<size_t>(width), a.context());
      for (int64_t j = 0; j < width; ++j) {
        h[static_cast<size_t>(j)] = static_cast<double>(a.in(1).data<T>()[b * width + j]);
      }
      step.run(a.in(0).data<T>() + b * 3 * width, h);
      for (int64_t j = 0; j < 3 * width; ++j) {
        const auto k = static_cast<size_t>(j);
        if (a.wants(0)) a.out(0).data<T>()[b * 3 * width + j] = static_cast<T>(step.gates[k]);
        if (j >= width) continue;
        if (a.wants(1)) a.out(1).data<T>()[b * width + j] = static_cast<T>(step.reset[k]);
        a.out(2).data<T>()[b * width + j] = static_cast<T>(h[k]);
      }
    }
  });
}

inline constexpr const OpSchema* gru_unit_op = &kOpSchema<GruUnit>;

}  // namespace coracle::internal
