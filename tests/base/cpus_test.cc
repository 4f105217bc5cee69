// SPDX-License-Identifier: Apache-2.0
#include "base/cpus.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace coracle {
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

}  // namespace
}  // namespace coracle
