// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "plan/device.h"

namespace coracle::internal::test {

/// A node to run on a device, with its operands' bytes.
struct DeviceCall {
  const Op& op;
  const ArgFacts& args;
  const PortCounts& in_counts;
  const PortCounts& out_counts;
  std::vector<std::vector<unsigned char>> in = {};
  std::vector<bool> counted = {};  ///< by result: there are as many rows as the kernel says (KernelDef::bounds)
};

/// The kernels of a device that this machine has, and runs of them: operands are uploaded, results downloaded.
class DeviceKernelRunner {
 public:
  /// The device that CORACLE_TEST_DEVICE names ("opencl"): its kernels are then checked in the place of the CPU's. Null
  /// where the variable is not set; where there is no such device, the program says so and ends well.
  static DeviceKernelRunner* under_test();

  explicit DeviceKernelRunner(const Device& device);

  std::vector<const KernelDef*> kernels(const OpSchema& op) const;
  /// All results. `in_place`: with result 0 on an operand, where the kernel can do that.
  std::vector<std::vector<unsigned char>> run(const KernelDef& kernel, const DeviceCall& call, bool in_place);
  /// Notes a case that so many kernels took.
  void count(int taken);
  /// Names of the kernels that have run.
  const std::set<std::string>& used() const { return used_; }
  /// Cases that some kernel took.
  int taken() const { return taken_; }
  std::vector<const KernelDef*> all() const;
  std::string summary() const;

 private:
  const Device& device_;
  std::shared_ptr<OpenDevice> open_;
  std::unique_ptr<Queue> queue_;
  std::set<std::string> used_;
  int cases_ = 0;
  int taken_ = 0;
};

}  // namespace coracle::internal::test
