// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace coracle::internal {

/// A program that this one has started and exchanges bytes with through a pipe; for one thread at a time. It reads
/// nothing else, and what it writes to standard error is kept here.
class Child {
 public:
  enum class Pipe {
    kOutput,  ///< what it writes to standard output is read here
    kInput,   ///< what is written here it reads from standard input; its own output is lost
  };
  /// Looked for in the folders of PATH; `words` are its name and arguments. Where it does not start, `error()` says
  /// why.
  Child(const std::vector<std::string>& words, Pipe pipe);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// A child that still runs is ended.
  ~Child();

  /// errno's number where it did not start, else 0. ENOENT: there is no such program.
  int error() const { return error_; }

  /// Up to `most` bytes of its output, as soon as there are some; 0 at the end. Where it writes nothing for `patience`
  /// it is ended and `silent()` is true from then on.
  size_t read(void* to, size_t most, std::chrono::milliseconds patience);
  bool silent() const { return silent_; }
  /// All of `size` bytes; false where it reads no more.
  bool write(const void* from, size_t size);

  /// Closes the pipe and waits until the child ends. Its exit code; negative: what ended it (how_ended).
  int finish();
  /// Ends it now.
  void stop();
  /// What it has written to standard error so far and nobody has taken, the last MiB of it.
  std::string& messages();

 private:
  struct State;
  bool drain();

  std::unique_ptr<State> state_;
  std::string messages_;
  int error_ = 0;
  bool silent_ = false;
};

/// How a program that was started ended, for people: "failed with exit code 3", "was ended by signal 9".
std::string how_ended(int status);

/// Ends all children; may be called by a handler of a signal, before the program ends without destructors.
void end_children() noexcept;

}  // namespace coracle::internal
