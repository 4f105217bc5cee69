// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// The kernels' sources, which the library carries.
namespace coracle::opencl {

/// All of them, deflated by pack_sources.cmake: name, line feed, text, byte 1 of each.
extern const uint8_t kPackedSources[];
extern const size_t kPackedSourcesSize;
extern const size_t kSourcesSize;

/// The text that a compiler gets for kernels/`name`.cl: the prelude, then that file with those it includes. Throws
/// Error where there is none.
std::string source_text(std::string_view name);

}  // namespace coracle::opencl
