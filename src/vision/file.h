// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "coracle/vision/image.h"

namespace coracle::vision {

/// The content of a regular file of at most `limit` bytes; Error of kind `problem` with the path if there is none.
std::string read_file(const std::string& path, Problem problem, std::size_t limit);

/// Makes or replaces a file, all or nothing: coracle_write_files. Error of kind kFile with the path;
/// coracle::Exception with CORACLE_CANCELLED where a signal ends the writing.
void write_file(const std::string& path, const std::string& content);

}  // namespace coracle::vision
