// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "coracle/vision/image.h"

namespace coracle::vision {

/// The content of a regular file of at most `limit` bytes; Error of kind `problem` with the path if there is none.
std::string read_file(const std::string& path, Problem problem, std::size_t limit);

}  // namespace coracle::vision
