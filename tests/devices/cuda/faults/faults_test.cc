// SPDX-License-Identifier: Apache-2.0
// Every call of the driver may fail, and the device may go with each of them.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "devices/cuda/driver.h"
#include "devices/cuda/faults/stand_in.h"
#include "support/temporary_folder.h"

namespace coracle::internal::test {
namespace {

using namespace cuda;  // NOLINT(google-build-using-namespace): names of its codes

class CudaFaults : public CudaStandIn {
 protected:
  /// The error of opening the device and working with it: empty where there is none.
  static std::string work(bool* lost = nullptr) {
    try {
      const auto device = kDevice.open(0);
      const auto queue = device->make_queue();
      const auto block = device->allocate(64);
      const auto host = device->allocate_host(64);
      auto* numbers = static_cast<float*>(host.get());
      std::fill(numbers, numbers + 16, 1.0F);
      const auto function = compile(*device, kAddSource, "add_number", "-DFACTOR=1.0f");
      queue->upload(numbers, {block.get(), 0}, 64);
      queue->order_after(queue->record());
      launch(*queue, *function, {.global = {16, 1, 1}}, {{DeviceBytes{block.get(), 0}, 4}, 16, 1.0F});
      queue->copy({block.get(), 0}, {block.get(), 32}, 32);
      queue->download({block.get(), 0}, numbers, 64);
      std::string detail;
      const char* failure = queue->wait(queue->record(), &detail);
      if (failure == nullptr) failure = queue->finish(&detail);
      if (lost != nullptr) *lost = device->lost();
      if (failure != nullptr) return text(failure, ": ", detail);
      return std::count(numbers, numbers + 16, 2.0F) == 16 ? "" : "other numbers";
    } catch (const Error& e) {
      return e.text();
    }
  }
};

TEST_F(CudaFaults, NothingFails) { EXPECT_EQ(work(), ""); }

TEST_F(CudaFaults, EachCallMayFail) {
  struct Case {
    const char* function;
    int code;
    const char* expected;
    int skipped = 0;
  };
  const Case cases[] = {
      {"cuInit", CUDA_ERROR_NO_DEVICE, "there is no CUDA device: NVIDIA's driver has no device: is it plugged in"},
      {"cuInit", CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "does not start: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803); is its"},
      {"cuDeviceGetCount", CUDA_ERROR_UNKNOWN, "NVIDIA's driver does not start: CUDA_ERROR_UNKNOWN (999)"},
      {"cuDeviceGet", CUDA_ERROR_INVALID_DEVICE, "NVIDIA's driver has no device"},
      {"cuDeviceGetAttribute", CUDA_ERROR_INVALID_VALUE, "fake GPU has compute capability 0.0, 7.0 or later is needed"},
      {"cuDevicePrimaryCtxRetain", CUDA_ERROR_OUT_OF_MEMORY, "fake GPU cannot be opened: cuDevicePrimaryCtxRetain ret"},
      {"cuDevicePrimaryCtxRetain", CUDA_ERROR_DEVICE_UNAVAILABLE, "returned CUDA_ERROR_DEVICE_UNAVAILABLE (46)"},
      {"cuCtxPushCurrent_v2", CUDA_ERROR_INVALID_CONTEXT, "cannot be opened: CUDA_ERROR_INVALID_CONTEXT (201); where"},
      {"cuStreamCreate", CUDA_ERROR_ILLEGAL_ADDRESS, "fake GPU cannot be opened: CUDA_ERROR_ILLEGAL_ADDRESS (700)"},
      {"cuStreamCreate", CUDA_ERROR_OUT_OF_MEMORY, "accepts no work: cuStreamCreate returned CUDA_ERROR_OUT_OF", 1},
      {"cuStreamCreate", CUDA_ERROR_OUT_OF_MEMORY, "accepts no work: cuStreamCreate returned CUDA_ERROR_OUT_OF", 2},
      {"cuMemAlloc_v2", CUDA_ERROR_OUT_OF_MEMORY, "no memory for a block of 64 bytes on the device fake GPU, which h"},
      {"cuMemHostAlloc", CUDA_ERROR_OUT_OF_MEMORY, "no pinned host memory of 64 bytes for copies to the device fake"},
      {"cuModuleLoadData", CUDA_ERROR_INVALID_PTX, "kernels/add_number.cl was compiled, but the device fake GPU does"},
      {"cuModuleGetFunction", CUDA_ERROR_NOT_FOUND, "kernels/add_number.cl gives no function add_number for the dev"},
      {"cuLaunchKernel", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "failed: add_number: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
      {"cuMemcpyHtoDAsync_v2", CUDA_ERROR_OUT_OF_MEMORY, "needs more memory than there is: the device fake GPU fail"},
      {"cuMemcpyDtoHAsync_v2", CUDA_ERROR_INVALID_VALUE, "the device failed: the device fake GPU failed: a copy from"},
      {"cuMemcpyDtoDAsync_v2", CUDA_ERROR_INVALID_VALUE, "failed: a copy on it of 32 bytes: CUDA_ERROR_INVALID_VALUE"},
      {"cuStreamWaitEvent", CUDA_ERROR_INVALID_HANDLE, "failed: a wait: CUDA_ERROR_INVALID_HANDLE (400)"},
      {"cuEventCreate", CUDA_ERROR_OUT_OF_MEMORY, "failed: an event: CUDA_ERROR_OUT_OF_MEMORY (2)"},
      {"cuEventRecord", CUDA_ERROR_INVALID_HANDLE, "failed: an event: CUDA_ERROR_INVALID_HANDLE (400)"},
      {"cuEventSynchronize", CUDA_ERROR_NOT_SUPPORTED, "failed: work under way: CUDA_ERROR_NOT_SUPPORTED (801)"},
      {"cuStreamSynchronize", CUDA_ERROR_NOT_SUPPORTED, "failed: work under way: CUDA_ERROR_NOT_SUPPORTED (801)"},
  };
  for (const Case& c : cases) {
    fail_(c.function, c.code, c.skipped);
    const std::string error = work();
    EXPECT_NE(error.find(c.expected), std::string::npos) << c.function << ": " << error;
    fail_("", 0, 0);
    EXPECT_EQ(live_(), 0) << c.function;
    EXPECT_EQ(work(), "") << "after " << c.function;
  }
}

TEST_F(CudaFaults, WhatTheDriverNeedNotDo) {
  // Without these all goes on: the number of threads that a function may have is then 1.
  for (const char* function : {"cuFuncGetAttribute", "cuDeviceGetName", "cuDeviceGetUuid_v2", "cuDeviceTotalMem_v2"}) {
    fail_(function, CUDA_ERROR_INVALID_VALUE, 0);
    EXPECT_EQ(work(), "") << function;
  }
}

TEST_F(CudaFaults, CompilerThatFailsShowsItsWords) {
  fail_compiler_("nvrtcCompileProgram", NVRTC_ERROR_COMPILATION, 0);
  const std::string error = work();
  fail_compiler_("", 0, 0);
  EXPECT_NE(error.find("kernels/add_number.cl does not compile by NVRTC with '--gpu-architecture=sm_80"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("NVRTC_ERROR_COMPILATION (6)\nline 1\nline 2\n"), std::string::npos) << error;
  EXPECT_EQ(error.find("line 20"), std::string::npos) << "the log is not cut: " << error;
}

TEST_F(CudaFaults, FaultsLastUntilNobodyHoldsTheContext) {
  auto device = kDevice.open(0);
  auto queue = device->make_queue();
  auto block = device->allocate(64);
  auto function = compile(*device, kAddSource, "add_number", "-DFACTOR=1.0f");
  float nowhere[16] = {};
  launch(*queue, *function, {.global = {16, 1, 1}}, {{DeviceBytes{nowhere, 0}, 4}, 16, 1.0F});
  std::string detail;
  EXPECT_STREQ(queue->finish(&detail), "the device is gone");
  EXPECT_EQ(detail, "the device fake GPU is gone: work under way: CUDA_ERROR_ILLEGAL_ADDRESS (700)");
  EXPECT_TRUE(device->lost());
  queue->download({block.get(), 0}, nowhere, 64);
  for (int i = 0; i < 2; ++i) EXPECT_STREQ(queue->finish(&detail), "the device is gone");
  EXPECT_THROW(device->allocate(64), Error);
  EXPECT_EQ(work(),
            "the device fake GPU is gone, and models that use it are still loaded: close them before it is "
            "opened again");
  queue.reset();
  function.reset();
  block.reset();
  device.reset();
  EXPECT_EQ(work(), "");
}

TEST_F(CudaFaults, FaultsOfOthersInTheProcessAreTold) {
  // Somebody else holds the context that is spoilt.
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const auto retain =
      reinterpret_cast<decltype(DriverApi::cuDevicePrimaryCtxRetain)>(::dlsym(driver, "cuDevicePrimaryCtxRetain"));
  const auto release = reinterpret_cast<decltype(DriverApi::cuDevicePrimaryCtxRelease_v2)>(
      ::dlsym(driver, "cuDevicePrimaryCtxRelease_v2"));
  CUcontext context = nullptr;
  ASSERT_EQ(retain(&context, 0), CUDA_SUCCESS);
  {
    const auto device = kDevice.open(0);
    const auto queue = device->make_queue();
    const auto function = compile(*device, kAddSource, "add_number", "-DFACTOR=1.0f");
    float nowhere[16] = {};
    launch(*queue, *function, {.global = {16, 1, 1}}, {{DeviceBytes{nowhere, 0}, 4}, 16, 1.0F});
    EXPECT_STREQ(queue->finish(nullptr), "the device is gone");
  }
  EXPECT_EQ(work(),
            "the device fake GPU cannot be opened: CUDA_ERROR_ILLEGAL_ADDRESS (700); where it stays so, start "
            "the process anew, and look at nvidia-smi");
  release(0);
  EXPECT_EQ(work(), "");
}

TEST_F(CudaFaults, TheDeviceMayGoWithEachCall) {
  EXPECT_EQ(work(), "");
  const int64_t before = calls_(nullptr);
  EXPECT_EQ(work(), "");
  const int64_t calls = calls_(nullptr) - before;
  EXPECT_GT(calls, 40);
  int failed = 0;
  for (int64_t i = 1; i <= calls; ++i) {
    lose_(i);
    const std::string error = work();
    failed += error.empty() ? 0 : 1;
    lose_(0);
    EXPECT_EQ(live_(), 0) << "call " << i;
    if (i % 8 == 0) {
      EXPECT_EQ(work(), "") << "after the call " << i << ": " << error;
    }
  }
  EXPECT_GT(failed, calls / 2) << "of " << calls;
}

TEST_F(CudaFaults, EachCallMayFailWhenItIsCalledLater) {
  for (const char* function :
       {"cuMemAlloc_v2", "cuMemHostAlloc", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuEventCreate",
        "cuEventRecord", "cuEventDestroy_v2", "cuStreamWaitEvent", "cuStreamSynchronize", "cuEventSynchronize",
        "cuLaunchKernel", "cuModuleLoadData", "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2"}) {
    const int64_t before = calls_(function);
    EXPECT_EQ(work(), "");
    const int64_t calls = calls_(function) - before;
    for (int64_t i = 0; i < calls; ++i) {
      fail_(function, CUDA_ERROR_LAUNCH_FAILED, i);
      work();
      // What could not be given back is the stand-in's to clear: as with a device that is gone.
      fail_("", 0, 0);
      lose_(1);
      lose_(0);
    }
    EXPECT_EQ(work(), "") << "after " << function;
  }
}

TEST_F(CudaFaults, RefusedBinariesAreBuiltAgain) {
  const TemporaryFolder folder;
  ::setenv("CORACLE_CUDA_CACHE", folder.path("cache").c_str(), 1);
  EXPECT_EQ(work(), "");
  // What was kept is used: the source would not compile.
  fail_compiler_("nvrtcCompileProgram", NVRTC_ERROR_COMPILATION, 0);
  EXPECT_EQ(work(), "");
  fail_compiler_("", 0, 0);
  for (const auto& file : std::filesystem::directory_iterator(folder.path("cache"))) {
    std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) - 1);
  }
  EXPECT_EQ(work(), "");
  ::setenv("CORACLE_CUDA_CACHE", "", 1);
}

TEST_F(CudaFaults, GridsBeyondTheLimitsAreNamed) {
  const auto device = kDevice.open(0);
  const auto queue = device->make_queue();
  const auto block = device->allocate(64);
  const auto function = compile(*device, kAddSource, "add_number", "-DFACTOR=1.0f");
  const gpu::Argument memory(DeviceBytes{block.get(), 0}, 4);
  std::string detail;
  launch(*queue, *function, {.global = {64, 70000, 1}}, {memory, 16, 1.0F});
  EXPECT_STREQ(queue->finish(&detail), "the device failed");
  EXPECT_EQ(detail,
            "the device fake GPU failed: add_number: CUDA_ERROR_INVALID_VALUE (1): 1 x 70000 x 1 blocks of 64 x "
            "1 x 1 threads; there may be 2147483647 x 65535 x 65535 of 1024 threads");
  launch(*queue, *function, {.global = {2048, 1, 1}, .local = {2048, 1, 1}}, {memory, 16, 1.0F});
  EXPECT_STREQ(queue->finish(&detail), "the device failed");
  EXPECT_NE(detail.find("1 x 1 x 1 blocks of 2048 x 1 x 1 threads"), std::string::npos) << detail;
  EXPECT_FALSE(device->lost());
}

TEST_F(CudaFaults, MemoryIsWhatTheDeviceHas) {
  limit_(1000);
  const auto device = kDevice.open(0);
  EXPECT_EQ(device->info().memory_bytes, 1000U);
  {
    const auto block = device->allocate(900);
    EXPECT_THROW(device->allocate(101), Error);
  }
  EXPECT_NE(device->allocate(1000), nullptr);
  limit_(uint64_t{8} << 30U);
}

TEST_F(CudaFaults, ForkedProcessesUseItNoMore) {
  const auto device = kDevice.open(0);
  const auto queue = device->make_queue();
  const auto block = device->allocate(64);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    float numbers[16] = {};
    queue->upload(numbers, {block.get(), 0}, 64);
    const bool gone = queue->finish(nullptr) != nullptr && device->lost();
    const std::string missing = kDevice.probe().missing;
    std::fprintf(stderr, "%s\n", missing.c_str());
    ::_exit(gone && missing.find("was forked from process") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  queue->download({block.get(), 0}, std::vector<float>(16).data(), 64);
  EXPECT_EQ(queue->finish(nullptr), nullptr) << "the parent";
}

}  // namespace
}  // namespace coracle::internal::test
