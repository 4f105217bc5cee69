// SPDX-License-Identifier: Apache-2.0
#include "serve/model_call.h"

#include <utility>

namespace coracle::serve {

Cancel call_model(const std::shared_ptr<ServedModel>& model, const std::function<ModelCall()>& parse,
                  const Respond& respond) {
  const Clock::time_point received = Clock::now();
  ModelCall call;
  try {
    call = parse();
  } catch (const std::exception&) {
    model->statistics().add_failure(Code::kInvalidArgument);
    throw;
  }
  const InferencePtr inference = std::move(call.inference);
  const int64_t rows = rows_of(*inference).value_or(1);
  inference->answer = [model, response = std::move(call.response), received, rows, respond](const Answer& answer) {
    model->statistics().add(answer, received, rows);
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
  model->infer(inference);
  return [inference = std::weak_ptr<Inference>(inference)] {
    if (const InferencePtr alive = inference.lock()) alive->cancelled = 1;
  };
}

}  // namespace coracle::serve
