// SPDX-License-Identifier: Apache-2.0
#include "cli/quantize/answers.h"

#include <utility>

#include "cli/interrupt.h"
#include "cli/quantize/calibrate.h"

namespace coracle::cli {
namespace {

internal::quantize::Answer answer_of(const client::Tensor& a) { return {a.dtype, a.dims, a.bytes}; }

}  // namespace

coracle::Model load_model(const internal::quantize::ModelBytes& model, const coracle::ModelOptions& options) {
  const auto bytes = [](const std::string& s) {
    return coracle::Span<const std::byte>(reinterpret_cast<const std::byte*>(s.data()), s.size());
  };
  return {bytes(model.program), bytes(model.parameters), options};
}

Answers::Answers(const ModelArguments& arguments, const SessionArguments& session, std::vector<InputOptions> sets,
                 State& state)
    : session_(session), sets_(std::move(sets)), state_(state) {
  const coracle::Model model = load(arguments);
  for (const coracle::TensorInfo& info : model.outputs()) names_.push_back(info.name);
  answers_ = run(model, sets_.size());
}

std::vector<Answers::Outputs> Answers::run(const coracle::Model& model, size_t sets) const {
  coracle::Session session(model, session_.options);
  const std::vector<coracle::TensorInfo> infos = model.inputs();
  std::vector<Outputs> all;
  for (size_t s = 0; s < sets; ++s) {
    const std::vector<Input> inputs = read_inputs(model, sets_[s]);
    for (size_t i = 0; i < inputs.size(); ++i) {
      require_finite(inputs[i], infos[i].name, sets_[s]);
      set_input(session, i, inputs[i]);
    }
    Interruption::run(session);
    all.emplace_back();
    for (size_t i = 0; i < names_.size(); ++i) all.back().push_back(client::tensor_of(session.output(i)));
  }
  return all;
}

std::vector<internal::quantize::OutputAccuracy> Answers::compare(const internal::quantize::ModelBytes& bytes,
                                                                 size_t sets) const {
  if (const std::optional<std::string> known = state_.next()) return internal::quantize::read_accuracy(*known);
  const coracle::Model model = load_model(bytes, Interruption::interruptible({}));
  const std::vector<Outputs> others = run(model, sets);
  std::vector<internal::quantize::OutputAccuracy> outputs(names_.size());
  for (size_t i = 0; i < names_.size(); ++i) {
    outputs[i].name = names_[i];
    for (size_t s = 0; s < sets; ++s) outputs[i].add(answer_of(answers_[s][i]), answer_of(others[s][i]));
  }
  state_.add(bytes_of(outputs));
  return outputs;
}

}  // namespace coracle::cli
