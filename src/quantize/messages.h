// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "coracle/coracle.h"

namespace coracle::internal::quantize {

/// Is told what whoever quantises a model should know and is no error.
using Messages = std::function<void(coracle_log_level level, const std::string& message)>;

}  // namespace coracle::internal::quantize
