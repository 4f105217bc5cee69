// SPDX-License-Identifier: Apache-2.0
// Many sizes of one model on a device hold hardly more memory together than the largest.
#include "devices/gpu/on_device/first_device.h"
#include "support/size_buckets.h"

namespace coracle::internal::test {
namespace {

class DeviceBuckets : public FirstDevice {};

TEST_F(DeviceBuckets, TakeHardlyMoreTogetherThanTheLargest) {
  constexpr int64_t kWidth = 96;
  ModelOptions options;
  options.device = kDevice.name;
  options.kernels.disabled = {"islands"};
  const std::vector<Shape> sizes = size_buckets(kWidth);
  const auto bytes = [&](const std::vector<Shape>& of) {
    return bytes_of_runs(model_of(encoder_text(1, kWidth), options), of);
  };
  const auto largest = static_cast<double>(bytes({sizes[0]}));
  EXPECT_LE(static_cast<double>(bytes(sizes)), 1.15 * largest);
}

}  // namespace
}  // namespace coracle::internal::test
