// SPDX-License-Identifier: Apache-2.0
#include "devices/opencl/step_numbers.h"

#include <limits>

namespace coracle::opencl {
namespace {

class NumberCollector final : public AttributeVisitor {
 public:
  explicit NumberCollector(std::vector<float>& numbers) : numbers_(numbers) {}

 protected:
  void visit(std::string_view, std::string_view, AttributeRef field) override {
    if (auto* const* b = std::get_if<bool*>(&field)) numbers_.push_back(**b ? 1.0F : 0.0F);
    if (auto* const* i = std::get_if<int*>(&field)) numbers_.push_back(static_cast<float>(**i));
    if (auto* const* d = std::get_if<double*>(&field)) numbers_.push_back(static_cast<float>(**d));
  }

 private:
  std::vector<float>& numbers_;
};

/// What an absent operand of an operator is.
float missing_number(const Port& port) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::string_view name = port.name;
  if (name == "min") return -kInfinity;
  return name == "max" ? kInfinity : 1.0F;
}

}  // namespace

std::optional<std::vector<float>> step_numbers(const OpRow& row, const void* op, const ArgFacts& args) {
  std::vector<float> numbers;
  NumberCollector collector(numbers);
  const std::shared_ptr<void> copy = row.make(op);
  row.visit(copy.get(), collector);
  for (int port = 1; port < static_cast<int>(row.inputs.size()); ++port) {
    if (!args.has(port)) {
      numbers.push_back(missing_number(row.inputs[static_cast<size_t>(port)]));
      continue;
    }
    const Tensor* value = args.in(port).value.get();
    if (value == nullptr || value->count() == 0) return std::nullopt;
    numbers.push_back(static_cast<float>(value->number(0)));
  }
  numbers.resize(kFormulaNumbers);
  return numbers;
}

std::string formula_call(std::string_view name, std::string_view x, std::string_view number, int first) {
  std::string text = "f_";
  (text.append(name) += '(').append(x);
  for (int i = 0; i < kFormulaNumbers; ++i) (text += ", ").append(number) += std::to_string(first + i);
  return text += ')';
}

std::string_view formula_of(EpilogueKind kind) { return names_of(kind)[static_cast<size_t>(kind)]; }

std::array<float, kFormulaNumbers> numbers_of(const EpilogueStep& step) {
  // hardswish: offset, threshold, scale; the operator has threshold, scale, offset.
  if (step.kind == EpilogueKind::kHardSwish) return {step.b, step.c, step.a};
  // The operator's number chooses the form by tanh, which is a step of its own.
  if (step.kind == EpilogueKind::kGelu) return {};
  return {step.a, step.b, step.c};
}

}  // namespace coracle::opencl
