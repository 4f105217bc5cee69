// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include "devices/gpu/on_device/first_device.h"
#include "support/fake_cuda/fake_cuda.h"

namespace coracle::internal::test {

/// What steers the stand-ins of NVIDIA's driver and compiler.
class CudaStandIn : public ::testing::Test {
 protected:
  void SetUp() override {
    void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(driver, nullptr) << ::dlerror();
    void* compiler = ::dlopen("libnvrtc.so.12", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(compiler, nullptr) << ::dlerror();
    const auto find = [](void* library, const char* name, auto& function) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(::dlsym(library, name));
      ASSERT_NE(function, nullptr) << "the system's library came first: " << name;
    };
    find(driver, "fake_cuda_fail", fail_);
    find(compiler, "fake_nvrtc_fail", fail_compiler_);
    find(driver, "fake_cuda_lose", lose_);
    find(driver, "fake_cuda_calls", calls_);
    find(driver, "fake_cuda_live", live_);
    find(driver, "fake_cuda_seed", seed_);
    find(driver, "fake_cuda_limit", limit_);
    find(driver, "fake_cuda_log", log_);
    find(driver, "fake_cuda_elsewhere", elsewhere_);
    find(driver, "fake_cuda_takes", takes_);
    if (HasFatalFailure()) return;
    if (const Probe probe = kDevice.probe(); probe.devices.empty()) GTEST_SKIP() << probe.missing;
  }
  void TearDown() override {
    if (live_ == nullptr || IsSkipped()) return;
    fail_("", 0, 0);
    elsewhere_(0);
    EXPECT_EQ(live_(), 0) << "things are left on the device";
    lose_(0);
  }

  FakeCudaFail fail_ = nullptr;
  FakeCudaFail fail_compiler_ = nullptr;
  FakeCudaLose lose_ = nullptr;
  FakeCudaCalls calls_ = nullptr;
  FakeCudaLive live_ = nullptr;
  FakeCudaSeed seed_ = nullptr;
  FakeCudaLimit limit_ = nullptr;
  FakeCudaLog log_ = nullptr;
  FakeCudaElsewhere elsewhere_ = nullptr;
  FakeCudaTakes takes_ = nullptr;
};

}  // namespace coracle::internal::test
