// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <array>
#include <atomic>
#include <chrono>
#include <string_view>

#include "base/system/child.h"
#include "base/system/program.h"
#include "cli/failure.h"

namespace coracle::cli {
namespace {

std::atomic<uint32_t> interrupted{0};
/// Sessions that run, one for each thread of the program that runs some.
std::array<std::atomic<coracle::Session*>, Interruption::kMostRuns> running{};
static_assert(std::atomic<coracle::Session*>::is_always_lock_free);

/// A place among the running sessions while it lives.
class Place {
 public:
  explicit Place(coracle::Session& session) {
    for (;; at_ = (at_ + 1) % running.size()) {
      coracle::Session* none = nullptr;
      if (running[at_].compare_exchange_strong(none, &session)) return;
    }
  }
  ~Place() { running[at_].store(nullptr); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  size_t at_ = 0;
};

constexpr std::chrono::milliseconds kPatience{250};
constexpr std::string_view kLine = "coracle: interrupted\n";
std::atomic<bool> ends{false};
static_assert(std::atomic<bool>::is_always_lock_free);

// Both are called by a handler of a signal.

void end_at_once() {
  if (ends.exchange(true)) return;
  internal::end_children();
  internal::end_program(kLine, static_cast<int>(ExitCode::kInterrupted));
}

void interrupt() {
  interrupted.store(1);
  for (const std::atomic<coracle::Session*>& place : running) {
    if (coracle::Session* const session = place.load()) session->cancel();
  }
}

}  // namespace

void Interruption::handle() { internal::handle_interrupt(interrupt, end_at_once, kPatience); }

bool Interruption::begin_end() { return !ends.exchange(true); }

bool Interruption::happened() { return interrupted.load() != 0; }

coracle::ModelOptions Interruption::interruptible(coracle::ModelOptions options) {
  options.cancelled = &interrupted;
  return options;
}

void Interruption::run(coracle::Session& session) {
  const Place place(session);
  if (happened()) throw Failure(ExitCode::kInterrupted, "interrupted");
  session.run();
}

}  // namespace coracle::cli
