// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/threads.h"

namespace coracle::internal {

/// Processors that the calling thread may run on (its affinity); at least 1.
int allowed_cpus();
/// The same of a thread with that affinity (system/threads.h); empty: the system does not say.
int allowed_cpus(const std::vector<int>& affinity);

/// How many processors' time the control groups of this process grant (cgroup v1 or v2), the least of its group and the
/// groups around it; nothing where none is set. `root` is what the paths /proc and those of the mounts begin with.
std::optional<double> cpu_quota(const std::string& root = "");

/// Threads that can make progress at once: allowed_cpus(), and no more than cpu_quota() rounded up. The quota is read
/// with the first call in a process.
int usable_cpus();

/// Numbers of processors: of a list as the kernel writes them ("0-3,8"), of a NUMA node ("node1"), of "all" that this
/// process might use when it first asked for their speeds, or of those whose speed is in the upper or the lower half of
/// the range that there is ("fast", "slow"; all where none is clearly slower than another). Throws Error
/// (kInvalidArgument) for other texts, nodes that are not there and processors that are not running. `root` as above.
std::vector<int> cpu_numbers(std::string_view text, const std::string& root = "");

/// Whether some of these processors are clearly slower than others, as far as the system tells. `root` as above.
bool speeds_differ(const std::vector<int>& cpus, const std::string& root = "");

/// The thread runs on these processors only. Throws Error (kInvalidArgument) where the system refuses.
void bind_thread(ThreadHandle thread, const std::vector<int>& cpus);

/// The calling thread, and threads that it starts from now on, run on the processors of such a text only. With a NUMA
/// node what they are the first to write to is memory of it, as long as it has some. Throws Error as cpu_numbers(), for
/// processors that are not this process's, and (kUnsupported) where the system sets no memory policy; then nothing is
/// changed.
void bind_thread(std::string_view text);

}  // namespace coracle::internal
