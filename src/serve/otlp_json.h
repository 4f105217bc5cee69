// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "serve/request_record.h"

namespace coracle::serve {

/// The spans of requests as OTLP has them over HTTP in JSON, an ExportTraceServiceRequest
/// (https://opentelemetry.io/docs/specs/otlp/): "request", and in it for each model that ran "queue", "compute_input",
/// "compute_infer" and "compute_output".
std::string otlp_json(const std::vector<std::shared_ptr<const RequestRecord>>& records);

}  // namespace coracle::serve
