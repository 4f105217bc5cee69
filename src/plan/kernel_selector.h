// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plan/device.h"

namespace coracle::internal {

/// A kernel that was passed over, and why.
struct Refusal {
  const KernelDef* kernel = nullptr;
  std::string reason;
};

/// A device that a program uses besides the host.
struct UsedDevice {
  const Device* device = nullptr;  ///< its kernels
  std::shared_ptr<OpenDevice> open;
};

/// Which kernels a program may use.
struct KernelChoice {
  /// Of the host: kernels for greater ones are left out.
  CapabilityLevel capability = host_device().capabilities->best();
  Precision precision = Precision::kDefault;
  bool emulates_modes = false;  ///< also modes that the machine has not: slow, the same numbers
  /// Prefixes of kernels ("conv2d", "conv2d.indirect") and stages ("row_tiles"), and "cost": kernels are chosen
  /// wherever they fit, whatever they are estimated to take.
  std::vector<std::string> disabled = {};
  std::vector<UsedDevice> devices = {};  ///< in order of preference; place i is the i-th, from 1 on
};

/// The kernels of each operator in order of preference, for one capability of the host, at each place. Immutable once
/// made.
class KernelSelector {
 public:
  /// The reference is never left out.
  explicit KernelSelector(KernelChoice choice);

  bool allows(std::string_view kernel) const;
  /// Whether a kernel that is slower than others by its estimate is passed over.
  bool weighs_cost() const { return allows("cost"); }
  Precision precision() const { return choice_.precision; }
  /// Those of the host, which has one for every operator.
  std::span<const KernelDef* const> kernels(const OpSchema& op) const;
  /// Those at a place; a device may have none.
  std::span<const KernelDef* const> kernels(const OpSchema& op, Place place) const;
  /// The greatest of the host that kernels may need, and its name: "avx2".
  CapabilityLevel capability() const { return choice_.capability; }
  std::string_view capability_name() const;
  /// What plans go through when all kernels are chosen: stages of the devices, the host's first, then those of all.
  const std::vector<const PlanStage*>& stages() const { return stages_; }

  const std::vector<UsedDevice>& devices() const { return choice_.devices; }
  const UsedDevice& device(Place place) const { return choice_.devices.at(place.device - size_t{1}); }
  /// "cpu", "opencl"
  const char* name_of(Place place) const { return place.is_host() ? "cpu" : device(place).device->name; }

 private:
  using KernelsOfOps = std::unordered_map<const OpSchema*, std::vector<const KernelDef*>>;

  void add_stages(std::span<const PlanStage> stages);
  /// `open`: null for the host.
  void add(const Device& device, const OpenDevice* open, KernelsOfOps& kernels) const;
  static void sort(KernelsOfOps& kernels);

  KernelChoice choice_;
  std::vector<KernelDef> references_;
  KernelsOfOps kernels_;
  std::vector<KernelsOfOps> device_kernels_;  // by device
  std::vector<const PlanStage*> stages_;
};

}  // namespace coracle::internal
