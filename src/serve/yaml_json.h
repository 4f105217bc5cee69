// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/json.h"

namespace coracle::serve {

/// The first document of a YAML file of at most 1 MiB as JSON: plain words are truth values, numbers or null where YAML
/// says so, keys are texts. Throws Failure, which names the file and the line.
internal::JsonDocument read_yaml(const std::string& path);
internal::JsonDocument parse_yaml(const std::string& name, const std::string& content);

}  // namespace coracle::serve
