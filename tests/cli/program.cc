// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "support/temporary_folder.h"

namespace coracle::internal::test {
namespace {

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Makes descriptor `to` the file `path`; for the child between fork and exec.
bool redirect(int to, const char* path, int flags) {
  const int fd = ::open(path, flags, 0600);
  return fd >= 0 && ::dup2(fd, to) >= 0;
}

}  // namespace

Outcome coracle_program(const std::vector<std::string>& arguments, const std::string& out_file, int interrupt_after) {
  const TemporaryFolder folder;
  const std::string out = out_file.empty() ? folder.path("out") : out_file;
  const std::string err = folder.path("err");
  std::vector<char*> argv;
  std::string name = CORACLE_PROGRAM;
  argv.push_back(name.data());
  std::vector<std::string> copies = arguments;
  for (std::string& a : copies) argv.push_back(a.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);
    constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC;
    if (redirect(0, "/dev/null", O_RDONLY) && redirect(1, out.c_str(), kNew) && redirect(2, err.c_str(), kNew)) {
      ::execv(argv[0], argv.data());
    }
    ::_exit(127);
  }
  if (child > 0 && interrupt_after != 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(interrupt_after));
    ::kill(child, SIGINT);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return {};
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, out_file.empty() ? content(out) : std::string(), content(err)};
}

void expect_failure(const std::vector<std::string>& arguments, int code, const std::vector<std::string>& parts) {
  std::string line = "coracle";
  for (const std::string& a : arguments) line.append(" ").append(a);
  SCOPED_TRACE(line);
  const Outcome outcome = coracle_program(arguments);
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  constexpr const char* kStart = "coracle: ";
  EXPECT_TRUE(outcome.err.starts_with(kStart)) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with("\n")) << outcome.err;
  EXPECT_EQ(outcome.err.find(kStart, 1), std::string::npos) << "more than one message: " << outcome.err;
  for (const std::string& part : parts) {
    EXPECT_NE(outcome.err.find(part), std::string::npos) << "no '" << part << "' in: " << outcome.err;
  }
}

}  // namespace coracle::internal::test
