// SPDX-License-Identifier: Apache-2.0
#include "serve/model_call.h"

#include <utility>

#include "serve/current_failure.h"
#include "serve/request_record.h"

namespace coracle::serve {

Cancel run_model(const std::shared_ptr<ServedModel>& model, const InferencePtr& inference, Clock::time_point received,
                 std::function<void(const Answer&)> answered) {
  const int64_t rows = rows_of(*inference).value_or(1);
  inference->answer = [model, received, rows, answered = std::move(answered)](const Answer& answer) {
    model->statistics().add(answer, received, rows);
    answered(answer);
  };
  model->infer(inference);
  return [inference = std::weak_ptr<Inference>(inference)] {
    if (const InferencePtr alive = inference.lock()) alive->cancel();
  };
}

void respond_with(const Respond& respond, const std::optional<Failure>& failure,
                  const std::function<HttpResponse()>& response) {
  HttpResponse written;
  try {
    written = failure.has_value() ? error_response(*failure) : response();
  } catch (const std::exception&) {
    written = error_response(current_failure());
  }
  respond(std::move(written));
}

Cancel call_model(const HttpRequest& request, const std::shared_ptr<ServedModel>& model,
                  const std::function<ModelCall()>& parse, const Respond& respond) {
  const Clock::time_point received = Clock::now();
  ModelCall call;
  try {
    call = parse();
  } catch (const std::exception&) {
    model->refused(request.record.get(), current_failure().code());
    throw;
  }
  call.inference->record = request.record;
  return run_model(model, call.inference, received,
                   [response = std::move(call.response), respond](const Answer& answer) {
                     respond_with(respond, answer.failure, [&] { return response(answer); });
                   });
}

}  // namespace coracle::serve
