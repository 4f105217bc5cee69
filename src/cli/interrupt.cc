// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <atomic>
#include <csignal>

#include "cli/failure.h"

namespace coracle::cli {
namespace {

std::atomic<uint32_t> interrupted{0};
std::atomic<api::Session*> running{nullptr};
static_assert(std::atomic<api::Session*>::is_always_lock_free);

extern "C" void interrupt(int) {
  interrupted.store(1);
  if (api::Session* const session = running.load()) session->cancel();
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
  running.store(&session);
  try {
    if (happened()) throw Failure(ExitCode::kInterrupted, "interrupted");
    session.run();
  } catch (...) {
    running.store(nullptr);
    throw;
  }
  running.store(nullptr);
}

}  // namespace coracle::cli
