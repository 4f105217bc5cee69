// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace coracle::internal {

/// The files in a ZIP archive that is in memory, unpacked: name and content, in the archive's order. Throws Error:
/// kInvalidModel for a damaged archive, where files share bytes, where the checksum of one is another, and where all
/// together have more than `most` bytes, which is known before memory is taken for them; kUnsupported for what
/// open_zip_member does not read. `name` is the archive's, for messages.
std::vector<std::pair<std::string, std::string>> unzipped(const std::string& name, std::string_view zip, size_t most);

}  // namespace coracle::internal
