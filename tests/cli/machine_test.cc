// SPDX-License-Identifier: Apache-2.0
#include "cli/machine.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <map>

#include "cli/doctor.h"
#include "files.h"
#include "program.h"

// What the program says of the machine: devices, doctor, --version; and how it reads the files of the system.
namespace coracle::internal {
namespace {

using cli::Finding;
using cli::Health;
using cli::Machine;

/// A machine as files of the system describe it.
class System {
 public:
  System() {
    file("proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast 9000\nflags\t\t: fpu avx512f amx_tile amx_bf16\n\n");
    file("sys/devices/system/cpu/online", "0-3,8\n");
    file("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,8\n");
    file("sys/devices/system/node/online", "0-1\n");
    file("sys/devices/system/cpu/cpu0/cache/index0/level", "1\n");
    file("sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n");
    file("sys/devices/system/cpu/cpu0/cache/index0/size", "48K\n");
    file("sys/devices/system/cpu/cpu0/cache/index1/level", "3\n");
    file("sys/devices/system/cpu/cpu0/cache/index1/type", "Unified\n");
    file("sys/devices/system/cpu/cpu0/cache/index1/size", "32M\n");
    file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    file("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1200000\n");
    file("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3600000\n");
    file("proc/loadavg", "1.50 0.2 0.1 1/2 3\n");
    file("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 250 kB\nSwapTotal: 80 kB\nSwapFree: 30 kB\n");
  }
  void file(const std::string& path, const std::string& content) const { folder_.write(path, content); }
  Machine read() const { return cli::read_machine(folder_.path()); }

 private:
  const test::TemporaryFolder folder_;
};

std::map<std::string, Finding> findings(const Machine& m, const cli::Usage& usage = {}) {
  std::map<std::string, Finding> out;
  for (const Finding& f : cli::examine(m, usage)) {
    EXPECT_EQ(f.health == Health::kOk, f.advice.empty()) << f.what << ": what is not well has advice";
    EXPECT_NE(f.found, "") << f.what;
    out[f.what] = f;
  }
  return out;
}

TEST(Machine, IsReadFromTheFilesOfTheSystem) {
  const Machine m = System().read();
  EXPECT_EQ(m.processor, "Fast 9000");
  EXPECT_TRUE(cli::has_tiles(m));
  EXPECT_EQ(m.online, 5);
  EXPECT_EQ(m.threads_per_core, 2);
  EXPECT_EQ(m.numa_nodes, 2);
  ASSERT_EQ(m.caches.size(), 2U);
  EXPECT_EQ(m.caches[0].bytes, 48 << 10);
  EXPECT_EQ(m.caches[1].level, 3);
  EXPECT_EQ(m.caches[1].bytes, 32 << 20);
  EXPECT_EQ(m.governor, "powersave");
  EXPECT_EQ(m.load, 1.5);
  EXPECT_EQ(m.memory_bytes, 1000 << 10);
  EXPECT_EQ(m.memory_available, 250 << 10);
  EXPECT_EQ(m.swap_used, 50 << 10);
  EXPECT_FALSE(m.quota.has_value());
}

TEST(Machine, QuotasAreTheLeastOfAllGroupsAround) {
  const System second;
  second.file("proc/self/cgroup", "0::/pod/box\n");
  second.file("sys/fs/cgroup/pod/box/cpu.max", "max 100000\n");
  second.file("sys/fs/cgroup/pod/cpu.max", "150000 100000\n");
  second.file("sys/fs/cgroup/pod/cpu.stat", "usage_usec 5\nnr_periods 200\nnr_throttled 50\n");
  second.file("sys/fs/cgroup/pod/box/memory.max", "400\n");
  second.file("sys/fs/cgroup/pod/memory.max", "max\n");
  Machine m = second.read();
  EXPECT_EQ(m.quota, 1.5);
  EXPECT_EQ(m.throttled, 50);
  EXPECT_EQ(m.periods, 200);
  EXPECT_EQ(m.memory_limit, 400);

  const System first;
  first.file("proc/self/cgroup", "4:memory:/box\n3:cpu,cpuacct:/box\n0::/\n");
  first.file("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "50000\n");
  first.file("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n");
  first.file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  m = first.read();
  EXPECT_EQ(m.quota, 0.5);
  EXPECT_EQ(m.memory_limit, 0) << "no limit";
}

TEST(Machine, WithoutFilesThereIsNoGuess) {
  const test::TemporaryFolder empty;
  const Machine m = cli::read_machine(empty.path());
  EXPECT_NE(m.processor, "") << "the architecture";
  EXPECT_GE(m.online, 1);
  EXPECT_GE(m.allowed, 1);
  EXPECT_TRUE(m.caches.empty());
  EXPECT_EQ(findings(m)["caches"].health, Health::kOk);
}

TEST(Doctor, SaysWhatIsSlowAndWhatToDo) {
  Machine m;
  m.processor = "Fast 9000";
  m.online = m.allowed = 4;
  m.memory_bytes = m.memory_available = int64_t{8} << 30U;
  for (const auto& [what, finding] : findings(m)) {
    if (what == "huge pages" || what == "processor") continue;  // of the machine that runs this
    EXPECT_EQ(finding.health, Health::kOk) << what;
  }
  m.quota = 2.5;
  EXPECT_EQ(findings(m)["quota"].health, Health::kSlow);
  EXPECT_NE(findings(m)["quota"].advice.find("--threads 2"), std::string::npos);
  m.quota = 2;
  EXPECT_EQ(findings(m)["quota"].health, Health::kNote);
  m.periods = 100;
  m.throttled = 20;
  EXPECT_EQ(findings(m)["quota"].health, Health::kSlow);
  EXPECT_NE(findings(m)["quota"].found.find("20 of 100 periods"), std::string::npos);
  m.allowed = 3;
  EXPECT_EQ(findings(m)["processors"].health, Health::kNote);
  m.threads_per_core = 2;
  EXPECT_NE(findings(m)["cores"].advice.find("--threads 1"), std::string::npos);
  m.frequency_khz = 1200000;
  m.frequency_max_khz = 3600000;
  m.governor = "powersave";
  EXPECT_NE(findings(m)["frequency"].found.find("1.2 of 3.6 GHz"), std::string::npos);
  m.numa_nodes = 2;
  EXPECT_EQ(findings(m)["memory nodes"].health, Health::kNote);
  m.memory_available = m.memory_bytes / 20;
  m.swap_used = 4096;
  EXPECT_EQ(findings(m)["memory"].health, Health::kSlow);
  EXPECT_EQ(findings(m, {0.9, 0.2})["other programs"].health, Health::kSlow);
  EXPECT_EQ(findings(m, {0.9, 0.2})["stolen time"].health, Health::kSlow);
}

rapidjson::Document parsed_machine(const std::vector<std::string>& arguments, int code = 0) {
  const test::Outcome outcome = test::coracle_program(arguments);
  EXPECT_EQ(outcome.code, code) << outcome.err;
  rapidjson::Document d;
  d.Parse(outcome.out.c_str());
  EXPECT_FALSE(d.HasParseError()) << outcome.out;
  return d;
}

TEST(Devices, AreTold) {
  const rapidjson::Document d = parsed_machine({"devices", "--json"});
  const rapidjson::Value& cpu = d["devices"][0];
  EXPECT_STREQ(cpu["name"].GetString(), "cpu");
  EXPECT_STREQ(cpu["isa"].GetString(), coracle_cpu_isa());
  EXPECT_STREQ(cpu["isas"][cpu["isas"].Size() - 1].GetString(), coracle_cpu_isa());
  EXPECT_EQ(cpu["threads"].GetInt(), coracle_default_threads());
  const test::Outcome outcome = test::coracle_program({"devices"});
  EXPECT_NE(outcome.out.find("instruction sets"), std::string::npos) << outcome.out;
  // Of each other kind there are devices, or a reason why not.
  for (rapidjson::SizeType i = 1; i < d["devices"].Size(); ++i) {
    const std::string name = d["devices"][i]["name"].GetString();
    EXPECT_NE(name.find(":"), std::string::npos) << name;
    EXPECT_GT(d["devices"][i]["memory_bytes"].GetInt64(), 0) << name;
    EXPECT_NE(outcome.out.find(name + "  " + d["devices"][i]["device"].GetString()), std::string::npos) << outcome.out;
  }
  for (const rapidjson::Value& missing : d["missing"].GetArray()) {
    EXPECT_NE(outcome.out.find(missing["reason"].GetString()), std::string::npos) << outcome.out;
  }
}

TEST(Devices, ThatAreMissingAreExplainedBesideOthers) {
  const rapidjson::Document d = parsed_machine({"devices", "--json"});
  const test::Outcome doctor = test::coracle_program({"doctor"});
  for (const rapidjson::Value& missing : d["missing"].GetArray()) {
    const std::string kind = missing["kind"].GetString();
    EXPECT_NE(doctor.out.find(kind + ": " + missing["reason"].GetString()), std::string::npos) << doctor.out;
  }
}

TEST(Devices, ThatAreMissingAreExplained) {
  const test::TemporaryFolder none;
  ::setenv("OCL_ICD_VENDORS", none.path().c_str(), 1);
  const test::Outcome devices = test::coracle_program({"devices"});
  const test::Outcome doctor = test::coracle_program({"doctor"});
  ::unsetenv("OCL_ICD_VENDORS");
  EXPECT_NE(devices.out.find("cpu  "), std::string::npos) << devices.out;
  EXPECT_EQ(devices.out.find("opencl:0"), std::string::npos) << devices.out;
  if (devices.out.find("opencl") == std::string::npos) GTEST_SKIP() << "built without OpenCL";
  EXPECT_NE(devices.out.find("opencl  none: OpenCL"), std::string::npos) << devices.out;
  EXPECT_NE(doctor.out.find("opencl: OpenCL"), std::string::npos) << doctor.out;
  EXPECT_NE(doctor.out.find("the CPU alone"), std::string::npos) << doctor.out;
}

TEST(Doctor, LooksAtAModelToo) {
  const test::TemporaryFolder folder;
  const std::string model = test::write_model(folder, test::product_model());
  const auto health = [](const rapidjson::Document& d, const char* what) -> std::string {
    for (const rapidjson::Value& f : d["findings"].GetArray()) {
      if (std::string(f["what"].GetString()) == what) return f["health"].GetString();
    }
    return "";
  };
  const rapidjson::Document machine = parsed_machine({"doctor", "--json"});
  EXPECT_GE(machine["findings"].Size(), 15U);
  EXPECT_EQ(health(machine, "files"), "");
  const rapidjson::Document d = parsed_machine({"doctor", model, "--json"});
  EXPECT_EQ(health(d, "files"), "note") << "somebody may write to them";
  EXPECT_EQ(health(d, "kernels"), "ok");
  EXPECT_EQ(health(d, "speed"), "ok");
  const test::Outcome broken = test::coracle_program({"doctor", folder.write("broken.pdmodel", "no")});
  EXPECT_EQ(broken.code, 3) << broken.err;
  EXPECT_NE(broken.out.find("wrong  model"), std::string::npos) << broken.out;
}

TEST(Version, HasWhatIsInTheProgram) {
  const std::string out = test::coracle_program({"--version"}).out;
  EXPECT_TRUE(out.starts_with(std::string("coracle ") + coracle_version() + "\n")) << out;
  for (const char* part : {"instruction sets", coracle_cpu_isa(), "matrix tiles", "Apache-2.0", "RapidJSON"}) {
    EXPECT_NE(out.find(part), std::string::npos) << part << " in " << out;
  }
}

}  // namespace
}  // namespace coracle::internal
