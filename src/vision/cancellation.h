// SPDX-License-Identifier: Apache-2.0
// Ends the runs of models from other threads.
#pragma once

#include <mutex>

#include "coracle/coracle.h"

namespace coracle::vision {

/// What a thread has under way, of one model or several, and how others end it.
class Cancellation {
 public:
  /// While it lives, `cancel` ends the runs that this thread does.
  class Scope {
   public:
    explicit Scope(Cancellation& cancellation);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };
  /// Around the run of a session. api::Exception (cancelled) if the scope it is in was cancelled before.
  class Run {
   public:
    explicit Run(coracle_session* session);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

   private:
    Cancellation* const cancellation_;
  };

  /// For any thread; does nothing outside of a scope.
  void cancel();

 private:
  std::mutex mutex_;
  bool is_active_ = false;
  bool is_cancelled_ = false;
  coracle_session* session_ = nullptr;  ///< that runs
};

}  // namespace coracle::vision
