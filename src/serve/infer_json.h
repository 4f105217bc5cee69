// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serve/http.h"
#include "serve/infer_request.h"
#include "serve/memory_budget.h"
#include "serve/served_model.h"

/// Inference requests and answers as JSON, with tensors in it or, in binary form, behind it: the Open Inference
/// Protocol (https://github.com/kserve/open-inference-protocol) with Triton's extension for binary data.
namespace coracle::serve {

/// How the answer to a request is to look.
struct AnswerForm {
  std::string id;
  std::vector<bool> binary;  ///< by output of the request; where it names none, all are as `all_binary` says
  bool all_binary = false;
  MemoryBudget memory;  ///< in which the answer counts
};

struct InferCall {
  InferRequest request;
  AnswerForm form;
};

/// `header_length` is the value of Inference-Header-Content-Length: how many bytes of the body are JSON, 0 for none at
/// all, which is a raw request: the body has the elements of the only input. Nothing: all of the body is JSON. Tensors
/// in binary form stay in the body, which they keep alive. Throws Failure, and coracle::Exception for a tensor.
InferCall parse_infer(const ServedModel& model, const std::shared_ptr<const std::string>& body,
                      std::optional<size_t> header_length);

/// The answer to a call that succeeded.
HttpResponse infer_response(const AnswerForm& form, const InferAnswer& answer);

}  // namespace coracle::serve
