// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace coracle::cli {

/// The content of a file. Throws Failure (input/output).
std::string read_file(const std::string& path);
/// Makes or replaces a file. Throws Failure (input/output).
void write_file(const std::string& path, const std::string& content);

}  // namespace coracle::cli
