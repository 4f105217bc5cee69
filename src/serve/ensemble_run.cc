// SPDX-License-Identifier: Apache-2.0
#include "serve/ensemble_run.h"

#include <mutex>
#include <utility>

#include "serve/current_failure.h"
#include "serve/model_call.h"

namespace coracle::serve {
namespace {

/// A request on its way. Kept by the requests to the models that work for it.
class EnsembleRun : public std::enable_shared_from_this<EnsembleRun> {
 public:
  EnsembleRun(std::shared_ptr<const EnsemblePlan> plan, std::vector<OpenStep> steps, InferencePtr request)
      : plan_(std::move(plan)),
        steps_(std::move(steps)),
        request_(std::move(request)),
        tensors_(plan_->tensors.size()),
        uses_(plan_->tensors.size()),
        missing_(steps_.size()),
        running_(steps_.size()) {
    for (size_t i = 0; i < request_->inputs.size(); ++i) tensors_[i] = request_->inputs[i];
    for (size_t tensor = 0; tensor < tensors_.size(); ++tensor) {
      uses_[tensor] = plan_->users[tensor].size();
      if (!plan_->source[tensor].has_value()) continue;
      for (const size_t step : plan_->users[tensor]) ++missing_[step];
    }
    for (const size_t tensor : plan_->outputs) ++uses_[tensor];
    times_.queued = Clock::now();
  }

  void start() {
    request_->when_cancelled([run = weak_from_this()] {
      if (const std::shared_ptr<EnsembleRun> alive = run.lock()) alive->cancel();
    });
    std::vector<size_t> first;
    for (size_t step = 0; step < steps_.size(); ++step) {
      if (missing_[step] == 0) first.push_back(step);
    }
    under_way_ = first.size();
    for (const size_t step : first) begin(step);
  }

 private:
  /// A step that counts as under way already.
  void begin(size_t step) {
    try {
      const auto own = std::make_shared<Inference>();
      own->priority = request_->priority;
      own->deadline = request_->deadline;
      own->record = request_->record;
      {
        const std::lock_guard lock(mutex_);
        if (failure_.has_value() || request_->cancelled != 0)
          throw Failure(Code::kCancelled, "the request was cancelled");
        for (const size_t tensor : steps_[step].inputs) own->inputs.push_back(use(tensor));
        running_[step] = own;
      }
      run_model(steps_[step].model, own, Clock::now(),
                [run = shared_from_this(), step](const Answer& answer) { run->ended(step, answer); });
    } catch (const std::exception&) {
      ended(step, {.outputs = {}, .failure = current_failure(), .times = {}});
    }
  }

  /// A tensor for one of those that use it; the last one takes it away.
  Tensor use(size_t tensor) { return --uses_[tensor] == 0 ? std::move(tensors_[tensor]) : tensors_[tensor]; }

  void ended(size_t step, const Answer& answer) {
    std::vector<size_t> next;
    std::vector<InferencePtr> others;
    InferencePtr done;  // ends after the lock
    bool last = false;
    {
      const std::lock_guard lock(mutex_);
      done = std::move(running_[step]);
      if (answer.failure.has_value() && !failure_.has_value()) {
        failure_ = Failure(answer.failure->code(), "in ensemble '" + plan_->name + "', model '" +
                                                       steps_[step].model->name() + "': " + answer.failure->what());
        for (const InferencePtr& other : running_) {
          if (other != nullptr) others.push_back(other);
        }
      } else if (!failure_.has_value()) {
        add(answer.times);
        for (const auto& [output, tensor] : steps_[step].outputs) {
          tensors_[tensor] = answer.outputs[output];
          for (const size_t user : plan_->users[tensor]) {
            if (--missing_[user] == 0) next.push_back(user);
          }
        }
      }
      under_way_ = under_way_ + next.size() - 1;
      last = under_way_ == 0;
    }
    for (const InferencePtr& other : others) other->cancel();
    for (const size_t user : next) begin(user);
    if (last) give_answer();
  }

  /// Parts of the time are sums over steps.
  void add(const Timeline& step) {
    sums_.started += step.started - step.queued;
    sums_.inputs_ready += step.inputs_ready - step.started;
    sums_.computed += step.computed - step.inputs_ready;
    sums_.done += step.done - step.computed;
  }

  void cancel() {
    std::vector<InferencePtr> running;
    {
      const std::lock_guard lock(mutex_);
      running = running_;
    }
    for (const InferencePtr& one : running) {
      if (one != nullptr) one->cancel();
    }
  }

  void give_answer() {
    Answer answer;
    answer.failure = failure_;
    if (!failure_.has_value()) {
      for (const size_t tensor : plan_->outputs) answer.outputs.push_back(use(tensor));
    }
    times_.batch = rows_of(*request_).value_or(1);
    times_.started = times_.queued + sums_.started.time_since_epoch();
    times_.inputs_ready = times_.started + sums_.inputs_ready.time_since_epoch();
    times_.computed = times_.inputs_ready + sums_.computed.time_since_epoch();
    times_.done = times_.computed + sums_.done.time_since_epoch();
    answer.times = times_;
    request_->answer(std::move(answer));
  }

  const std::shared_ptr<const EnsemblePlan> plan_;
  const std::vector<OpenStep> steps_;
  const InferencePtr request_;
  std::mutex mutex_;
  std::vector<Tensor> tensors_;
  std::vector<size_t> uses_;           // by tensor: those who will still take it
  std::vector<size_t> missing_;        // by step: inputs that are not there
  std::vector<InferencePtr> running_;  // by step
  size_t under_way_ = 0;
  std::optional<Failure> failure_;
  Timeline times_;
  Timeline sums_;  // each as time since the epoch
};

}  // namespace

void run_steps(std::shared_ptr<const EnsemblePlan> plan, std::vector<OpenStep> steps, InferencePtr request) {
  std::make_shared<EnsembleRun>(std::move(plan), std::move(steps), std::move(request))->start();
}

}  // namespace coracle::serve
