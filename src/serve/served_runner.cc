// SPDX-License-Identifier: Apache-2.0
#include "serve/served_runner.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <utility>

namespace coracle::serve {
namespace {

/// How often a run that waits looks whether it was cancelled.
constexpr std::chrono::milliseconds kBetweenLooksAtCancel{20};

/// A request to a model, and its answer when it has come.
class Waiting {
 public:
  /// The tensors of `inference` stay until `wait` has returned. Throws Failure.
  Waiting(ServedModel& model, InferencePtr inference, int64_t rows)
      : model_(model), inference_(std::move(inference)), rows_(rows) {
    inference_->answer = [state = state_](Answer answer) {
      const std::lock_guard lock(state->mutex);
      state->answer = std::move(answer);
      state->changed.notify_one();
    };
    model_.infer(inference_);
  }
  Waiting(Waiting&&) = default;

  void cancel() { inference_->cancel(); }

  Answer wait(const std::atomic<uint32_t>* cancelled) {
    std::unique_lock lock(state_->mutex);
    while (!state_->changed.wait_for(lock, kBetweenLooksAtCancel, [&] { return state_->answer.has_value(); })) {
      if (cancelled != nullptr && cancelled->load() % 2 != 0) cancel();
    }
    model_.statistics().add(*state_->answer, received_, rows_);
    return std::move(*state_->answer);
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Answer> answer;
  };
  ServedModel& model_;
  InferencePtr inference_;
  int64_t rows_;
  Clock::time_point received_ = Clock::now();
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// Rows `begin` to `begin` + `rows` of inputs that have `all` rows.
std::vector<Tensor> rows_of_inputs(const std::vector<vision::RunInput>& inputs, int64_t begin, int64_t rows,
                                   int64_t all) {
  std::vector<Tensor> tensors;
  for (const vision::RunInput& input : inputs) {
    Tensor& tensor = tensors.emplace_back();
    tensor.dims = input.dims;
    tensor.data = reinterpret_cast<const std::byte*>(input.values.data());
    tensor.bytes = input.values.size_bytes();
    if (rows == all) continue;
    const size_t row = tensor.bytes / static_cast<size_t>(all);
    tensor.dims.front() = rows;
    tensor.data += static_cast<size_t>(begin) * row;
    tensor.bytes = static_cast<size_t>(rows) * row;
  }
  return tensors;
}

/// Outputs of parts of the rows, one below the other.
std::vector<Tensor> one_below_the_other(std::vector<Answer> parts, int64_t most, int64_t all) {
  if (parts.size() == 1) return std::move(parts.front().outputs);
  std::vector<Tensor> outputs = parts.front().outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto bytes = std::make_shared<std::vector<std::byte>>();
    int64_t rows = 0;
    for (const Answer& part : parts) {
      const Tensor& own = part.outputs[i];
      if (own.dims.empty() || own.dims.front() != std::min(most, all - rows) ||
          !std::equal(own.dims.begin() + 1, own.dims.end(), outputs[i].dims.begin() + 1, outputs[i].dims.end())) {
        throw Failure(Code::kUnsupported,
                      "an output has not one row for each row of the inputs, of which the model's "
                      "max_batch_size allows " +
                          std::to_string(most) + " at a time and " + std::to_string(all) + " are needed");
      }
      bytes->insert(bytes->end(), own.data, own.data + own.bytes);
      rows += own.dims.front();
    }
    outputs[i].dims.front() = all;
    outputs[i].data = bytes->data();
    outputs[i].bytes = bytes->size();
    outputs[i].owner = bytes;
  }
  return outputs;
}

class ServedRunner final : public vision::ModelRunner {
 public:
  ServedRunner(const std::shared_ptr<ServedModel>& model, std::shared_ptr<const RunSettings> settings)
      : model_(model), settings_(std::move(settings)), inputs_(model->inputs()), outputs_(model->outputs()) {}

  const std::vector<coracle::TensorInfo>& inputs() const override { return inputs_; }
  const std::vector<coracle::TensorInfo>& outputs() const override { return outputs_; }

  void run(const std::vector<vision::RunInput>& inputs, const std::atomic<uint32_t>* cancelled) override {
    const std::shared_ptr<ServedModel> model = model_.lock();
    if (model == nullptr) throw Failure(Code::kUnavailable, "the model has been unloaded");
    const int64_t rows = inputs.front().dims.front();
    const int64_t most = model->most_rows() > 0 ? std::min(model->most_rows(), rows) : rows;
    size_t bytes = 0;
    for (const vision::RunInput& input : inputs) bytes += input.values.size_bytes();
    const MemoryBudget::Share share = model->memory().reserve(bytes, "what a picture is for the model");
    std::vector<Waiting> parts;
    std::optional<Failure> failure;
    try {
      for (int64_t begin = 0; begin < rows; begin += most) {
        const int64_t own = std::min(most, rows - begin);
        const auto inference = std::make_shared<Inference>();
        inference->priority = settings_->priority;
        inference->deadline = settings_->deadline;
        inference->record = settings_->record;
        inference->inputs = rows_of_inputs(inputs, begin, own, rows);
        parts.emplace_back(*model, inference, own);
      }
    } catch (const Failure& e) {
      failure = e;
    }
    // What was taken has to be answered before the inputs may go.
    std::vector<Answer> answers;
    for (Waiting& part : parts) {
      if (failure.has_value()) part.cancel();
      answers.push_back(part.wait(cancelled));
      if (!failure.has_value()) failure = answers.back().failure;
    }
    if (failure.has_value()) throw Failure(*failure);
    results_ = one_below_the_other(std::move(answers), most, rows);
  }
  coracle::View output(size_t index) const override { return view_of(results_.at(index)); }

 private:
  const std::weak_ptr<ServedModel> model_;
  const std::shared_ptr<const RunSettings> settings_;
  const std::vector<coracle::TensorInfo> inputs_;
  const std::vector<coracle::TensorInfo> outputs_;
  std::vector<Tensor> results_;
};

}  // namespace

vision::OpenModel open_served(const Models& models, const std::shared_ptr<const RunSettings>& settings) {
  return [models, settings](const std::string& path, const std::string&) -> std::unique_ptr<vision::ModelRunner> {
    for (const std::shared_ptr<ServedModel>& model : models) {
      if (model->path() == path) return std::make_unique<ServedRunner>(model, settings);
    }
    throw Failure(Code::kInternal, path + " is not one of the models that are served");
  };
}

}  // namespace coracle::serve
