// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "serve/http.h"
#include "serve/served_model.h"

namespace coracle::serve {

/// Gives a request to a model, whose statistics count it from `received` on. Throws Failure where it is not taken:
/// `answered` is then not called.
Cancel run_model(const std::shared_ptr<ServedModel>& model, const InferencePtr& inference, Clock::time_point received,
                 std::function<void(const Answer&)> answered);

/// Responds with a failure, or with `response`, which may throw.
void respond_with(const Respond& respond, const std::optional<Failure>& failure,
                  const std::function<HttpResponse()>& response);

/// What a request asks of a model, and how the answer is written, of which it is called with one that succeeded.
struct ModelCall {
  InferencePtr inference;
  std::function<HttpResponse(const Answer&)> response;  ///< does not keep `inference`
};

/// Runs a model for a request as `parse` reads it, which may throw, and answers it. The model's statistics count it,
/// however it ends, and so does the request's record. Throws Failure, and what `parse` does.
Cancel call_model(const HttpRequest& request, const std::shared_ptr<ServedModel>& model,
                  const std::function<ModelCall()>& parse, const Respond& respond);

}  // namespace coracle::serve
