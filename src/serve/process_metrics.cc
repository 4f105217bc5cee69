// SPDX-License-Identifier: Apache-2.0
#include "serve/process_metrics.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace coracle::serve {
namespace {

/// A line "NAME: NUMBER kB" of a file, in bytes; 0 where there is none.
std::map<std::string, uint64_t> sizes_of(const char* path) {
  std::map<std::string, uint64_t> sizes;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    std::string unit;
    uint64_t number = 0;
    if (words >> name >> number >> unit && unit == "kB") sizes[name] = number * 1024;
  }
  return sizes;
}

/// Fields of /proc/self/stat behind the program's name, which may have spaces; the first is field 3.
std::vector<std::string> stat_fields() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream rest(text.substr(std::min(text.rfind(')') + 1, text.size())));
  std::vector<std::string> fields;
  for (std::string field; rest >> field;) fields.push_back(field);
  return fields;
}

double boot_seconds() {
  std::ifstream file("/proc/stat");
  for (std::string word; file >> word;) {
    double seconds = 0;
    if (word == "btime" && file >> seconds) return seconds;
  }
  return 0;
}

uint64_t open_files() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), ::closedir);
  uint64_t count = 0;
  while (folder != nullptr && ::readdir(folder.get()) != nullptr) ++count;
  return count < 3 ? 0 : count - 3;  // ".", ".." and the folder itself
}

}  // namespace

ProcessMetrics::ProcessMetrics() : before_(ticks()), at_(std::chrono::steady_clock::now()) {}

ProcessMetrics::Ticks ProcessMetrics::ticks() {
  // cpu user nice system idle iowait irq softirq steal
  std::ifstream file("/proc/stat");
  std::string name;
  file >> name;
  Ticks ticks;
  for (int column = 0; column < 8; ++column) {
    uint64_t count = 0;
    file >> count;
    ticks.all += count;
    if (column != 3 && column != 4) ticks.busy += count;
  }
  return ticks;
}

double ProcessMetrics::utilization() {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  if (now - at_ < std::chrono::seconds(1)) return utilization_;
  const Ticks after = ticks();
  if (after.all > before_.all)
    utilization_ = static_cast<double>(after.busy - before_.busy) / static_cast<double>(after.all - before_.all);
  before_ = after;
  at_ = now;
  return utilization_;
}

void ProcessMetrics::write(PrometheusText& text) {
  text.metric("nv_cpu_utilization", "gauge", "Share of all processors that was busy since the last look, 0 to 1",
              utilization());
  auto memory = sizes_of("/proc/meminfo");
  text.metric("nv_cpu_memory_total_bytes", "gauge", "Memory of the machine", memory["MemTotal:"]);
  text.metric("nv_cpu_memory_used_bytes", "gauge", "Memory of the machine that is not available",
              memory["MemTotal:"] - memory["MemAvailable:"]);
  auto own = sizes_of("/proc/self/status");
  text.metric("process_resident_memory_bytes", "gauge", "Memory of this process", own["VmRSS:"]);
  text.metric("process_virtual_memory_bytes", "gauge", "Addresses of this process", own["VmSize:"]);
  text.metric("process_open_fds", "gauge", "Files and connections that are open", open_files());
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0)
    text.metric("process_max_fds", "gauge", "How many may be", static_cast<uint64_t>(files.rlim_cur));
  const std::vector<std::string> fields = stat_fields();
  constexpr size_t kUserTime = 14 - 3;
  constexpr size_t kStartTime = 22 - 3;
  if (fields.size() <= kStartTime) return;
  const auto per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  text.metric("process_cpu_seconds_total", "counter", "Time that processors have worked for this process",
              (std::stod(fields[kUserTime]) + std::stod(fields[kUserTime + 1])) / per_second);
  text.metric("process_start_time_seconds", "gauge", "When this process began, in seconds since 1970",
              boot_seconds() + std::stod(fields[kStartTime]) / per_second);
}

}  // namespace coracle::serve
