// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "plan/kernel_selector.h"

namespace coracle::internal::test {

/// What a LateDevice does wrong, and when: each counted from 1 on, 0 for never.
struct LateFaults {
  int allocation = 0;       ///< there is no memory for the n-th block
  int host_allocation = 0;  ///< the same for memory of the host
  int operation = 0;        ///< the n-th copy or kernel fails
  int loss = 0;             ///< the device is lost at the n-th copy or kernel
  int recording = 0;        ///< the n-th recording cannot be made
};

struct LateOptions {
  bool threaded = false;  ///< work is done by a thread, after pauses; else when somebody waits for it, and no sooner
  unsigned seed = 1;      ///< of the pauses
  bool records = true;    ///< its queues record what they are given
  std::function<void()> replayed = nullptr;  ///< called in the thread of the run after each replay
  size_t largest_allocation = size_t{1} << 30U;
  size_t alignment = 256;
  LateFaults faults = {};
};

/// A device that exists only in tests, made so that mistakes show: what is given to its queues is done as late as can
/// be, its memory cannot be read through the pointers that it gives, its new memory and what is given back hold NaN.
/// Its kernels are those of the CPU, for every operator, on its own memory: they give the same bits.
class LateDevice : public OpenDevice {
 public:
  /// What was done so far, and what is held.
  struct Counts {
    int allocations = 0;
    int operations = 0;
    int kernels = 0;
    int uploads = 0;
    int downloads = 0;
    int recordings = 0;
    int replays = 0;
    int waits = 0;  ///< calls of `wait` and `finish` that found work to wait for
    size_t bytes = 0;
    size_t host_bytes = 0;
  };
  virtual Counts counts() const = 0;
  /// Faults from now on, counted anew.
  virtual void set_faults(const LateFaults& faults) = 0;
  /// What it was asked that no device can do, empty if nothing: memory that was given back, or is too small; anything
  /// but kernels and copies on the device while that is recorded.
  virtual std::string complaint() const = 0;

  static std::shared_ptr<LateDevice> make(const LateOptions& options = {});
};

/// Its kernels: for each of the CPU one of the same order, with "late." before its name.
const Device& late_device();
/// From now on they refuse this share of all nodes, which ones depends on the seed.
void refuse_nodes(unsigned seed, int percent);

inline UsedDevice use(std::shared_ptr<LateDevice> device) { return {&late_device(), std::move(device)}; }

}  // namespace coracle::internal::test
