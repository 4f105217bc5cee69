// SPDX-License-Identifier: Apache-2.0
#include "base/cpus.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace coracle {
namespace {

/// A mounted hierarchy of control groups, and where this process is in it.
struct Hierarchy {
  bool unified = false;  // version 2
  std::string mount;     // directory of the group `root`
  std::string root;      // what is mounted: in a container often a group below the topmost
  std::string group;     // of this process, from the topmost on
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool contains(const std::vector<std::string>& list, const char* word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// Lines of /proc/self/mountinfo: "36 35 98:0 /group /sys/fs/cgroup/cpu rw,noatime - cgroup source rw,cpu,cpuacct".
std::vector<Hierarchy> mounted(const std::string& root) {
  std::vector<Hierarchy> found;
  std::ifstream mounts(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const std::vector<std::string> left = split(line.substr(0, dash), ' ');
    const std::vector<std::string> right = split(line.substr(dash + 3), ' ');
    if (left.size() < 5 || right.empty()) continue;
    const bool unified = right[0] == "cgroup2";
    if (!unified && (right[0] != "cgroup" || right.size() < 3 || !contains(split(right[2], ','), "cpu"))) continue;
    found.push_back({.unified = unified, .mount = left[4], .root = left[3], .group = {}});
  }
  return found;
}

/// Lines of /proc/self/cgroup: "4:cpu,cpuacct:/group" for version 1, "0::/group" for version 2.
void find_groups(const std::string& root, std::vector<Hierarchy>& hierarchies) {
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    for (Hierarchy& h : hierarchies) {
      if (h.unified ? controllers.empty() : contains(split(controllers, ','), "cpu")) h.group = line.substr(second + 1);
    }
  }
}

/// What one group grants.
std::optional<double> quota_of(const std::string& directory, bool unified) {
  double quota = 0;
  double period = 0;
  if (unified) {
    std::ifstream file(directory + "/cpu.max");  // "150000 100000" or "max 100000"
    file >> quota >> period;
    if (!file) return std::nullopt;
  } else {
    std::ifstream quota_file(directory + "/cpu.cfs_quota_us");  // -1: none
    std::ifstream period_file(directory + "/cpu.cfs_period_us");
    quota_file >> quota;
    period_file >> period;
    if (!quota_file || !period_file) return std::nullopt;
  }
  if (quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

}  // namespace

int allowed_cpus() {
#if defined(__linux__)
  constexpr int kMostCpus = 1 << 16;
  for (int cpus = 1024; cpus <= kMostCpus; cpus *= 4) {  // the kernel refuses a set that is too small for it
    std::vector<cpu_set_t> set(CPU_ALLOC_SIZE(cpus) / sizeof(cpu_set_t));
    const size_t bytes = set.size() * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, bytes, set.data()) == 0) return std::max(CPU_COUNT_S(bytes, set.data()), 1);
  }
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::optional<double> cpu_quota(const std::string& root) {
  std::vector<Hierarchy> hierarchies = mounted(root);
  find_groups(root, hierarchies);
  std::optional<double> least;
  for (const Hierarchy& h : hierarchies) {
    // The group below what is mounted; in a namespace of its own a process may see none of its names.
    std::string path = h.group;
    if (h.root != "/" && path.compare(0, h.root.size(), h.root) == 0) path.erase(0, h.root.size());
    while (true) {
      const std::optional<double> quota = quota_of(root + h.mount + path, h.unified);
      if (quota && (!least || *quota < *least)) least = quota;
      if (path.empty() || path == "/") break;
      path.erase(path.find_last_of('/'));
    }
  }
  return least;
}

int usable_cpus() {
  const int allowed = allowed_cpus();
  static const std::optional<double> quota = cpu_quota();
  if (!quota || *quota >= allowed) return allowed;
  return std::max(1, static_cast<int>(std::ceil(*quota)));
}

}  // namespace coracle
