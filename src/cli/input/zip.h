// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace coracle::cli {

/// The files in a ZIP archive, stored or deflated, in its order: name and content. No encryption, no ZIP64, no archive
/// in several parts, no more than 2 GiB of content. Throws Failure (input/output) for what is damaged or could not have
/// been made of so many bytes, before memory is taken for it. `path` is for messages.
std::vector<std::pair<std::string, std::string>> read_zip(const std::string& path, const std::string& content);

}  // namespace coracle::cli
