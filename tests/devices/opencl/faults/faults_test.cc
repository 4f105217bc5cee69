// SPDX-License-Identifier: Apache-2.0
#include "devices/opencl/faults/faults.h"

#include <CL/cl.h>
#include <dlfcn.h>

#include "base/error.h"
#include "base/file_cache.h"
#include "devices/gpu/on_device/first_device.h"
#include "support/temporary_folder.h"

// Every call of the driver may fail.
namespace coracle::internal::test {
namespace {

class OpenclFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    void* library = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    fail_ = reinterpret_cast<FakeOpenclFail>(::dlsym(library, "fake_opencl_fail"));
    live_ = reinterpret_cast<FakeOpenclLive>(::dlsym(library, "fake_opencl_live"));
    ASSERT_NE(fail_, nullptr) << "the system's driver came first";
    fail_("", 0, 0);
  }
  void TearDown() override {
    if (live_ != nullptr) {
      EXPECT_EQ(live_(), 0) << "objects are left";
    }
  }

  /// The error of opening the device and working with it: empty where there is none.
  static std::string work(bool* lost = nullptr) {
    try {
      const auto device = kDevice.open(0);
      const auto queue = device->make_queue();
      const auto block = device->allocate(64);
      const auto host = device->allocate_host(64);
      const auto function = compile(*device, kAddSource, "add_number", "-DFACTOR=1.0f");
      queue->upload(host.get(), {block.get(), 0}, 64);
      queue->order_after(queue->record());
      launch(*queue, *function, {.global = {16, 1, 1}}, {{DeviceBytes{block.get(), 0}, 4}, 16, 1.0F});
      queue->copy({block.get(), 0}, {block.get(), 32}, 32);
      queue->download({block.get(), 0}, host.get(), 64);
      std::string detail;
      const char* failure = queue->wait(queue->record(), &detail);
      if (failure == nullptr) failure = queue->finish(&detail);
      if (lost != nullptr) *lost = device->lost();
      return failure == nullptr ? "" : text(failure, ": ", detail);
    } catch (const Error& e) {
      return e.text();
    }
  }

  FakeOpenclFail fail_ = nullptr;
  FakeOpenclLive live_ = nullptr;
};

TEST_F(OpenclFaults, NothingFails) { EXPECT_EQ(work(), ""); }

TEST_F(OpenclFaults, EachCallMayFail) {
  struct Case {
    const char* function;
    int code;
    const char* expected;
  };
  const Case cases[] = {
      {"clGetPlatformIDs", -1001, "there is no OpenCL device: OpenCL has no driver: install"},
      {"clGetPlatformIDs", CL_OUT_OF_HOST_MEMORY, "OpenCL has no driver (CL_OUT_OF_HOST_MEMORY (-6)): install"},
      {"clGetDeviceIDs", CL_DEVICE_NOT_FOUND, "OpenCL's drivers have no device"},
      {"available", 1, "OpenCL's devices cannot be used: fake device is not available"},
      {"clCreateContext", CL_DEVICE_NOT_AVAILABLE, "fake device cannot be opened: clCreateContext returned "},
      {"clCreateCommandQueue", CL_OUT_OF_HOST_MEMORY, "clCreateCommandQueue returned CL_OUT_OF_HOST_MEMORY (-6)"},
      {"clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE, "no memory for a block of 64 bytes on the device fake dev"},
      {"clEnqueueMapBuffer", CL_MAP_FAILURE, "no host memory of 64 bytes for copies to the device fake device"},
      {"clCreateProgramWithSource", CL_OUT_OF_HOST_MEMORY, "kernels/add_number.cl does not compile"},
      {"clBuildProgram", CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE (-11)\nline 1\nline 2\n"},
      {"clCreateKernel", CL_INVALID_KERNEL_NAME, "kernels/add_number.cl gives no function add_number"},
      {"clSetKernelArg", CL_INVALID_ARG_SIZE, "the device fake device failed: add_number: CL_INVALID_ARG_SIZE (-51)"},
      {"clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES, "failed: add_number: CL_OUT_OF_RESOURCES (-5)"},
      {"clEnqueueWriteBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE, "needs more memory than there is: the device fake"},
      {"clEnqueueReadBuffer", CL_OUT_OF_HOST_MEMORY, "failed: a copy from it of 64 bytes: CL_OUT_OF_HOST_MEMORY"},
      {"clEnqueueCopyBuffer", CL_MEM_COPY_OVERLAP, "a copy on it of 32 bytes: CL_MEM_COPY_OVERLAP (-8)"},
      {"clEnqueueMarkerWithWaitList", CL_OUT_OF_HOST_MEMORY, "failed: a marker: CL_OUT_OF_HOST_MEMORY"},
      {"clEnqueueBarrierWithWaitList", CL_OUT_OF_RESOURCES, "failed: a barrier: CL_OUT_OF_RESOURCES (-5)"},
      {"clWaitForEvents", CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "failed: work under way: CL_EXEC_STATUS_ERR"},
  };
  for (const Case& c : cases) {
    fail_(c.function, c.code, 0);
    const std::string error = work();
    EXPECT_NE(error.find(c.expected), std::string::npos) << c.function << ": " << error;
    EXPECT_EQ(error.find("line 20"), std::string::npos) << "the log is not cut: " << error;
    EXPECT_EQ(live_(), 0) << c.function;
    fail_("", 0, 0);
    EXPECT_EQ(work(), "") << "after " << c.function;
  }
}

TEST_F(OpenclFaults, LostDevicesStayLostAndAreOpenedAnew) {
  const auto device = kDevice.open(0);
  const auto queue = device->make_queue();
  const auto block = device->allocate(64);
  float numbers[16] = {};
  queue->upload(numbers, {block.get(), 0}, 64);
  const Queue::Event event = queue->record();
  fail_("clWaitForEvents", CL_OUT_OF_RESOURCES, 0);
  std::string detail;
  EXPECT_STREQ(queue->wait(event, &detail), "the device is gone");
  EXPECT_EQ(detail, "the device fake device is gone: work under way: CL_OUT_OF_RESOURCES (-5)");
  EXPECT_TRUE(device->lost());
  fail_("", 0, 0);
  queue->download({block.get(), 0}, numbers, 64);
  for (int i = 0; i < 2; ++i) EXPECT_STREQ(queue->finish(&detail), "the device is gone");
  EXPECT_THROW(device->allocate(64), Error);
  EXPECT_EQ(work(), "");  // opens another
}

TEST_F(OpenclFaults, VanishedDevicesAreLost) {
  for (const char* function : {"clEnqueueWriteBuffer", "clEnqueueNDRangeKernel", "clWaitForEvents"}) {
    bool lost = false;
    fail_(function, CL_DEVICE_NOT_AVAILABLE, 0);
    EXPECT_EQ(work(&lost).find("the device is gone"), 0U) << function;
    EXPECT_TRUE(lost) << function;
    fail_("", 0, 0);
  }
}

TEST_F(OpenclFaults, RefusedBinariesAreBuiltAgain) {
  const TemporaryFolder folder;
  ::setenv("CORACLE_OPENCL_CACHE", folder.path("cache").c_str(), 1);
  EXPECT_EQ(work(), "");
  fail_("clCreateProgramWithBinary", CL_INVALID_BINARY, 0);
  EXPECT_EQ(work(), "");
  // What was kept is used: the source would not compile.
  fail_("clCreateProgramWithSource", CL_OUT_OF_HOST_MEMORY, 0);
  EXPECT_EQ(work(), "");
  ::setenv("CORACLE_OPENCL_CACHE", "", 1);
}

TEST_F(OpenclFaults, TimesThatTheDriverDoesNotKeepAreUnknown) {
  const auto device = kDevice.open(0);
  const auto queue = device->make_queue();
  const auto block = device->allocate(64);
  queue->profile(true);
  const Queue::Event before = queue->record();
  queue->copy({block.get(), 0}, {block.get(), 32}, 32);
  EXPECT_LT(queue->span(before, queue->record()).duration_ns, 0);
  // A queue with times is refused: the old one goes on.
  const auto other = device->make_queue();
  fail_("clCreateCommandQueue", CL_OUT_OF_HOST_MEMORY, 0);
  other->profile(true);
  fail_("", 0, 0);
  other->copy({block.get(), 0}, {block.get(), 32}, 32);
  EXPECT_EQ(other->finish(nullptr), nullptr);
}

}  // namespace
}  // namespace coracle::internal::test
