// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "graph/op.h"

namespace coracle {

/// One thing done to each finished element x of a product or convolution. The first four take a tensor.
enum class EpilogueKind : uint8_t {
  kAddChannel,       ///< x + t[channel]
  kMultiplyChannel,  ///< x * t[channel]
  kAddTensor,        ///< x + t, of one shape or broadcast
  kMultiplyTensor,   ///< x * t, of one shape or broadcast
  kRelu,
  kClip,         ///< min(max(x, a), b)
  kLeakyRelu,    ///< x > 0 ? x : a * x
  kHardSigmoid,  ///< min(max(a * x + b, 0), 1)
  kHardSwish,    ///< x * min(max(x + a, 0), b) / c
  kSigmoid,
  kSwish,  ///< x * sigmoid(a * x)
  kTanh,
  kGelu,  ///< by erf
  kGeluTanh,
  kElu,       ///< x > 0 ? x : a * (e^x - 1)
  kSoftplus,  ///< a * x > b ? x : log(1 + e^(a * x)) / a
  kMish,
  kAbs,
  kSquare,
  kSqrt,
  kExp,
  kScaleShift,  ///< a * x + b
};

std::span<const std::string_view> names_of(EpilogueKind kind);
/// True for the kinds that take a tensor.
constexpr bool takes_tensor(EpilogueKind kind) { return kind <= EpilogueKind::kMultiplyTensor; }

struct EpilogueStep {
  EpilogueKind kind = EpilogueKind::kRelu;
  float a = 0;
  float b = 0;
  float c = 0;
  friend bool operator==(const EpilogueStep&, const EpilogueStep&) = default;
};

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

/// Applies the steps to `product` in double and writes result 0.
void reference_epilogue(const Epilogue& op, ReferenceArgs& a, Tensor product, int port, int channel_axis);

}  // namespace coracle
