// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace coracle::internal {

// What a program asks of the system that a library does not.

/// The words that the program was called with, its name the first, in UTF-8 where the system has wide ones.
std::vector<std::string> program_arguments(int argc, const char* const* argv);
/// The file of the program; empty where that is not known.
std::string own_program();

/// Standard streams that are closed become ones whose reads find nothing and whose writes fail: otherwise the next file
/// that is opened takes their place. A write fails instead of ending the program where nobody reads the pipe, or the
/// file is as large as it may become. Texts are UTF-8, bytes are left as they are.
void prepare_streams();
bool errors_go_to_terminal();

using InterruptCall = void (*)();
/// The first interruption (Ctrl-C) calls `interrupted`, and where the program has not ended after `patience`,
/// `too_late`; the second one ends it. Both are called at any time, between any two instructions. Interruptions that
/// were ignored stay so.
void handle_interrupt(InterruptCall interrupted, InterruptCall too_late, std::chrono::milliseconds patience);
/// Writes a text to standard error and ends the program, from such a function.
[[noreturn]] void end_program(std::string_view text, int code);
/// Waits for what ends the program.
void wait_to_be_ended();

/// How a program that was started ended.
struct Ended {
  int error = 0;   ///< errno's number where it did not start
  int status = 0;  ///< its exit code, negative: what ended it (how_ended)
};
/// What Python's interpreter is called here.
#if defined(_WIN32)
inline constexpr const char* kPythonProgram = "python";
#else
inline constexpr const char* kPythonProgram = "python3";
#endif

/// Runs a program, looked for in the folders of PATH, until it ends. It reads nothing and writes to `log` where that is
/// named; else its streams are this one's.
Ended run_to_end(const std::vector<std::string>& words, const std::string& log = {});
/// This process becomes another program's, with its words, the program's name the first. Returns errno's number where
/// that fails.
int become_program(const std::string& path, std::vector<std::string> words);
/// A new folder for this user alone, whose name ends with XXXXXX until it is made. False: errno says why not.
bool make_temporary_folder(std::string& path);

/// The most memory that the process has had.
size_t peak_resident_bytes();

}  // namespace coracle::internal
