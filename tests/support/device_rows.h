// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "plan/device.h"

namespace coracle::test {

/// A node to run on a device, with its operands' bytes.
struct DeviceCall {
  const Op& op;
  const ArgFacts& args;
  const PortCounts& in_counts;
  const PortCounts& out_counts;
  std::vector<std::vector<unsigned char>> in = {};
};

/// The kernels of a device that this machine has, and runs of them: operands are uploaded, results downloaded.
class DeviceRows {
 public:
  /// The device that CORACLE_TEST_DEVICE names ("opencl"): its rows are then checked in the place of the CPU's. Null
  /// where the variable is not set; where there is no such device, the program says so and ends well.
  static DeviceRows* under_test();

  explicit DeviceRows(const Device& device);

  std::vector<const Kernel*> rows(const OpRow& op) const;
  /// All results. `in_place`: with result 0 on an operand, where the kernel can do that.
  std::vector<std::vector<unsigned char>> run(const Kernel& kernel, const DeviceCall& call, bool in_place);
  /// Notes a case that so many rows took.
  void count(int taken);
  /// Names of the rows that have run.
  const std::set<std::string>& used() const { return used_; }
  /// Cases that some row took.
  int taken() const { return taken_; }
  std::vector<const Kernel*> all() const;
  std::string summary() const;

 private:
  const Device& device_;
  std::shared_ptr<OpenDevice> open_;
  std::unique_ptr<Queue> queue_;
  std::set<std::string> used_;
  int cases_ = 0;
  int taken_ = 0;
};

}  // namespace coracle::test
