// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "serve/infer_request.h"
#include "serve/served_model.h"

namespace coracle::serve {

/// Checks a request against its model and gives it to it; statistics count from `received` on. Throws Failure where it
/// is not taken: `answered` is then not called.
Cancel start_inference(const std::shared_ptr<ServedModel>& model, InferRequest request, Clock::time_point received,
                       const Answered& answered);

}  // namespace coracle::serve
