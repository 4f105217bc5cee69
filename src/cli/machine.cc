// SPDX-License-Identifier: Apache-2.0
#include "cli/machine.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/system/machine.h"
#include "base/system/threads.h"
#include "coracle/coracle.h"

namespace coracle::cli {
namespace {

namespace fs = std::filesystem;

/// A small file of the system without the spaces at its end; empty if there is none.
std::string content(const std::string& path) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  text.resize(text.find_last_not_of(" \n") + 1);
  return text;
}

int64_t number(const std::string& text) {
  try {
    return std::stoll(text);
  } catch (const std::exception&) {
    return 0;
  }
}

/// The value of "name : value" or "name value" in the lines of a file; its first one.
std::string value_of(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, name.size(), name) != 0) continue;
    const size_t begin = line.find_first_not_of(" \t:", name.size());
    if (begin == name.size()) continue;  // a longer name
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

/// How many processors a list like "0-3,8" has.
int count_list(const std::string& list) {
  int count = 0;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const size_t dash = part.find('-');
    const int64_t first = number(part);
    const int64_t last = dash == std::string::npos ? first : number(part.substr(dash + 1));
    count += static_cast<int>(last - first + 1);
  }
  return count;
}

/// "48K", "32M"
int64_t size_of(const std::string& text) {
  const int64_t n = number(text);
  if (text.ends_with('K')) return n << 10U;
  if (text.ends_with('M')) return n << 20U;
  return n;
}

void read_caches(const std::string& cpu0, Machine& m) {
  std::error_code error;
  for (int i = 0; fs::exists(cpu0 + "/cache/index" + std::to_string(i), error); ++i) {
    const std::string cache = cpu0 + "/cache/index" + std::to_string(i);
    m.caches.push_back({static_cast<int>(number(content(cache + "/level"))), content(cache + "/type"),
                        size_of(content(cache + "/size")), content(cache + "/shared_cpu_list")});
  }
}

/// The folder of this process' group in one hierarchy of control groups and those around it, the innermost first.
/// `controller` is empty for version 2.
std::vector<std::string> groups(const std::string& root, const std::string& controller) {
  const std::string mount = root + "/sys/fs/cgroup" + (controller.empty() ? "" : "/" + controller);
  std::istringstream lines(content(root + "/proc/self/cgroup"));
  std::vector<std::string> out;
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers.find("," + controller + ",") == std::string::npos) continue;
    for (fs::path path = line.substr(second + 1); path.has_relative_path(); path = path.parent_path()) {
      out.push_back(mount + path.string());
    }
  }
  out.push_back(mount);
  return out;
}

void keep_least(int64_t& least, int64_t value) {
  if (value > 0 && (least == 0 || value < least)) least = value;
}

void read_groups(const std::string& root, Machine& m) {
  const auto take_quota = [&](int64_t quota, int64_t period) {
    if (quota <= 0 || period <= 0) return;
    const double processors = static_cast<double>(quota) / static_cast<double>(period);
    if (!m.quota || processors < *m.quota) m.quota = processors;
  };
  const auto take_stat = [&](const std::string& group) {
    const std::string stat = content(group + "/cpu.stat");
    const int64_t throttled = number(value_of(stat, "nr_throttled"));
    if (throttled <= m.throttled) return;
    m.throttled = throttled;
    m.periods = number(value_of(stat, "nr_periods"));
  };
  for (const std::string& group : groups(root, "")) {
    std::istringstream most(content(group + "/cpu.max"));
    std::string quota;
    int64_t period = 0;
    if (most >> quota >> period && quota != "max") take_quota(number(quota), period);
    take_stat(group);
    keep_least(m.memory_limit, number(content(group + "/memory.max")));
  }
  for (const std::string& group : groups(root, "cpu")) {
    take_quota(number(content(group + "/cpu.cfs_quota_us")), number(content(group + "/cpu.cfs_period_us")));
    take_stat(group);
  }
  for (const std::string& group : groups(root, "memory")) {
    constexpr int64_t kNone = int64_t{1} << 60U;  // what version 1 says where there is no limit is larger
    const int64_t limit = number(content(group + "/memory.limit_in_bytes"));
    if (limit < kNone) keep_least(m.memory_limit, limit);
  }
}

void read_memory(const std::string& root, Machine& m) {
  const std::string text = content(root + "/proc/meminfo");
  const auto kilobytes = [&](const char* name) { return number(value_of(text, name)) << 10U; };
  m.memory_bytes = kilobytes("MemTotal:");
  m.memory_available = kilobytes("MemAvailable:");
  m.swap_used = kilobytes("SwapTotal:") - kilobytes("SwapFree:");
  if (m.memory_bytes == 0) internal::physical_memory(m.memory_bytes, m.memory_available);
}

}  // namespace

std::vector<std::string> instruction_sets() {
#if defined(__x86_64__)
  return {"sse2", "avx2", "avx512"};
#elif defined(__aarch64__) || defined(__arm__)
  return {"neon"};
#else
  return {};
#endif
}

std::vector<std::string> usable_instruction_sets() {
  std::vector<std::string> sets = instruction_sets();
  const auto widest = std::find(sets.begin(), sets.end(), coracle_cpu_isa());
  if (widest != sets.end()) sets.erase(widest + 1, sets.end());
  return sets;
}

bool has_tiles(const Machine& machine) {
  const auto has = [&](const char* flag) {
    return std::find(machine.flags.begin(), machine.flags.end(), flag) != machine.flags.end();
  };
  return has("amx_tile") && has("amx_bf16");
}

std::string bytes_text(int64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return value < 10 && value != std::floor(value) ? fmt::format("{:.1f} {}", value, kUnits[unit])
                                                  : fmt::format("{:.0f} {}", value, kUnits[unit]);
}

std::string processor_name(const std::string& root) {
  const std::string info = content(root + "/proc/cpuinfo");
  for (const char* name : {"model name", "Model", "Hardware"}) {
    if (std::string value = value_of(info, name); !value.empty()) return value;
  }
  return internal::processor_of_system();
}

Machine read_machine(const std::string& root) {
  Machine m;
  m.processor = processor_name(root);
  const std::string info = content(root + "/proc/cpuinfo");
  std::istringstream flags(value_of(info, "flags") + " " + value_of(info, "Features"));
  m.flags.assign(std::istream_iterator<std::string>(flags), {});
  const std::string cpus = root + "/sys/devices/system/cpu";
  m.online = count_list(content(cpus + "/online"));
  if (m.online == 0) m.online = internal::online_cpus();
  m.allowed = internal::affinity_count();
  if (m.allowed == 0) m.allowed = m.online;
  const std::string cpu0 = cpus + "/cpu0";
  m.threads_per_core = std::max(count_list(content(cpu0 + "/topology/thread_siblings_list")), 1);
  m.numa_nodes = std::max(count_list(content(root + "/sys/devices/system/node/online")), 1);
  read_caches(cpu0, m);
  m.governor = content(cpu0 + "/cpufreq/scaling_governor");
  m.frequency_khz = number(content(cpu0 + "/cpufreq/scaling_cur_freq"));
  m.frequency_max_khz = number(content(cpu0 + "/cpufreq/cpuinfo_max_freq"));
  read_groups(root, m);
  std::istringstream(content(root + "/proc/loadavg")) >> m.load;
  read_memory(root, m);
  return m;
}

}  // namespace coracle::cli
