// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "serve/served_model.h"

/// What models have done, as programs read it.
namespace coracle::serve {

/// {"model_stats": [...]}, as Triton answers for GET /v2/models/stats.
std::string statistics_json(const std::vector<std::shared_ptr<ServedModel>>& models);

}  // namespace coracle::serve
