// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthreadpool.h>

#include <memory>
#include <vector>

#include "program.h"
#include "workspace.h"

namespace coracle_xnnpack {

/// What one session needs to run a program.
class ProgramRun {
 public:
  /// Throws Refused where no threads can be started.
  ProgramRun(const Program& program, int threads);

  /// Throws Refused where XNNPACK does.
  void run(const void* const* inputs, void* const* outputs);

 private:
  struct DestroyThreads {
    void operator()(pthreadpool_t threads) const { pthreadpool_destroy(threads); }
  };

  const Program& program_;
  WorkspaceUser user_;
  std::unique_ptr<pthreadpool, DestroyThreads> threads_;
  std::vector<float*> memory_;  ///< by value
};

}  // namespace coracle_xnnpack
