// SPDX-License-Identifier: Apache-2.0
// NVIDIA's own cuDNN, where it is found, plans convolutions as they are described here, for devices that are not here:
// from 9.8 on it takes their properties instead of a handle.
#include "devices/cuda/cudnn.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "devices/cuda/api.h"
#include "devices/cuda/convolution_plan.h"
#include "devices/gpu/image_sizes.h"

namespace coracle::internal::test {
namespace {

using namespace cuda;  // NOLINT(google-build-using-namespace): its names
using gpu::ImageConvolution;

class CudaDnn : public ::testing::Test {
 protected:
  void SetUp() override {
    if (loaded_convolutions().api == nullptr) GTEST_SKIP() << loaded_convolutions().missing;
    api_ = loaded_convolutions().api;
    if (api_->cudnnGetVersion() < 90800) GTEST_SKIP() << "before 9.8 it plans for devices that are there alone";
  }

  const ConvolutionsApi* api_ = nullptr;
};

/// A device of so many multiprocessors, and shared memory of a block.
struct Properties {
  const char* name;
  int architecture;
  int units;
  int shared;
};
constexpr Properties kDevices[] = {{"NVIDIA H100 80GB HBM3", 900, 132, 232448},
                                   {"NVIDIA A100-SXM4-80GB", 800, 108, 166912},
                                   {"Tesla T4", 750, 40, 65536}};

cudnnBackendDescriptor_t add_properties(Descriptors& all, const Properties& device) {
  const std::string json = text(
      R"({"cudaDeviceId":0,"deviceName":")", device.name, R"(","deviceVer":)", device.architecture,
      R"(,"driverVer":13000,"isTccDriver":0,"l2CacheSize":52428800,"maxBlockSize":[1024,1024,64],"maxCtasPerSM":32,)",
      R"("maxGridSize":[2147483647,65535,65535],"maxRegistersPerSM":65536,"maxSharedMemoryPerBlock":49152,)",
      R"("maxSharedMemoryPerBlockOptin":)", device.shared, R"(,"maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,)",
      R"("memClockRateKHz":2619000,"multiProcessorCount":)", device.units, R"(,"pciDeviceId":0,"regsPerBlock":65536,)",
      R"("reservedSharedMemoryPerBlock":1024,"smClockRateKHz":1980000,"supportCoopLaunch":1,)",
      R"("totalGlobalMem":85899345920,"warpSize":32})");
  const cudnnBackendDescriptor_t properties = all.add(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  all.set(properties, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, std::span<const char>(json));
  all.finalize(properties);
  return properties;
}

/// With a bias, and the other steps that go along with it, and for any number of images on one engine.
TEST_F(CudaDnn, PlansConvolutions) {
  const ImageConvolution all[] = {
      images(1, 64, 64, windows(56, 3, 1, 1, 1), windows(56, 3, 1, 1, 1)),
      images(1, 3, 64, windows(224, 7, 2, 3, 3), windows(224, 7, 2, 3, 3)),
      images(1, 32, 64, windows(112, 3, 2, 0, 1), windows(112, 3, 2, 0, 1)),
      images(1, 32, 64, windows(28, 3, 1, 2, 2, 2), windows(30, 3, 1, 2, 2, 2)),
      images(1, 256, 1024, windows(14, 1), windows(14, 1)),
      images(1, 64, 64, windows(28, 3, 1, 1, 1), windows(28, 3, 1, 1, 1), 4),
      images(1, 5, 7, windows(13, 5, 1, 1, 1), windows(11, 3, 1, 1, 1)),
  };
  for (const Properties& device : kDevices) {
    Descriptors of_device(*api_);
    const ConvolutionPlan::Target target = {nullptr, add_properties(of_device, device)};
    ASSERT_TRUE(of_device.ok());
    for (ImageConvolution c : all) {
      for (const DType type : {DType::kFloat32, DType::kFloat16}) {
        for (const int steps : {0, 1, 2, 3}) {
          for (const bool workspace : {false, true}) {
            SCOPED_TRACE(text(device.name, ", ", c.sizes.in_channels, " x ", c.sizes.height().in, " by ",
                              c.sizes.out_channels, " x ", c.sizes.height().kernel, ", ", name_of(type), ", steps ",
                              steps, workspace ? ", with a workspace" : ""));
            c.type = type;
            c.may_have_workspace = workspace;
            c.has_bias = steps > 0;
            c.relu = steps > 1;
            c.has_added = steps > 2;
            c.sizes.batch = 1;
            const auto one = ConvolutionPlan::make(*api_, target, c);
            ASSERT_NE(one, nullptr);
            c.sizes.batch = 33;
            const auto many = ConvolutionPlan::make(*api_, target, c);
            ASSERT_NE(many, nullptr);
            EXPECT_EQ(one->engine(), many->engine());
            EXPECT_TRUE(workspace || many->workspace() == 0);
          }
        }
      }
    }
  }
}

/// What a run is given, up to the run.
TEST_F(CudaDnn, TakesTensors) {
  Descriptors all(*api_);
  const cudnnBackendDescriptor_t pack = all.add(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  const int64_t ids[] = {1, 2};
  void* const addresses[] = {reinterpret_cast<void*>(uintptr_t{16}), reinterpret_cast<void*>(uintptr_t{32})};
  void* const no_workspace = nullptr;
  all.set(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, std::span<const int64_t>(ids));
  all.set(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, std::span<void* const>(addresses));
  all.set(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, no_workspace);
  all.finalize(pack);
  EXPECT_TRUE(all.ok());
}

}  // namespace
}  // namespace coracle::internal::test
