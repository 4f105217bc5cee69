// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/epilogue_program.h"

namespace coracle::internal::cpu {
EpilogueProgram::EpilogueProgram(const Epilogue& epilogue, int64_t tensor_stride) {
  int next = 0;
  for (const EpilogueStep& step : epilogue.epilogue) {
    ops_[count_] = {.step = step, .tensor_stride = takes_tensor(step.kind) ? tensor_stride : 0};
    tensor_[count_] = takes_tensor(step.kind) ? next++ : -1;
    ++count_;
  }
}

int EpilogueProgram::whole_tensor(int first) const noexcept {
  for (int i = 0; i < count_; ++i) {
    if (ops_[i].step.kind == EpilogueKind::kAddTensor || ops_[i].step.kind == EpilogueKind::kMultiplyTensor)
      return first + tensor_[i];
  }
  return -1;
}

void EpilogueProgram::bind(const KernelCall& call, int first, EpilogueOp* ops) const noexcept {
  for (int i = 0; i < count_; ++i) {
    ops[i] = ops_[i];
    if (tensor_[i] < 0) continue;
    const auto& tensor = call.in[static_cast<size_t>(first + tensor_[i])];
    if (ops[i].step.kind == EpilogueKind::kAddIntegers) {
      ops[i].integers = tensor.as<const int8_t>();
    } else {
      ops[i].tensor = tensor.as<const float>();
    }
  }
}

RejectionReason epilogue_rejection(const Epilogue& epilogue, const ArgFacts& args, int port, const Shape& product,
                                   int64_t channels) {
  if (epilogue.epilogue.size() > static_cast<size_t>(kMaxEpilogueOps)) return "too many epilogue steps";
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

}  // namespace coracle::internal::cpu
