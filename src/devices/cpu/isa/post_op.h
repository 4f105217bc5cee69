// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/unary.h"

namespace coracle::cpu {

/// What is done to each finished element x of a product or convolution before it is stored. An output is seen as pixels
/// (rows) times channels (columns).
enum class PostOpKind : int32_t {
  kAddChannel,  // x + tensor[channel]: bias
  kMulChannel,  // x * tensor[channel]
  kAddTensor,   // x + tensor[pixel * tensor_stride + channel]: residual
  kMulTensor,   // x * tensor[pixel * tensor_stride + channel]
  kUnary,       // step(x)
};

struct PostOp {
  PostOpKind kind = PostOpKind::kUnary;
  UnaryStep step;
  const float* tensor =
      nullptr;  // may be the output itself with the same stride (in place), but must not overlap it otherwise
  int64_t tensor_stride = 0;  // floats from pixel to pixel
};

constexpr int kMaxPostOps = 8;

/// Whether kUnary takes this kind. The others run as operators of their own.
constexpr bool is_post_op(UnaryKind kind) {
  switch (kind) {
    case UnaryKind::kRelu:
    case UnaryKind::kClip:
    case UnaryKind::kLeakyRelu:
    case UnaryKind::kHardSigmoid:
    case UnaryKind::kHardSwish:
    case UnaryKind::kSigmoid:
    case UnaryKind::kSwish:
    case UnaryKind::kTanh:
    case UnaryKind::kGelu:
    case UnaryKind::kGeluTanh:
    case UnaryKind::kElu:
    case UnaryKind::kSoftplus:
    case UnaryKind::kMish:
    case UnaryKind::kAbs:
    case UnaryKind::kNegative:
    case UnaryKind::kSquare:
    case UnaryKind::kSqrt:
    case UnaryKind::kExp:
    case UnaryKind::kScaleShift: return true;
    default: return false;
  }
}

}  // namespace coracle::cpu
