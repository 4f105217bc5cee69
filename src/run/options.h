// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/workers.h"
#include "run/device_runner.h"

/// What the users of a program, of a session and of a run choose. Each struct reaches as a whole whoever acts on a part
/// of it, so that a new option is a field here, or in the part it belongs to, one line where the C interface is read
/// (src/api), and its use. What holds while a model is loaded is in loading/options.h.
namespace coracle::internal {

class StreamPoint;

struct ProgramOptions {
  KernelChoice kernels;                      ///< what may run it
  size_t weights_cache_bytes = SIZE_MAX;     ///< bound on packed weights, those of the file excepted
  MakeDeviceRunner device_runner = nullptr;  ///< make_device_runner, where `kernels` names devices
};

struct SessionOptions {
  int threads = 0;                             ///< 0: all of `workers`, or as many as this process may use at once
  std::shared_ptr<Workers> workers = nullptr;  ///< whose threads help; null: of its own
  std::vector<int> cpus = {};                  ///< processors for threads of its own; none: any
  size_t cache_bytes = SIZE_MAX;               ///< bound on the model's plans (StepCache); SIZE_MAX: by the model
  size_t memory_limit = 0;                     ///< for all that runs hold at a time (base/memory_ledger.h); 0: none
  int64_t time_limit_ms = 0;                   ///< for one run, its planning too (base/deadline.h); 0: none
  size_t recording_bytes =
      size_t{64} << 20U;     ///< bound on what queues of devices record (run/recordings.h); 0: nothing
  int parallel_engines = 1;  ///< parts of a run at the same time: blocks on engines, native work
  std::string padding = {};  ///< sizes that inputs are padded to (InputPadding); empty: none
};

/// What holds for one run only.
struct RunOptions {
  int64_t time_limit_ms = 0;                         ///< from the call on, planning included; 0: the session's
  size_t memory_limit = 0;                           ///< for what the session holds during the run; 0: the session's
  const std::atomic<uint32_t>* cancelled = nullptr;  ///< ends the run when its lowest bit is set; null: never
  /// Since when the limit of time counts; none: since it begins.
  std::optional<Deadline::Clock::time_point> called = std::nullopt;
  /// Devices begin after this; null: at once.
  std::shared_ptr<const StreamPoint> after = nullptr;
  /// Where all of it stays on the device, the run may end before it is done there: what the stream of `after` is given
  /// later comes after it.
  bool may_end_late = false;
};

}  // namespace coracle::internal
