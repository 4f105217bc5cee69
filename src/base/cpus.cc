// SPDX-License-Identifier: Apache-2.0
#include "base/cpus.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/printable.h"

namespace coracle::internal {
namespace {

/// A mounted hierarchy of control groups, and where this process is in it.
struct Hierarchy {
  bool unified = false;  // version 2
  std::string mount;     // directory of the group `root`
  std::string root;      // what is mounted: in a container often a group below the topmost
  std::string group;     // of this process, from the topmost on
};

/// A file of the system, empty where it cannot be read. Its streams would be most of what the standard library weighs
/// here.
std::string content(const std::string& path) {
  std::string all;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
  if (file == nullptr) return all;
  char piece[4096];
  while (const size_t got = std::fread(piece, 1, sizeof(piece), file.get())) all.append(piece, got);
  return all;
}

std::string first_line(const std::string& path) {
  std::string all = content(path);
  all.erase(std::min(all.find('\n'), all.size()));
  return all;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool contains(const std::vector<std::string_view>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// Lines of /proc/self/mountinfo: "36 35 98:0 /group /sys/fs/cgroup/cpu rw,noatime - cgroup source rw,cpu,cpuacct".
std::vector<Hierarchy> mounted(const std::string& root) {
  std::vector<Hierarchy> found;
  const std::string mounts = content(root + "/proc/self/mountinfo");
  for (const std::string_view line : split(mounts, '\n')) {
    const size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    const std::vector<std::string_view> left = split(line.substr(0, dash), ' ');
    const std::vector<std::string_view> right = split(line.substr(dash + 3), ' ');
    if (left.size() < 5 || right.empty()) continue;
    const bool unified = right[0] == "cgroup2";
    if (!unified && (right[0] != "cgroup" || right.size() < 3 || !contains(split(right[2], ','), "cpu"))) continue;
    found.push_back({.unified = unified, .mount = std::string(left[4]), .root = std::string(left[3]), .group = {}});
  }
  return found;
}

/// Lines of /proc/self/cgroup: "4:cpu,cpuacct:/group" for version 1, "0::/group" for version 2.
void find_groups(const std::string& root, std::vector<Hierarchy>& hierarchies) {
  const std::string groups = content(root + "/proc/self/cgroup");
  for (const std::string_view line : split(groups, '\n')) {
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    for (Hierarchy& h : hierarchies) {
      if (h.unified ? controllers.empty() : contains(split(controllers, ','), "cpu")) h.group = line.substr(second + 1);
    }
  }
}

/// The integer that `text` begins with.
std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) return std::nullopt;
  return value;
}

/// All of `text` as a number from 0 on.
std::optional<int64_t> whole(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return number(text);
}

/// What one group grants.
std::optional<double> quota_of(const std::string& directory, bool unified) {
  std::string quota;
  std::string period;
  if (unified) {
    quota = content(directory + "/cpu.max");  // "150000 100000" or "max 100000"
    if (const size_t space = quota.find(' '); space != std::string::npos) period = quota.substr(space + 1);
  } else {
    quota = content(directory + "/cpu.cfs_quota_us");  // -1: none
    period = content(directory + "/cpu.cfs_period_us");
  }
  const std::optional<int64_t> granted = number(quota);
  const std::optional<int64_t> of = number(period);
  if (!granted || !of || *granted <= 0 || *of <= 0) return std::nullopt;
  return static_cast<double>(*granted) / static_cast<double>(*of);
}

/// "0-3,8"; nothing for what is no such list.
std::vector<int> cpu_list(std::string_view list) {
  constexpr int64_t kMostCpus = 1 << 16;
  std::vector<int> cpus;
  for (const std::string_view part : split(list, ',')) {
    const size_t dash = std::min(part.find('-'), part.size());
    const std::optional<int64_t> first = whole(part.substr(0, dash));
    const std::optional<int64_t> last = dash == part.size() ? first : whole(part.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= kMostCpus) return {};
    for (int64_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

/// A processor, and what it does in a time, compared with those beside it in a list.
struct ProcessorSpeed {
  int cpu = 0;
  int64_t value = 0;
};

/// What differs by less than a tenth is alike: processors have favourite cores, which run a little faster.
bool differ(int64_t least, int64_t most) { return least * 10 < most * 9; }

int64_t least_of(const std::vector<ProcessorSpeed>& speeds) {
  return std::min_element(speeds.begin(), speeds.end(), [](auto& a, auto& b) { return a.value < b.value; })->value;
}

int64_t most_of(const std::vector<ProcessorSpeed>& speeds) {
  return std::max_element(speeds.begin(), speeds.end(), [](auto& a, auto& b) { return a.value < b.value; })->value;
}

/// `file` of each processor's folder; nothing where one does not have it.
std::vector<ProcessorSpeed> values_of(const std::vector<int>& cpus, const std::string& folder, const char* file) {
  std::vector<ProcessorSpeed> all;
  for (const int cpu : cpus) {
    const std::optional<int64_t> value = number(content(folder + "cpu" + std::to_string(cpu) + file));
    if (!value) return {};
    all.push_back({cpu, *value});
  }
  return all;
}

/// Of the processors that this process may use, by their capacity, which counts work, or else by their highest
/// frequency; alike where the system tells neither.
std::vector<ProcessorSpeed> read_speeds(const std::string& root) {
  const std::string folder = root + "/sys/devices/system/cpu/";
  std::vector<int> cpus = root.empty() ? first_affinity() : std::vector<int>();
  if (cpus.empty()) cpus = cpu_list(first_line(folder + "online"));
  if (cpus.empty()) cpus.push_back(0);
  for (const char* file : {"/cpu_capacity", "/cpufreq/cpuinfo_max_freq"}) {
    std::vector<ProcessorSpeed> speeds = values_of(cpus, folder, file);
    if (!speeds.empty() && differ(least_of(speeds), most_of(speeds))) return speeds;
  }
  std::vector<ProcessorSpeed> alike;
  alike.reserve(cpus.size());
  for (const int cpu : cpus) alike.push_back({cpu, 1});
  return alike;
}

const std::vector<ProcessorSpeed>& speeds_here() {
  static const auto& here =
      *new std::vector<ProcessorSpeed>(read_speeds(""));  // there for threads that run at the exit
  return here;
}

/// For "all", "fast" and "slow".
std::vector<int> cpus_by_speed(std::string_view text, const std::string& root) {
  const std::vector<ProcessorSpeed> speeds = root.empty() ? speeds_here() : read_speeds(root);
  const int64_t least = least_of(speeds);
  const int64_t most = most_of(speeds);
  std::vector<int> cpus;
  for (const ProcessorSpeed& speed : speeds) {
    const bool fast = speed.value >= least + (most - least) / 2;
    if (text == "all" || least == most || fast == (text == "fast")) cpus.push_back(speed.cpu);
  }
  return cpus;
}

}  // namespace

bool speeds_differ(const std::vector<int>& cpus, const std::string& root) {
  const std::vector<ProcessorSpeed> elsewhere = root.empty() ? std::vector<ProcessorSpeed>() : read_speeds(root);
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t most = 0;
  for (const ProcessorSpeed& s : root.empty() ? speeds_here() : elsewhere) {
    if (std::find(cpus.begin(), cpus.end(), s.cpu) == cpus.end()) continue;
    least = std::min(least, s.value);
    most = std::max(most, s.value);
  }
  return most > 0 && differ(least, most);
}

int allowed_cpus() { return allowed_cpus(affinity()); }

int allowed_cpus(const std::vector<int>& allowed) {
  return !allowed.empty() ? static_cast<int>(allowed.size())
                          : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
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

std::vector<int> cpu_numbers(std::string_view text, const std::string& root) {
  if (text == "all" || text == "fast" || text == "slow") return cpus_by_speed(text, root);
  const std::string system = root + "/sys/devices/system/";
  std::string list(text);
  if (text.substr(0, 4) == "node") {
    list = first_line(system + "node/" + (whole(text.substr(4)) ? list : "none") + "/cpulist");
    require(!list.empty(), ErrorCode::kInvalidArgument, "cpus names ", in_quotes(text),
            ": this machine has no such NUMA node with processors");
  }
  std::vector<int> cpus = cpu_list(list);
  require(!cpus.empty(), ErrorCode::kInvalidArgument, "cpus is ", in_quotes(text),
          ", expected numbers of processors such as \"0-3,8\", a NUMA node such as \"node1\", \"fast\", \"slow\" or "
          "\"all\"");
  const std::string online = first_line(system + "cpu/online");
  const std::vector<int> running = cpu_list(online);
  for (const int cpu : cpus) {
    require(running.empty() || std::binary_search(running.begin(), running.end(), cpu), ErrorCode::kInvalidArgument,
            "cpus is ", in_quotes(text), ": processor ", cpu, " is not running; those of this machine are ", online);
  }
  return cpus;
}

namespace {

/// Pages that the calling thread is the first to write to come from the node, from others once it has none.
void prefer_node(std::string_view text) {
  size_t node = 0;
  std::from_chars(text.data(), text.data() + text.size(), node);
  const int refused = prefer_memory_of(node);
  if (refused == 0) return;
  fail(ErrorCode::kUnsupported, "memory cannot be bound to NUMA node ", node, ": ", std::strerror(refused),
       refused == EPERM ? " (a container needs the capability SYS_NICE for that)" : "",
       "; numbers of processors bind threads alone");
}

}  // namespace

void bind_thread(ThreadHandle thread, const std::vector<int>& cpus) {
  require(kBindsThreads, ErrorCode::kUnsupported, "threads cannot be bound to processors on this system");
  const int refused = bind_to(thread, cpus);
  require(refused == 0, ErrorCode::kInvalidArgument,
          "no thread of this process may run on the processors given as cpus, ", cpus.front(),
          cpus.size() == 1 ? "" : " and others", ": ", std::strerror(refused));
}

void bind_thread(std::string_view text) {
  const std::vector<int> cpus = cpu_numbers(text);
  const SavedAffinity before;
  bind_thread(this_thread_handle(), cpus);
  if (!text.starts_with("node")) return;
  try {
    prefer_node(text.substr(4));
  } catch (...) {
    before.restore();
    throw;
  }
}

}  // namespace coracle::internal
