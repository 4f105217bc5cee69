// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/library_steps.h"

namespace coracle::internal::gpu {

LibrarySteps LibrarySteps::of(const Epilogue* epilogue, int first, const LibraryAbilities& abilities) {
  LibrarySteps s;
  if (epilogue == nullptr) return s;
  Parameter bias;
  for (const EpilogueStep& step : epilogue->epilogue) {
    const Parameter tensor = Parameter::operand(first + s.operands);
    if (abilities.scale && step.kind == EpilogueKind::kScaleShift && step.a != 0 && step.b == 0 && s.count == 0) {
      s.alpha = step.a;
    } else if (step.kind == EpilogueKind::kAddTensor && !s.has_added) {
      s.has_added = true;
      s.tensors.push_back(tensor);
    } else if (abilities.bias && step.kind == EpilogueKind::kAddChannel && !s.has_bias) {
      s.has_bias = true;
      bias = tensor;
    } else if (step.kind == EpilogueKind::kRelu) {
      s.activation = Product::Activation::kRelu;
    } else if (abilities.gelu && step.kind == EpilogueKind::kGeluTanh) {
      s.activation = Product::Activation::kGeluTanh;
    } else {
      break;
    }
    ++s.count;
    if (takes_tensor(step.kind)) ++s.operands;
    if (s.activation != Product::Activation::kNone) break;
  }
  if (s.has_bias) s.tensors.push_back(bias);
  return s;
}

void add_other_steps(LaunchPlan& plan, OpenDevice& device, const LibraryResult& result, const Epilogue* epilogue,
                     int first, const LibrarySteps& done) {
  std::span<const EpilogueStep> steps;
  if (epilogue != nullptr) steps = std::span(epilogue->epilogue).subspan(done.count);
  if (steps.empty()) return;
  Definitions d;
  d.set_stored(result.type).set("CHANNEL", result.channels_in_rows ? "row%channels" : "column");
  PlannedLaunch l;
  l.grid = grid_of(result.count);
  l.parameters = {result.tensor, Parameter::of(result.count), Parameter::of(result.columns),
                  Parameter::of(result.rows)};
  add_epilogue(steps, first + done.operands, d, l.parameters);
  l.function = compile(device, "finish", d);
  plan.push_back(std::move(l));
}

}  // namespace coracle::internal::gpu
