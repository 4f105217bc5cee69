// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace coracle::serve {

/// About how many bytes of weights loading a model of that path copies into memory; those of files that nobody may
/// write are mapped instead, and do not count. 0 where the files cannot be looked at.
size_t copied_weights(const std::string& path);

}  // namespace coracle::serve
