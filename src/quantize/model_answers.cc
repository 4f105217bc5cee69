// SPDX-License-Identifier: Apache-2.0
#include "quantize/model_answers.h"

#include <cstring>
#include <utility>

namespace coracle::internal::quantize {
namespace {

Answer answer_of(const InputValue& value) { return {value.dtype, value.dims, value.bytes}; }

InputValue output_of(const coracle_session* session, size_t index) {
  coracle_tensor_view view;
  coracle::check(coracle_session_output(session, index, &view));
  InputValue value{view.dtype, {view.dims, view.dims + view.rank}, std::vector<std::byte>(view.bytes), {}};
  if (view.bytes != 0) std::memcpy(value.bytes.data(), view.data, view.bytes);
  return value;
}

}  // namespace

ModelAnswers::ModelAnswers(const coracle::Model& original, const Runs& runs, ChosenSets sets, State& state)
    : runs_(runs), sets_(std::move(sets)), state_(state), inputs_(original.inputs()) {
  for (const coracle::TensorInfo& info : original.outputs()) names_.push_back(info.name);
  answers_ = run(original, sets_.size());
}

std::vector<ModelAnswers::Outputs> ModelAnswers::run(const coracle::Model& model, size_t sets) const {
  const SessionHandle session = runs_.session_of(model);
  std::vector<Outputs> all;
  for (size_t s = 0; s < sets; ++s) {
    runs_.run(session.get(), sets_.read(s, inputs_));
    all.emplace_back();
    for (size_t i = 0; i < names_.size(); ++i) all.back().push_back(output_of(session.get(), i));
  }
  return all;
}

std::vector<OutputAccuracy> ModelAnswers::compare(const ModelBytes& bytes, size_t sets) const {
  if (const std::optional<std::string> known = state_.next()) return read_accuracy(*known);
  const coracle::Model model = runs_.load(bytes);
  const std::vector<Outputs> others = run(model, sets);
  std::vector<OutputAccuracy> outputs(names_.size());
  for (size_t i = 0; i < names_.size(); ++i) {
    outputs[i].name = names_[i];
    for (size_t s = 0; s < sets; ++s) outputs[i].add(answer_of(answers_[s][i]), answer_of(others[s][i]));
  }
  state_.add(bytes_of(outputs));
  return outputs;
}

}  // namespace coracle::internal::quantize
