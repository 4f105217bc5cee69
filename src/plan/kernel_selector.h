// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plan/device.h"

namespace coracle {

/// A kernel that was passed over, and why.
struct Refusal {
  const Kernel* kernel = nullptr;
  std::string reason;
};

/// A device that a program uses besides the host.
struct UsedDevice {
  const Device* device = nullptr;  ///< its kernels
  std::shared_ptr<OpenDevice> open;
};

/// Which kernels a program may use.
struct KernelChoice {
  /// Of the host: rows for greater ones are left out.
  DeviceNumber capability = host_device().capabilities->best();
  Precision precision = Precision::kDefault;
  bool emulates_modes = false;  ///< also modes that the machine has not: slow, the same numbers
  /// Prefixes of rows ("conv2d", "conv2d.indirect") and stages ("row_tiles"), and "cost": rows are chosen wherever they
  /// fit, whatever they are estimated to take.
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
  /// Whether a row that is slower than others by its estimate is passed over.
  bool weighs_cost() const { return allows("cost"); }
  /// Those of the host, which has one for every operator.
  std::span<const Kernel* const> rows(const OpRow& op) const;
  /// Those at a place; a device may have none.
  std::span<const Kernel* const> rows(const OpRow& op, Place place) const;
  /// The greatest of the host that rows may need, and its name: "avx2".
  DeviceNumber capability() const { return choice_.capability; }
  std::string_view capability_name() const;
  /// What plans go through when all kernels are chosen: stages of the devices, the host's first, then those of all.
  const std::vector<const PlanStage*>& stages() const { return stages_; }

  const std::vector<UsedDevice>& devices() const { return choice_.devices; }
  const UsedDevice& device(Place place) const { return choice_.devices.at(place.device - size_t{1}); }
  /// "cpu", "opencl"
  const char* name_of(Place place) const { return place.is_host() ? "cpu" : device(place).device->name; }

 private:
  using Rows = std::unordered_map<const OpRow*, std::vector<const Kernel*>>;

  void add_stages(std::span<const PlanStage> stages);
  void add(const Device& device, Rows& rows) const;
  static void sort(Rows& rows);

  KernelChoice choice_;
  std::vector<Kernel> references_;
  Rows rows_;
  std::vector<Rows> device_rows_;  // by device
  std::vector<const PlanStage*> stages_;
};

}  // namespace coracle
