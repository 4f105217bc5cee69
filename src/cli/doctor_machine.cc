// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <numeric>
#include <thread>

#include "cli/doctor.h"

namespace coracle::cli {
namespace {

/// The numbers behind "cpu" in /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal.
std::array<double, 8> times() {
  std::array<double, 8> t{};
  std::ifstream file("/proc/stat");
  std::string name;
  file >> name;
  for (double& x : t) file >> x;
  return t;
}

Finding instruction_set(const Machine& m) {
  const std::string isa = coracle_cpu_isa();
  const std::string found = fmt::format("{}, kernels for {}", m.processor, isa);
  if (isa == "sse2") {
    return {Health::kSlow, "processor", found,
            "a processor (or virtual machine type) with AVX2 computes four times as much at a time"};
  }
  const bool has_avx512 = std::find(m.flags.begin(), m.flags.end(), "avx512f") != m.flags.end();
  if (has_avx512 && isa != "avx512") {
    return {Health::kNote, "processor", found, "its AVX-512 lacks one of F, BW, DQ, VL, CD, all of which kernels need"};
  }
  return {Health::kOk, "processor", found, ""};
}

Finding affinity(const Machine& m) {
  const std::string found =
      fmt::format("{} of {}, {} threads by default", m.allowed, m.online, coracle_default_threads());
  if (m.allowed >= m.online) return {Health::kOk, "processors", found, ""};
  return {Health::kNote, "processors", found,
          "the affinity of this process leaves out some: see 'taskset -p $$', or the cpuset of the container"};
}

Finding quota(const Machine& m) {
  if (!m.quota || *m.quota >= m.allowed) return {Health::kOk, "quota", "none", ""};
  const int whole = std::max(static_cast<int>(*m.quota), 1);
  const std::string found = fmt::format("control groups grant the time of {:g} processors", *m.quota);
  if (m.periods > 0 && m.throttled * 100 > m.periods) {
    return {Health::kSlow, "quota",
            fmt::format("{}, and stopped the group in {} of {} periods", found, m.throttled, m.periods),
            fmt::format("raise the limit (docker --cpus, limits.cpu of Kubernetes), or use --threads {}", whole)};
  }
  const bool part = *m.quota != std::floor(*m.quota);
  return {
      part ? Health::kSlow : Health::kNote, "quota", found,
      fmt::format("{}--threads {} stays within it, a higher limit (docker --cpus, limits.cpu of Kubernetes) gives more",
                  part ? "with a part of a processor all threads are stopped for some of each period: " : "", whole)};
}

Finding usage_of(const Machine& m, const Usage& usage) {
  const std::string found = fmt::format("{:.0f} % of the processors are in use, load {:.1f}", usage.busy * 100, m.load);
  if (usage.busy > 0.3 || m.load > m.online) {
    return {Health::kSlow, "other programs", found,
            "runs wait for processors, and times vary: end other programs, or use fewer threads than are free"};
  }
  return {Health::kOk, "other programs", found, ""};
}

Finding steal(const Usage& usage) {
  const std::string found = fmt::format("the hypervisor takes {:.0f} %", usage.stolen * 100);
  if (usage.stolen <= 0.03) return {Health::kOk, "stolen time", found, ""};
  return {Health::kSlow, "stolen time", found,
          "the host is shared with other guests: a machine type with processors of its own does not wait"};
}

Finding cores(const Machine& m) {
  if (m.threads_per_core < 2) return {Health::kOk, "cores", "one thread each", ""};
  return {Health::kNote, "cores", fmt::format("{} threads share the units of each", m.threads_per_core),
          fmt::format("try --threads {}: one for each core may take less time",
                      std::max(m.allowed / m.threads_per_core, 1))};
}

Finding numa(const Machine& m) {
  if (m.numa_nodes < 2) return {Health::kOk, "memory nodes", "one", ""};
  return {Health::kNote, "memory nodes", fmt::format("{}: processors reach the memory of others later", m.numa_nodes),
          "a process for each: numactl --cpunodebind=0 --membind=0 coracle ..."};
}

Finding frequency(const Machine& m) {
  if (m.frequency_max_khz == 0) {
    return {Health::kOk, "frequency", "the system does not tell (a virtual machine)", ""};
  }
  const std::string found = fmt::format("{:.1f} of {:.1f} GHz, governor {}", static_cast<double>(m.frequency_khz) / 1e6,
                                        static_cast<double>(m.frequency_max_khz) / 1e6, m.governor);
  if (m.governor == "powersave" || m.governor == "conservative") {
    return {Health::kNote, "frequency", found,
            "short runs end before the frequency has risen: cpupower frequency-set -g performance"};
  }
  return {Health::kOk, "frequency", found, ""};
}

Finding caches(const Machine& m) {
  std::string found;
  for (const Cache& c : m.caches) {
    if (c.type == "Instruction") continue;
    found += fmt::format("{}L{} {}", found.empty() ? "" : ", ", c.level, bytes_text(c.bytes));
  }
  if (found.empty()) return {Health::kOk, "caches", "the system does not tell", ""};
  return {Health::kOk, "caches", found, ""};
}

Finding memory(const Machine& m) {
  std::string found = fmt::format("{} of {} available", bytes_text(m.memory_available), bytes_text(m.memory_bytes));
  if (m.memory_limit > 0 && m.memory_limit < m.memory_bytes) {
    found += fmt::format(", control groups grant {}", bytes_text(m.memory_limit));
  }
  if (m.swap_used > 0 && m.memory_available * 10 < m.memory_bytes) {
    return {Health::kSlow, "memory", fmt::format("{}, {} swapped out", found, bytes_text(m.swap_used)),
            "weights that are swapped out are read from disk in each run: end other programs"};
  }
  constexpr int64_t kLittle = int64_t{256} << 20U;
  if (m.memory_available < kLittle && m.memory_bytes > 0) {
    return {Health::kNote, "memory", found,
            "--memory-limit bounds what a run takes; 'coracle inspect --shape' tells it"};
  }
  return {Health::kOk, "memory", found, ""};
}

Finding huge_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string modes;
  std::getline(file, modes);
  if (modes.find("[never]") != std::string::npos) {
    return {Health::kNote, "huge pages", "switched off",
            "large tensors take less time with them: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
  }
  return {Health::kOk, "huge pages", modes.empty() ? "the system does not tell" : "where they are asked for", ""};
}

}  // namespace

Usage measure_usage() {
  const std::array<double, 8> before = times();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  std::array<double, 8> passed = times();
  for (size_t i = 0; i < passed.size(); ++i) passed[i] -= before[i];
  const double all = std::max(std::accumulate(passed.begin(), passed.end(), 0.0), 1.0);
  return {(all - passed[3] - passed[4] - passed[7]) / all, passed[7] / all};
}

std::vector<Finding> examine(const Machine& m, const Usage& usage) {
  return {instruction_set(m), affinity(m), quota(m),  usage_of(m, usage), steal(usage), cores(m), numa(m),
          frequency(m),       caches(m),   memory(m), huge_pages()};
}

}  // namespace coracle::cli
