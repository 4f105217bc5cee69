// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace coracle::internal {

/// Processors that run.
int online_cpus();
/// What the system calls the processor, at least its architecture: "x86_64".
std::string processor_of_system();
/// In bytes; left as they are where the system has files that say it.
void physical_memory(int64_t& all, int64_t& available);
/// Name and version of the C library, empty where it does not tell.
std::string c_library();

struct ProcessLimits {
  std::optional<uint64_t> address_space;  ///< in bytes; nothing: none
  std::optional<uint64_t> open_files;
};
ProcessLimits process_limits();
/// Whether a path is of a network or user-space file system.
bool is_on_network(const std::string& path);

}  // namespace coracle::internal
