// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/epilogue.h"

#include "devices/gpu/formula.h"

namespace coracle::internal::gpu {

void add_epilogue(const Epilogue* epilogue, int first, Definitions& definitions, std::vector<Parameter>& parameters) {
  std::span<const EpilogueStep> steps;
  if (epilogue != nullptr) steps = epilogue->epilogue;
  add_epilogue(steps, first, definitions, parameters);
}

void add_epilogue(std::span<const EpilogueStep> steps, int first, Definitions& definitions,
                  std::vector<Parameter>& parameters) {
  std::string declared;
  std::string text;
  int tensors = 0;
  int numbers = 0;
  for (const EpilogueStep& step : steps) {
    if (takes_tensor(step.kind)) {
      const std::string e = "e" + std::to_string(tensors);
      const bool adds = step.kind == EpilogueKind::kAddChannel || step.kind == EpilogueKind::kAddTensor;
      const bool whole = step.kind == EpilogueKind::kAddTensor || step.kind == EpilogueKind::kMultiplyTensor;
      declared += "EPILOGUE_TENSOR(" + std::to_string(tensors) + ")";
      text += std::string("v=v") + (adds ? "+" : "*") + "LOAD(" + e + "," + e + "_begin+" +
              (whole ? "position" : "channel") + ");";
      parameters.push_back(Parameter::operand(first + tensors++));
      continue;
    }
    const Formula formula = formula_of(step);
    text += "v=" + formula.call("v", numbers) + ";";
    for (const float number : formula.numbers) {
      declared += "EPILOGUE_NUMBER(" + std::to_string(numbers++) + ")";
      parameters.push_back(Parameter::of(number));
    }
  }
  definitions.set("EPILOGUE_PARAMETERS", declared).set("EPILOGUE", text);
}

RejectionReason epilogue_rejection(const Epilogue& epilogue, const ArgFacts& args, int port, int64_t channels) {
  if (epilogue.epilogue.size() > Epilogue::kMaxSteps) return "too many epilogue steps";
  int next = 0;
  for (const EpilogueStep& step : epilogue.epilogue) {
    if (!takes_tensor(step.kind)) continue;
    const Fact& t = args.in(port, next++);
    if (step.kind == EpilogueKind::kAddChannel || step.kind == EpilogueKind::kMultiplyChannel) {
      if (t.shape.count() != channels) return "an epilogue tensor has another number of channels";
    } else if (!(t.shape == args.out().shape)) {
      return "an epilogue tensor is broadcast";
    }
  }
  return nullptr;
}

}  // namespace coracle::internal::gpu
