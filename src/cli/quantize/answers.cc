// SPDX-License-Identifier: Apache-2.0
#include "cli/quantize/answers.h"

#include <utility>

#include "cli/interrupt.h"
#include "cli/quantize/calibrate.h"

namespace coracle::cli {
namespace {

quantize::Answer answer_of(const client::Tensor& a) { return {a.dtype, a.dims, a.bytes}; }

}  // namespace

api::Model load_model(const quantize::ModelBytes& model, const api::ModelOptions& options) {
  const auto bytes = [](const std::string& s) {
    return api::Span<const std::byte>(reinterpret_cast<const std::byte*>(s.data()), s.size());
  };
  return {bytes(model.program), bytes(model.parameters), options};
}

Answers::Answers(const ModelArguments& arguments, const SessionArguments& session, std::vector<InputOptions> sets,
                 State& state)
    : session_(session), sets_(std::move(sets)), state_(state) {
  const api::Model model(arguments.model, arguments.params, Interruption::interruptible(arguments.options));
  for (const api::TensorInfo& info : model.outputs()) names_.push_back(info.name);
  answers_ = run(model, sets_.size());
}

std::vector<Answers::Outputs> Answers::run(const api::Model& model, size_t sets) const {
  api::Session session(model, session_.options);
  const std::vector<api::TensorInfo> infos = model.inputs();
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

std::vector<quantize::OutputAccuracy> Answers::compare(const quantize::ModelBytes& bytes, size_t sets) const {
  if (const std::optional<std::string> known = state_.next()) return quantize::read_accuracy(*known);
  const api::Model model = load_model(bytes, Interruption::interruptible({}));
  const std::vector<Outputs> others = run(model, sets);
  std::vector<quantize::OutputAccuracy> outputs(names_.size());
  for (size_t i = 0; i < names_.size(); ++i) {
    outputs[i].name = names_[i];
    for (size_t s = 0; s < sets; ++s) outputs[i].add(answer_of(answers_[s][i]), answer_of(others[s][i]));
  }
  state_.add(bytes_of(outputs));
  return outputs;
}

}  // namespace coracle::cli
