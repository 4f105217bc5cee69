// SPDX-License-Identifier: Apache-2.0
#include "base/cpus.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/error.h"

namespace coracle::internal {
namespace {

namespace fs = std::filesystem;

/// A made-up root of a file system with control groups.
class Groups : public testing::Test {
 protected:
  ~Groups() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& content) const {
    const fs::path file = root_ / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << content;
  }
  std::optional<double> quota() const { return cpu_quota(root_.string()); }

  const fs::path root_ = fs::temp_directory_path() / ("coracle-groups-" + std::to_string(::getpid()));
};

TEST_F(Groups, NoneIsNoQuota) {
  EXPECT_EQ(quota(), std::nullopt);
  write("proc/self/mountinfo",
        "22 1 8:1 / / rw - ext4 /dev/sda1 rw\nnonsense\n30 22 0:26 / /sys/fs/cgroup rw - cgroup2 x rw\n");
  write("proc/self/cgroup", "nonsense\n0::/user.slice\n");
  EXPECT_EQ(quota(), std::nullopt) << "without files";
  write("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(Groups, VersionTwoTakesTheLeastOfTheGroupsAround) {
  write("proc/self/mountinfo", "30 22 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n");
  write("proc/self/cgroup", "0::/kube/pod/container\n");
  write("sys/fs/cgroup/kube/pod/container/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/kube/pod/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/kube/cpu.max", "800000 100000\n");
  EXPECT_EQ(quota(), 1.5);
  write("sys/fs/cgroup/kube/pod/container/cpu.max", "50000 100000\n");
  EXPECT_EQ(quota(), 0.5);
}

TEST_F(Groups, VersionOneInAContainer) {
  // What is mounted is the container's own group; the path that the process sees is the host's.
  write("proc/self/mountinfo",
        "40 30 0:30 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
        "41 30 0:31 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n");
  write("proc/self/cgroup", "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/memory/cpu.cfs_quota_us", "1\n");
  write("sys/fs/cgroup/memory/cpu.cfs_period_us", "1\n");
  EXPECT_EQ(quota(), 3.0);
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(quota(), std::nullopt);
}

TEST(Cpus, FollowTheAffinityOfTheThread) {
  EXPECT_GE(allowed_cpus(), 1);
  EXPECT_LE(usable_cpus(), allowed_cpus());
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(allowed_cpus(), 1);
    EXPECT_EQ(usable_cpus(), 1);
  }).join();
}

std::string refusal(const std::string& text, const std::string& root = "") {
  try {
    cpu_numbers(text, root);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidArgument);
    return e.text();
  }
  return "none";
}

TEST_F(Groups, ProcessorsByNumberAndByNode) {
  write("sys/devices/system/cpu/online", "0-7,16-23\n");
  write("sys/devices/system/node/node1/cpulist", "4-7,20-23\n");
  write("sys/devices/system/node/node2/cpulist", "\n");
  const std::string root = root_.string();
  EXPECT_EQ(cpu_numbers("0", root), std::vector<int>({0}));
  EXPECT_EQ(cpu_numbers("17,2-4,3", root), std::vector<int>({2, 3, 4, 17}));
  EXPECT_EQ(cpu_numbers("node1", root), std::vector<int>({4, 5, 6, 7, 20, 21, 22, 23}));
  for (const char* wrong : {"", "x", "1-", "-1", "3-1", "1 2", "0-99999999999", "1,,2x", "0x1"}) {
    EXPECT_NE(refusal(wrong, root).find("expected numbers of processors"), std::string::npos) << wrong;
  }
  for (const char* wrong : {"node", "node0", "node2", "node../../etc", "node1 "}) {
    EXPECT_NE(refusal(wrong, root).find("no such NUMA node"), std::string::npos) << wrong;
  }
  EXPECT_EQ(refusal("6-9", root), "cpus is '6-9': processor 8 is not running; those of this machine are 0-7,16-23");
}

TEST_F(Groups, ProcessorsBySpeed) {
  const std::string root = root_.string();
  const std::vector<int> six = {0, 1, 2, 3, 4, 5};
  const auto set = [&](const char* file, const std::vector<const char*>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      write("sys/devices/system/cpu/cpu" + std::to_string(i) + "/" + file, values[i] + std::string("\n"));
    }
  };
  write("sys/devices/system/cpu/online", "0-5\n");
  for (const char* text : {"all", "fast", "slow"}) EXPECT_EQ(cpu_numbers(text, root), six) << "nothing is told";
  EXPECT_FALSE(speeds_differ(six, root));

  // Four little cores and two big ones.
  set("cpufreq/cpuinfo_max_freq", {"1416000", "1416000", "1416000", "1416000", "1800000", "1800000"});
  EXPECT_EQ(cpu_numbers("fast", root), std::vector<int>({4, 5}));
  EXPECT_EQ(cpu_numbers("slow", root), std::vector<int>({0, 1, 2, 3}));
  EXPECT_EQ(cpu_numbers("all", root), six);
  EXPECT_TRUE(speeds_differ(six, root));
  EXPECT_FALSE(speeds_differ({0, 3}, root));
  EXPECT_FALSE(speeds_differ({4, 5, 77}, root));

  // Capacities say more: three kinds, the middle one nearer to the fastest. Equal ones say nothing.
  set("cpu_capacity", {"1024", "1024", "1024", "1024", "1024", "1024"});
  EXPECT_EQ(cpu_numbers("fast", root), std::vector<int>({4, 5}));
  set("cpu_capacity", {"870", "290", "290", "290", "290", "1024"});
  EXPECT_EQ(cpu_numbers("fast", root), std::vector<int>({0, 5}));
  EXPECT_EQ(cpu_numbers("slow", root), std::vector<int>({1, 2, 3, 4}));
  EXPECT_TRUE(speeds_differ({0, 5}, root));

  // A favourite core is no other kind.
  set("cpu_capacity", {"1000", "1000", "1000", "1000", "1000", "1024"});
  set("cpufreq/cpuinfo_max_freq", {"4900000", "4900000", "4900000", "4900000", "5100000", "5100000"});
  EXPECT_EQ(cpu_numbers("fast", root), six);
  EXPECT_FALSE(speeds_differ(six, root));
}

}  // namespace
}  // namespace coracle::internal
