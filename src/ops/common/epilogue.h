// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/element_steps.h"
#include "graph/op.h"

namespace coracle::internal {

std::span<const std::string_view> names_of(EpilogueKind kind);
/// True for the kinds that take a tensor.
constexpr bool takes_tensor(EpilogueKind kind) { return kind <= EpilogueKind::kAddIntegers; }

/// The kind that applies a function; nothing where the function is no part of epilogues.
constexpr std::optional<EpilogueKind> epilogue_kind(UnaryKind function) {
  switch (function) {
#define CORACLE_FUNCTION(name, text) \
  case UnaryKind::k##name: return EpilogueKind::k##name;
    CORACLE_EPILOGUE_FUNCTIONS(CORACLE_FUNCTION)
#undef CORACLE_FUNCTION
    default: return std::nullopt;
  }
}

/// The function that a step without a tensor applies: the inverse of epilogue_kind. Of one with a tensor kIdentity.
constexpr UnaryKind unary_kind(EpilogueKind step) {
  switch (step) {
#define CORACLE_FUNCTION(name, text) \
  case EpilogueKind::k##name: return UnaryKind::k##name;
    CORACLE_EPILOGUE_FUNCTIONS(CORACLE_FUNCTION)
#undef CORACLE_FUNCTION
    default: return UnaryKind::kIdentity;
  }
}

/// The name of the operator that a step stands for.
std::string_view operator_of(EpilogueKind step);

/// The steps of a fused operator, in order; a base of its struct. The n-th step that takes a tensor takes the n-th
/// value of the operator's last port.
struct Epilogue {
  /// Kernels take at most this many steps.
  static constexpr size_t kMaxSteps = 8;

  std::vector<EpilogueStep> epilogue;
  void attributes(AttributeVisitor& visit);
  friend bool operator==(const Epilogue&, const Epilogue&) = default;
};

/// Checks the tensors at `port` against result 0, whose type is that of the product so far, with channels at
/// `channel_axis`. A tensor that is added or multiplied broadcasts with it, which may give the result a larger shape.
void infer_epilogue(const Epilogue& op, InferArgs& a, int port, int channel_axis);

/// `product` after the steps, each rounded to float32; the tensors stand at `port`.
Tensor epilogue_in_float(const Epilogue& op, const ReferenceArgs& a, const Tensor& product, int port, int channel_axis);

/// Applies the steps to `product` in double and writes result 0.
void reference_epilogue(const Epilogue& op, ReferenceArgs& a, const Tensor& product, int port, int channel_axis);

}  // namespace coracle::internal
