// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/precision.h"
#include "base/thread_pool.h"
#include "plan/kernel.h"
#include "plan/plan_stage.h"
#include "plan/queue.h"
#include "plan/speed.h"

namespace coracle::internal {

/// What a machine reaches at best, measured.
struct MachineLimits {
  double flops_per_second = 0;  ///< float32 multiply-adds in registers, counted as two
  double bytes_per_second = 0;  ///< read from memory, one after the other
};

/// The devices of one kind that this machine has.
struct Probe {
  std::vector<DeviceInfo> devices;
  std::string missing;    ///< why there is none ("libOpenCL.so.1 was not found: install the driver of the device")
  bool unusable = false;  ///< there is a driver and it has devices, or may have: they cannot be used as things are
};

/// What the kernels of a device may need of it (KernelDef::capability), and how they may compute (KernelDef::mode).
struct Capabilities {
  /// By number: "sse2", "avx2".
  std::span<const std::string_view> (*names)();
  /// The greatest that is there.
  CapabilityLevel (*best)();
  bool (*has)(CapabilityLevel capability);
  /// Whether a kernel runs if `capability` is the greatest that may be used, and computes as `precision` allows.
  /// `emulated` has also the kernels for modes that this machine has in plain code alone.
  bool (*takes)(const KernelDef& kernel, CapabilityLevel capability, Precision precision, bool emulated);
};

/// A library of the maker of a kind of device, which its kernels may call.
struct DeviceLibrary {
  std::string version;  ///< "9.1.0"; empty where it is missing
  std::string missing;  ///< why there is none, and what to do
};

/// A kind of device, with its kernels. One folder of src/devices each.
struct Device {
  const char* name;  ///< "opencl", as people write it
  std::span<const KernelTable* const> (*kernels)();
  /// Null where all kernels run on all devices of this kind.
  const Capabilities* capabilities = nullptr;
  /// Takes some tenths of a second on all threads of the pool. Of the host alone.
  MachineLimits (*measure_limits)(CapabilityLevel capability, ThreadPool& pool);
  /// What is there, without taking it into use; never throws but for memory. Null for the host.
  Probe (*probe)();
  /// Takes device `index` of the probe's list into use. Throws Error, with what to do. Null for the host.
  std::shared_ptr<OpenDevice> (*open)(int index);
  /// The index of the device whose SharedDevice::number is that, without taking it into use; -1 for none. Null where
  /// devices of this kind are not shared.
  int (*index_of)(int number) = nullptr;
  /// A library by its name ("cudnn"). Null where there is none to ask for.
  DeviceLibrary (*library)(std::string_view name) = nullptr;
  /// Of the host: roughly a common processor, with all threads. Others say theirs in DeviceInfo.
  Speed speed = {};
  /// What it makes of the steps that were chosen, in this order; other devices' steps stay as they are.
  std::span<const PlanStage> stages = {};

  bool is_host() const { return open == nullptr; }
};

/// The devices of this build, generated from the folders of src/devices.
std::span<const Device* const> all_devices();
/// The one that plans run on, which every build has.
const Device& host_device();

}  // namespace coracle::internal
