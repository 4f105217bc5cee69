// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serve/http.h"
#include "serve/inference.h"
#include "serve/served_model.h"

/// Inference requests and answers as JSON, with tensors in it or, in binary form, behind it: the Open Inference
/// Protocol (https://github.com/kserve/open-inference-protocol) with Triton's extension for binary data.
namespace coracle::serve {

/// A request as the client made it: what to run, and how the answer is to look.
struct InferCall {
  struct Output {
    size_t index = 0;
    bool binary = false;
  };
  std::string id;
  InferencePtr inference;
  MemoryBudget::Share memory;  ///< of tensors that are not in the body
  std::vector<Output> outputs;
};

/// `header_length` is the value of Inference-Header-Content-Length: how many bytes of the body are JSON, 0 for none at
/// all, which is a raw request: the body has the elements of the only input. Nothing: all of the body is JSON. Tensors
/// in binary form stay in the body, which they keep alive. Throws Failure, and coracle::Exception for a tensor.
InferCall parse_infer(const ServedModel& model, const std::shared_ptr<const std::string>& body,
                      std::optional<size_t> header_length);

/// The answer to a call that succeeded.
HttpResponse infer_response(const ServedModel& model, const InferCall& call, const Answer& answer);

}  // namespace coracle::serve
