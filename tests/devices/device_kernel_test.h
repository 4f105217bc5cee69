// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "support/check_kernels.h"
#include "support/device_kernel_runner.h"

namespace coracle::internal::test {

/// Cases for the kernels of the device that CORACLE_TEST_DEVICE names.
class DeviceKernelTest : public testing::Test {
 protected:
  void SetUp() override {
    if (DeviceKernelRunner::under_test() == nullptr) GTEST_SKIP() << "CORACLE_TEST_DEVICE is not set";
  }
  /// Checks a case on every kernel, and returns how many of the device's have taken it.
  static int taken(const KernelCase& c) {
    const int before = DeviceKernelRunner::under_test()->taken();
    check_on_every_kernel(c);
    return DeviceKernelRunner::under_test()->taken() - before;
  }
};

}  // namespace coracle::internal::test
