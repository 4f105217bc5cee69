// SPDX-License-Identifier: Apache-2.0
#include "serve/model_call.h"

#include <utility>

#include "serve/request_record.h"

namespace coracle::serve {

Cancel call_model(const HttpRequest& request, const std::shared_ptr<ServedModel>& model,
                  const std::function<ModelCall()>& parse, const Respond& respond) {
  const Clock::time_point received = Clock::now();
  const auto record_run = [record = request.record, model](const Timeline& times, bool failed) {
    if (record == nullptr) return;
    record->add({.model = model->name(), .version = model->version(), .times = times, .failed = failed});
  };
  ModelCall call;
  try {
    call = parse();
  } catch (const std::exception&) {
    model->statistics().add_failure(Code::kInvalidArgument);
    record_run({}, true);
    throw;
  }
  const InferencePtr inference = std::move(call.inference);
  const int64_t rows = rows_of(*inference).value_or(1);
  inference->answer = [model, response = std::move(call.response), received, rows, respond,
                       record_run](const Answer& answer) {
    model->statistics().add(answer, received, rows);
    record_run(answer.times, answer.failure.has_value());
    try {
      respond(answer.failure.has_value() ? error_response(*answer.failure) : response(answer));
    } catch (const Failure& failure) {
      respond(error_response(failure));
    } catch (const coracle::Exception& e) {  // what the answer's form has no place for
      respond(error_response({Code::kInvalidArgument, e.what()}));
    } catch (const std::exception& e) {
      respond(error_response({Code::kUnavailable, e.what()}));
    }
  };
  try {
    model->infer(inference);
  } catch (const Failure&) {
    record_run({}, true);
    throw;
  }
  return [inference = std::weak_ptr<Inference>(inference)] {
    if (const InferencePtr alive = inference.lock()) alive->cancelled = 1;
  };
}

}  // namespace coracle::serve
