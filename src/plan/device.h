// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "plan/kernel.h"
#include "plan/plan_stage.h"
#include "plan/queue.h"

namespace coracle {

/// What a machine reaches at best, measured.
struct MachineLimits {
  double flops_per_second = 0;  ///< float32 multiply-adds in registers, counted as two
  double bytes_per_second = 0;  ///< read from memory, one after the other
};

/// The devices of one kind that this machine has.
struct Probe {
  std::vector<DeviceInfo> devices;
  std::string missing;  ///< why there is none ("libOpenCL.so.1 was not found: install the driver of the device")
};

/// A kind of device, with its kernels. One folder of src/devices each.
struct Device {
  const char* name;  ///< "opencl", as people write it
  std::span<const KernelTable* const> (*kernels)();
  /// Takes some tenths of a second on all threads of the pool. Of the host alone.
  MachineLimits (*measure_limits)(Isa isa, ThreadPool& pool);
  /// What is there, without taking it into use; never throws but for memory. Null for the host.
  Probe (*probe)();
  /// Takes device `index` of the probe's list into use. Throws Error, with what to do. Null for the host.
  std::shared_ptr<OpenDevice> (*open)(int index);
  /// What it makes of the steps that were chosen, in this order; other devices' steps stay as they are.
  std::span<const PlanStage> stages = {};

  bool is_host() const { return open == nullptr; }
};

/// The devices of this build, generated from the folders of src/devices.
std::span<const Device* const> all_devices();

}  // namespace coracle
