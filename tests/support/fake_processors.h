// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/system/threads.h"

namespace coracle::internal::test {

/// A made-up root of a file system in which the processors that this thread may run on have these capacities, in turn.
class FakeProcessors {
 public:
  explicit FakeProcessors(const std::vector<int>& capacities) {
    const std::filesystem::path folder = root_ / "sys/devices/system/cpu";
    std::filesystem::create_directories(folder);
    std::string online;
    size_t next = 0;
    for (const int cpu : affinity()) {
      online += (online.empty() ? "" : ",") + std::to_string(cpu);
      const std::filesystem::path own = folder / ("cpu" + std::to_string(cpu));
      std::filesystem::create_directory(own);
      std::ofstream(own / "cpu_capacity") << capacities[next++ % capacities.size()];
    }
    std::ofstream(folder / "online") << online;
  }
  ~FakeProcessors() { std::filesystem::remove_all(root_); }
  FakeProcessors(const FakeProcessors&) = delete;
  FakeProcessors& operator=(const FakeProcessors&) = delete;

  std::string root() const { return root_.string(); }

 private:
  const std::filesystem::path root_ =
      std::filesystem::temp_directory_path() / ("coracle-processors-" + std::to_string(::getpid()));
};

}  // namespace coracle::internal::test
