// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace coracle::internal {

/// Makes room in a folder of kept files, whose names end in `ending`: those that were not used for longest go until at
/// most `bytes` are left, but not the file `stays`, which counts. What processes that ended left of a NewFile of such a
/// name goes too. Other files are not touched.
void trim_kept_files(const std::string& folder, std::string_view ending, uint64_t bytes, const std::string& stays = {});

}  // namespace coracle::internal
