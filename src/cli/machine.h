// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace coracle::cli {

/// A cache of the first processor.
struct Cache {
  int level = 0;
  std::string type;  ///< "Data", "Instruction", "Unified"
  int64_t bytes = 0;
  std::string shared;  ///< processors that share it, "0-3"
};

/// What the system says of the machine; empty, 0 or nothing where it does not say. `root` in the functions below is
/// what the paths of /proc and /sys begin with.
struct Machine {
  std::string processor;           ///< "AMD EPYC 7B13"
  std::vector<std::string> flags;  ///< of the first processor, as the system names them: "avx2"
  int online = 0;                  ///< processors
  int allowed = 0;                 ///< those this process may run on
  int threads_per_core = 1;
  int numa_nodes = 1;
  std::vector<Cache> caches;
  std::string governor;       ///< of the frequency: "performance"
  int64_t frequency_khz = 0;  ///< now
  int64_t frequency_max_khz = 0;
  std::optional<double> quota;  ///< processors' time that control groups grant
  int64_t throttled = 0;        ///< periods in which the quota was used up
  int64_t periods = 0;
  double load = 0;  ///< programs that wanted a processor in the last minute
  int64_t memory_bytes = 0;
  int64_t memory_available = 0;
  int64_t memory_limit = 0;  ///< of control groups
  int64_t swap_used = 0;
};

/// Instruction sets that the library has kernels for on this architecture, from the plainest on.
std::vector<std::string> instruction_sets();
/// Those of them that this machine has.
std::vector<std::string> usable_instruction_sets();
/// Whether the processor has matrix tiles for bfloat16.
bool has_tiles(const Machine& machine);
/// "32 KiB", "1.5 GiB"
std::string bytes_text(int64_t bytes);

/// "AMD EPYC 7B13"; the architecture where the system does not tell.
std::string processor_name(const std::string& root = "");
Machine read_machine(const std::string& root = "");

}  // namespace coracle::cli
