// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/epilogue.h"

#include "devices/gpu/formula.h"

namespace coracle::internal::gpu {
namespace {

/// The statements of steps, and what they declare.
class Statements {
 public:
  Statements(int first_tensor, std::vector<Parameter>& parameters) : first_(first_tensor), parameters_(parameters) {}

  void add(const Formula& formula) {
    text_ += "v=" + formula.call("v", numbers_) + ";";
    for (const float number : formula.numbers) add_number(number);
  }
  void add_tensor(const EpilogueStep& step) {
    const bool integers = step.kind == EpilogueKind::kAddIntegers;
    const bool adds = integers || step.kind == EpilogueKind::kAddChannel || step.kind == EpilogueKind::kAddTensor;
    const bool whole = integers || step.kind == EpilogueKind::kAddTensor || step.kind == EpilogueKind::kMultiplyTensor;
    const std::string number = std::to_string(tensors_);
    const std::string element = "e" + number + "_begin+" + (whole ? "position" : "channel");
    ((declared_ += integers ? "EPILOGUE_INTEGERS(" : "EPILOGUE_TENSOR(") += number) += ')';
    parameters_.push_back(Parameter::operand(first_ + tensors_++));
    text_ += std::string("v=v") + (adds ? "+" : "*");
    if (integers) {
      text_ += add_number(step.a) + "*(float)e" + number + "[" + element + "];";
    } else {
      text_ += "LOAD(e" + number + "," + element + ");";
    }
  }
  /// "n3"
  std::string add_number(float number) {
    const std::string name = std::to_string(numbers_++);
    declared_ += "EPILOGUE_NUMBER(" + name + ")";
    parameters_.push_back(Parameter::of(number));
    return "n" + name;
  }
  void add_statement(std::string_view statement) { text_ += statement; }
  void define(Definitions& definitions) const {
    definitions.set("EPILOGUE_PARAMETERS", declared_).set("EPILOGUE", text_);
  }

 private:
  int first_;
  std::vector<Parameter>& parameters_;
  std::string declared_;
  std::string text_;
  int tensors_ = 0;
  int numbers_ = 0;
};

/// The formula by which the CPU's kernels have the same bits.
Formula formula_behind_integers(const EpilogueStep& step) {
  switch (step.kind) {
    case EpilogueKind::kHardSwish: return {"hardswish_by", {step.a, step.b, 1.0F / step.c}};
    case EpilogueKind::kHardSigmoid: return {"hardsigmoid_fused", {step.a, step.b}};
    case EpilogueKind::kScaleShift: return {"scale_shift_fused", {step.a, step.b}};
    default: return formula_of(step);
  }
}

}  // namespace

void add_epilogue(const Epilogue* epilogue, int first, Definitions& definitions, std::vector<Parameter>& parameters) {
  std::span<const EpilogueStep> steps;
  if (epilogue != nullptr) steps = epilogue->epilogue;
  add_epilogue(steps, first, definitions, parameters);
}

void add_epilogue(std::span<const EpilogueStep> steps, int first, Definitions& definitions,
                  std::vector<Parameter>& parameters) {
  Statements statements(first, parameters);
  for (const EpilogueStep& step : steps) {
    if (takes_tensor(step.kind)) {
      statements.add_tensor(step);
    } else {
      statements.add(formula_of(step));
    }
  }
  statements.define(definitions);
}

void add_integer_epilogue(const IntegerProduct& op, int first, Definitions& definitions,
                          std::vector<Parameter>& parameters) {
  Statements statements(first, parameters);
  const std::vector<EpilogueStep>& steps = op.epilogue;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (takes_tensor(steps[i].kind)) {
      statements.add_tensor(steps[i]);
    } else {
      statements.add(formula_behind_integers(steps[i]));
    }
    // The CPU adds a bias of zero where there is none, which makes -0 a 0.
    const bool scales = steps[i].kind == EpilogueKind::kMultiplyChannel ||
                        (steps[i].kind == EpilogueKind::kScaleShift && steps[i].b == 0);
    if (i == 0 && scales) statements.add_statement("v=v+0.0f;");
  }
  definitions.set("INTEGERS", 1).set("RESULT", op.result_scale > 0 ? "s8" : "float");
  std::string finished = "v";
  if (op.result_scale > 0) {
    const auto add_number = [&](float n) { return statements.add_number(n); };
    finished = "(s8)" + rounding_to_int8("v", op.result_scale, op.round_type, add_number);
  }
  definitions.set("FINISHED", finished);
  statements.define(definitions);
}

std::string rounding_to_int8(std::string_view x, float scale, QuantizationRounding rounding,
                             const std::function<std::string(float)>& add_number) {
  // As ops/quantize/quantization.h has it.
  const float inverse = scale <= 1e-30F ? 1.0F / (scale + 1e-6F) : 1.0F / scale;
  if (rounding == QuantizationRounding::kHalfToEven) return text("int8_even(", x, ",", add_number(inverse), ")");
  const std::string of_scale = add_number(scale);
  return text("int8_away(", x, ",", of_scale, ",", add_number(kInt8Limit * inverse), ")");
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
