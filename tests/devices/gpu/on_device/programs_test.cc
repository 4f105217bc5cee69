// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include "devices/gpu/on_device/first_device.h"
#include "support/temporary_folder.h"

// Programs come from disk where they were built before.
namespace coracle::internal::test {
namespace {

namespace fs = std::filesystem;

/// Names the folder: "CORACLE_OPENCL_CACHE" of opencl.
const std::string kVariable = [] {
  std::string name = kDevice.name;
  for (char& c : name) c = static_cast<char>(c - 'a' + 'A');
  return "CORACLE_" + name + "_CACHE";
}();

class GpuPrograms : public FirstDevice {
 protected:
  void SetUp() override {
    ::setenv(kVariable.c_str(), folder_.path("cache").c_str(), 1);
    FirstDevice::SetUp();
  }
  void TearDown() override {
    FirstDevice::TearDown();
    ::unsetenv(kVariable.c_str());
  }

  /// Device and programs anew, as in another process.
  float add(float number) {
    queue_.reset();
    device_.reset();
    device_ = kDevice.open(0);
    queue_ = device_->make_queue();
    const auto function = compile(*device_, kAddSource, "add_number", "-DFACTOR=3.0f");
    const auto block = device_->allocate(4);
    float x = 1;
    upload(&x, {block.get(), 0}, 4);
    launch(*queue_, *function, {.global = {1, 1, 1}}, {{DeviceBytes{block.get(), 0}, 4}, 1, number});
    queue_->download({block.get(), 0}, &x, 4);
    EXPECT_EQ(finish(), "");
    return x;
  }
  fs::path kept() {
    const fs::directory_iterator files(folder_.path("cache"));
    EXPECT_NE(files, fs::directory_iterator());
    return files->path();
  }

  TemporaryFolder folder_;
};

TEST_F(GpuPrograms, AreReadFromDisk) {
  EXPECT_EQ(add(2), 7);
  const fs::path file = kept();
  const auto made = fs::last_write_time(file);
  fs::last_write_time(file, made - std::chrono::hours(1));
  EXPECT_EQ(add(3), 10);
  EXPECT_GT(fs::last_write_time(file), made - std::chrono::minutes(1));  // marked as used
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path("cache")), {}), 1);
}

TEST_F(GpuPrograms, AreBuiltAgainWhereTheFileIsDamaged) {
  EXPECT_EQ(add(2), 7);
  const fs::path file = kept();
  const auto size = fs::file_size(file);
  fs::resize_file(file, size / 2);
  EXPECT_EQ(add(2), 7);
  EXPECT_EQ(fs::file_size(file), size);
  {
    std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
    bytes.seekp(static_cast<std::streamoff>(size / 2));
    bytes.put('\x55').put('\x56').put('\x57');
  }
  EXPECT_EQ(add(3), 10);
}

TEST_F(GpuPrograms, NoFolderIsNoCache) {
  ::setenv(kVariable.c_str(), "", 1);
  EXPECT_EQ(add(2), 7);
  EXPECT_FALSE(fs::exists(folder_.path("cache")));
}

}  // namespace
}  // namespace coracle::internal::test
