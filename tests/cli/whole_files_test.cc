// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <thread>

#include "files.h"
#include "program.h"

// Whenever a signal comes and wherever the disk is full, each file that a command writes is the old one or the new one,
// and nothing lies beside it.
namespace coracle::internal {
namespace {

namespace fs = std::filesystem;

constexpr int kInputOutput = 5;
constexpr int kInterrupted = 130;
const std::string kOld = "what was there before";

using Files = std::map<std::string, std::string>;

Files files_in(const std::string& folder) {
  Files files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[fs::relative(entry.path(), folder)] = {std::istreambuf_iterator<char>(file),
                                                 std::istreambuf_iterator<char>()};
  }
  return files;
}

/// What happens to a run of the program.
struct Disturbance {
  int signal = 0;
  std::chrono::microseconds after{0};
  int pending_signal = 0;  ///< blocked and pending from the start, so that it comes while each file is written
  rlim_t largest_file = RLIM_INFINITY;
  bool without_unnamed_files = false;  ///< as on file systems that know no O_TMPFILE
};

/// From here on this process cannot open files without a name.
bool take_unnamed_files_away() {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, O_TMPFILE),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, O_TMPFILE, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<uint16_t>(std::size(steps)), steps};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Exit code (128 + signal) and, in `err`, standard error.
test::Outcome disturbed(const std::vector<std::string>& arguments, const Disturbance& d) {
  const test::TemporaryFolder folder;
  const std::string err = folder.path("err");
  std::vector<std::string> texts = arguments;
  texts.insert(texts.begin(), CORACLE_PROGRAM);
  std::vector<char*> argv;
  for (std::string& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open("/dev/null", O_RDWR), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
    const rlimit limit{d.largest_file, d.largest_file};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    if (d.pending_signal != 0) {
      sigset_t set;
      ::sigemptyset(&set);
      ::sigaddset(&set, d.pending_signal);
      ::sigprocmask(SIG_BLOCK, &set, nullptr);
      ::raise(d.pending_signal);
    }
    if (!d.without_unnamed_files || take_unnamed_files_away()) ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  if (d.signal != 0) {
    std::this_thread::sleep_for(d.after);
    ::kill(child, d.signal);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::ifstream said(err);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          {},
          {std::istreambuf_iterator<char>(said), std::istreambuf_iterator<char>()}};
}

class WholeFiles : public testing::Test {
 protected:
  WholeFiles() { test::write_png(folder_.path("picture.png"), 90, 120, {250, 10, 10}); }

  /// Each command that writes files; OUT is the folder that they go to.
  std::vector<std::vector<std::string>> writers() const {
    const std::string shape = "x=5000,2";
    return {
        {"run", product_, "--shape", shape, "--output-dir", "OUT"},
        {"optimize", product_, "-o", "OUT/model.coracle"},
        {"graph", product_, "-o", "OUT/graph.html"},
        {"shapes", product_, "--shape", shape, "-o", "OUT/shapes.txt"},
        {"profile", product_, "--shape", shape, "--repeat", "1", "-o", "OUT/trace.json"},
        {"quantize", product_, "--half", "-o", "OUT/half", "--report", "OUT/report.json"},
        {"manual", "--output-dir", "OUT"},
        {"predict", CORACLE_VISION_TESTS "/objects", "--description", CORACLE_VISION_TESTS "/descriptions/objects.yml",
         "--draw", "OUT", folder_.path("picture.png")},
    };
  }
  std::string output() const { return folder_.path("out"); }
  std::vector<std::string> into_output(std::vector<std::string> command) const {
    for (std::string& word : command) {
      if (word.starts_with("OUT")) word = output() + word.substr(3);
    }
    return command;
  }
  /// The files that an undisturbed run writes, and how long it takes.
  std::pair<Files, std::chrono::microseconds> written(const std::vector<std::string>& command) const {
    lay_out({});
    const auto start = std::chrono::steady_clock::now();
    const test::Outcome outcome = disturbed(command, {});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return {files_in(output()),
            std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start)};
  }
  /// The old files.
  void lay_out(const Files& files) const {
    fs::remove_all(output());
    fs::create_directory(output());
    for (const auto& [name, content] : files) folder_.write("out/" + name, kOld);
  }
  /// `had_old`: whether the old files were there.
  void expect_old_or_new(const Files& files, const Files& expected, bool had_old) const {
    for (const auto& [name, content] : files) {
      const auto whole = expected.find(name);
      ASSERT_NE(whole, expected.end()) << name << " was left behind";
      // Traces hold times: they differ from run to run.
      const bool same = name == "trace.json" ? content.ends_with(whole->second.substr(whole->second.size() - 3))
                                             : content == whole->second;
      EXPECT_TRUE(same || (had_old && content == kOld))
          << name << " is neither old nor new: " << content.size() << " bytes";
    }
    if (had_old) {
      EXPECT_EQ(files.size(), expected.size());
    }
  }

  /// `make faults` asks for more.
  static int tries() {
    const char* const given = std::getenv("CORACLE_FILE_TRIES");
    return given != nullptr ? std::atoi(given) : 4;
  }

  const test::TemporaryFolder folder_;
  const std::string product_ = test::write_model(folder_, test::product_model());
  std::mt19937 random_{42};
};

TEST_F(WholeFiles, WhenSignalsCome) {
  for (std::vector<std::string> command : writers()) {
    SCOPED_TRACE(command[0]);
    command = into_output(command);
    const auto [expected, duration] = written(command);
    ASSERT_FALSE(expected.empty());
    std::uniform_int_distribution<int64_t> moment(0, duration.count());
    for (int i = 0; i < tries(); ++i) {
      const int signal = std::array{SIGINT, SIGTERM, SIGHUP}[static_cast<size_t>(i) % 3];
      const bool had_old = i % 2 == 0;
      lay_out(had_old ? expected : Files());
      const test::Outcome outcome = disturbed(
          command,
          {.signal = signal, .after = std::chrono::microseconds(moment(random_)), .without_unnamed_files = i % 4 >= 2});
      EXPECT_TRUE(outcome.code == 0 || outcome.code == 128 + signal) << outcome.code << " " << outcome.err;
      EXPECT_LE(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2) << outcome.err;
      expect_old_or_new(files_in(output()), expected, had_old);
    }
  }
}

TEST_F(WholeFiles, WhenASignalComesDuringTheWriting) {
  for (std::vector<std::string> command : writers()) {
    SCOPED_TRACE(command[0]);
    command = into_output(command);
    const Files expected = written(command).first;
    for (const bool had_old : {false, true}) {
      lay_out(had_old ? expected : Files());
      const test::Outcome outcome = disturbed(command, {.pending_signal = SIGINT, .without_unnamed_files = true});
      EXPECT_EQ(outcome.code, kInterrupted) << outcome.err;
      EXPECT_NE(outcome.err.find("was interrupted by a signal"), std::string::npos) << outcome.err;
      expect_old_or_new(files_in(output()), expected, had_old);
    }
  }
}

TEST_F(WholeFiles, WhenFilesMayNotGrow) {
  for (std::vector<std::string> command : writers()) {
    SCOPED_TRACE(command[0]);
    command = into_output(command);
    const Files expected = written(command).first;
    size_t largest = 0;
    for (const auto& [name, content] : expected) largest = std::max(largest, content.size());
    std::uniform_int_distribution<size_t> size(0, largest * 9 / 10);
    for (int i = 0; i < tries(); ++i) {
      const bool had_old = i % 2 == 0;
      lay_out(had_old ? expected : Files());
      const size_t limit = size(random_);
      const test::Outcome outcome = disturbed(command, {.largest_file = limit, .without_unnamed_files = i % 4 >= 2});
      EXPECT_EQ(outcome.code, kInputOutput) << outcome.err;
      constexpr size_t kMessage = 512;  // which is in a file, too
      if (limit >= kMessage) {
        EXPECT_NE(outcome.err.find("File too large"), std::string::npos) << outcome.err;
      }
      expect_old_or_new(files_in(output()), expected, had_old);
    }
  }
}

TEST_F(WholeFiles, WhenTheDiskIsFull) {
  const std::string mounts = "unshare --map-root-user --mount bash -c ";
  if (std::system((mounts + "'mount -t tmpfs none " + folder_.path() + "' 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << "nothing can be mounted here";
  }
  const std::string disk = folder_.path("disk");
  const std::string back = folder_.path("back");
  int full = 0;
  constexpr size_t kPage = 4096;
  for (std::vector<std::string> command : writers()) {
    SCOPED_TRACE(command[0]);
    command = into_output(command);
    const Files expected = written(command).first;
    size_t pages = 0;
    for (const auto& [name, content] : expected) pages += (content.size() + kPage - 1) / kPage;
    std::uniform_int_distribution<size_t> free_pages(0, pages / 2);
    for (int i = 0; i < tries(); ++i) {
      lay_out(expected);
      for (const std::string& fresh : {disk, back}) {
        fs::remove_all(fresh);
        fs::create_directory(fresh);
      }
      // The old files, as many free pages, and one file that takes the rest.
      const std::string script = R"(set -e
out=$1 disk=$2 back=$3 free=$4
mount -t tmpfs -o size=8m none "$disk"
cp -a "$out"/. "$disk"
mount --bind "$disk" "$out"
cd "$out"
head -c "$free" /dev/zero >room
dd if=/dev/zero of=rest bs=4096 2>/dev/null || true
rm room
cd /
shift 4
code=0
"$@" >/dev/null || code=$?
rm "$out/rest"
cp -a "$out"/. "$back"
exit $code
)";
      const std::string file = folder_.write("script", script);
      std::string line = "unshare --map-root-user --mount bash '" + file + "' '" + output() + "' '" + disk + "' '" +
                         back + "' " + std::to_string(free_pages(random_) * kPage) + " '" CORACLE_PROGRAM "'";
      for (const std::string& word : command) line += " '" + word + "'";
      const int status = std::system((line + " 2>'" + folder_.path("said") + "'").c_str());
      std::ifstream said(folder_.path("said"));
      const std::string err{std::istreambuf_iterator<char>(said), std::istreambuf_iterator<char>()};
      ASSERT_TRUE(WIFEXITED(status)) << err;
      EXPECT_TRUE(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == kInputOutput) << err;
      full += WEXITSTATUS(status) == kInputOutput ? 1 : 0;
      expect_old_or_new(files_in(back), expected, true);
    }
  }
  EXPECT_GT(full, 0);
}

}  // namespace
}  // namespace coracle::internal
