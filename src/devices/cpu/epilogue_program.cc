// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/epilogue_program.h"

namespace coracle::cpu {
namespace {

UnaryKind unary_kind(EpilogueKind kind) {
  switch (kind) {
    case EpilogueKind::kRelu: return UnaryKind::kRelu;
    case EpilogueKind::kClip: return UnaryKind::kClip;
    case EpilogueKind::kLeakyRelu: return UnaryKind::kLeakyRelu;
    case EpilogueKind::kHardSigmoid: return UnaryKind::kHardSigmoid;
    case EpilogueKind::kHardSwish: return UnaryKind::kHardSwish;
    case EpilogueKind::kSigmoid: return UnaryKind::kSigmoid;
    case EpilogueKind::kSwish: return UnaryKind::kSwish;
    case EpilogueKind::kTanh: return UnaryKind::kTanh;
    case EpilogueKind::kGelu: return UnaryKind::kGelu;
    case EpilogueKind::kGeluTanh: return UnaryKind::kGeluTanh;
    case EpilogueKind::kElu: return UnaryKind::kElu;
    case EpilogueKind::kSoftplus: return UnaryKind::kSoftplus;
    case EpilogueKind::kMish: return UnaryKind::kMish;
    case EpilogueKind::kAbs: return UnaryKind::kAbs;
    case EpilogueKind::kSquare: return UnaryKind::kSquare;
    case EpilogueKind::kSqrt: return UnaryKind::kSqrt;
    case EpilogueKind::kExp: return UnaryKind::kExp;
    default: return UnaryKind::kScaleShift;
  }
}

PostOpKind post_op_kind(EpilogueKind kind) {
  switch (kind) {
    case EpilogueKind::kAddChannel: return PostOpKind::kAddChannel;
    case EpilogueKind::kMultiplyChannel: return PostOpKind::kMulChannel;
    case EpilogueKind::kAddTensor: return PostOpKind::kAddTensor;
    case EpilogueKind::kMultiplyTensor: return PostOpKind::kMulTensor;
    default: return PostOpKind::kUnary;
  }
}

}  // namespace

EpilogueProgram::EpilogueProgram(const Epilogue& epilogue, int64_t tensor_stride) {
  int next = 0;
  for (const EpilogueStep& step : epilogue.epilogue) {
    PostOp& op = ops_[count_];
    op.kind = post_op_kind(step.kind);
    if (takes_tensor(step.kind)) {
      tensor_[count_] = next++;
      op.tensor_stride = tensor_stride;
    } else {
      tensor_[count_] = -1;
      op.step = {unary_kind(step.kind), step.a, step.b, step.c};
    }
    ++count_;
  }
}

int EpilogueProgram::whole_tensor(int first) const noexcept {
  for (int i = 0; i < count_; ++i) {
    if (ops_[i].kind == PostOpKind::kAddTensor || ops_[i].kind == PostOpKind::kMulTensor) return first + tensor_[i];
  }
  return -1;
}

void EpilogueProgram::bind(const KernelCall& call, int first, PostOp* ops) const noexcept {
  for (int i = 0; i < count_; ++i) {
    ops[i] = ops_[i];
    if (tensor_[i] >= 0) ops[i].tensor = call.in[static_cast<size_t>(first + tensor_[i])].as<const float>();
  }
}

Misfit epilogue_misfit(const Epilogue& epilogue, const ArgFacts& args, int port, const Shape& product,
                       int64_t channels) {
  if (epilogue.epilogue.size() > static_cast<size_t>(kMaxPostOps)) return "too many epilogue steps";
  int next = 0;
  for (const EpilogueStep& step : epilogue.epilogue) {
    if (!takes_tensor(step.kind)) continue;
    const Fact& t = args.in(port, next++);
    if (step.kind == EpilogueKind::kAddChannel || step.kind == EpilogueKind::kMultiplyChannel) {
      if (t.shape.count() != channels) return "an epilogue tensor has another number of channels";
    } else if (!(t.shape == product)) {
      return "an epilogue tensor is broadcast";
    }
  }
  return nullptr;
}

}  // namespace coracle::cpu
