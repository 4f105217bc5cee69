// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <array>
#include <atomic>
#include <csignal>

#include "cli/failure.h"

namespace coracle::cli {
namespace {

std::atomic<uint32_t> interrupted{0};
/// Sessions that run, one for each thread of the program that runs some.
std::array<std::atomic<api::Session*>, Interruption::kMostRuns> running{};
static_assert(std::atomic<api::Session*>::is_always_lock_free);

/// A place among the running sessions while it lives.
class Place {
 public:
  explicit Place(api::Session& session) {
    for (;; at_ = (at_ + 1) % running.size()) {
      api::Session* none = nullptr;
      if (running[at_].compare_exchange_strong(none, &session)) return;
    }
  }
  ~Place() { running[at_].store(nullptr); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  size_t at_ = 0;
};

extern "C" void interrupt(int) {
  interrupted.store(1);
  for (const std::atomic<api::Session*>& place : running) {
    if (api::Session* const session = place.load()) session->cancel();
  }
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

Interruption::Interruption() {
  interrupted.store(0);
  if (std::signal(SIGINT, interrupt) == SIG_IGN) std::signal(SIGINT, SIG_IGN);
}

Interruption::~Interruption() {
  if (std::signal(SIGINT, SIG_DFL) == SIG_IGN) std::signal(SIGINT, SIG_IGN);
}

bool Interruption::happened() { return interrupted.load() != 0; }

api::ModelOptions Interruption::interruptible(api::ModelOptions options) {
  options.cancelled = &interrupted;
  return options;
}

void Interruption::run(api::Session& session) {
  const Place place(session);
  if (happened()) throw Failure(ExitCode::kInterrupted, "interrupted");
  session.run();
}

}  // namespace coracle::cli
