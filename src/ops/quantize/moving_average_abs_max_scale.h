// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/quantize/quantization.h"

namespace coracle::internal {

/// x; an observer that quantisation tools leave behind.
struct MovingAverageAbsMaxScale {
  static constexpr const char* kName = "moving_average_abs_max_scale";
  static constexpr const char* kLegacy[] = {"moving_average_abs_max_scale"};
  static constexpr Port kInputs[] = {in("x", "X"), optional_in("in_accum", "InAccum"),
                                     optional_in("in_state", "InState")};
  static constexpr Port kOutputs[] = {optional_out("out", "Out"), optional_out("out_scale", "OutScale"),
                                      optional_out("out_state", "OutState"), optional_out("out_accum", "OutAccum")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const MovingAverageAbsMaxScale&, const MovingAverageAbsMaxScale&) = default;
};

inline void infer(const MovingAverageAbsMaxScale&, InferArgs& a) {
  a.set(0, a.dtype(0), a.shape(0));
  for (int port = 1; port <= 3; ++port) a.set(port, DType::kFloat32, Shape{1});
}

inline void reference(const MovingAverageAbsMaxScale&, ReferenceArgs& a) {
  if (a.wants(0)) copy_tensor(a.context(), a.in(0), a.out(0));
  const auto element = [&](int port) { return a.has(port) && a.in(port).count() > 0 ? a.in(port).number(0) : 1.0; };
  const double accum = element(1);
  const double state = element(2);
  if (a.wants(1)) a.out(1).data<float>()[0] = static_cast<float>(accum / state);
  if (a.wants(2)) a.out(2).data<float>()[0] = static_cast<float>(state);
  if (a.wants(3)) a.out(3).data<float>()[0] = static_cast<float>(accum);
}

inline constexpr const OpSchema* moving_average_abs_max_scale_op = &kOpSchema<MovingAverageAbsMaxScale>;

}  // namespace coracle::internal
