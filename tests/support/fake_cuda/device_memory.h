// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <map>
#include <memory>

namespace coracle::internal::fake_cuda {

/// Memory of the device: buffers of OpenCL under addresses at which the process has nothing.
class DeviceMemory {
 public:
  struct Block {
    uint64_t begin = 0;
    size_t bytes = 0;
    cl_mem buffer = nullptr;
    std::unique_ptr<char, void (*)(void*)> host;  ///< what the buffer is in
  };
  /// A place in a block.
  struct Spot {
    const Block* block = nullptr;  ///< null: no address of the device's, or fewer bytes there
    size_t offset = 0;
  };

  explicit DeviceMemory(cl_context context);

  /// Its address; 0 where there is not that much.
  uint64_t allocate(size_t bytes);
  /// Whether there was one that begins there.
  bool free(uint64_t address);
  Spot find(uint64_t address, size_t bytes) const;
  struct Release {
    void operator()(cl_mem buffer) const { clReleaseMemObject(buffer); }
  };
  using Buffer = std::unique_ptr<std::remove_pointer_t<cl_mem>, Release>;
  /// For kernels: a buffer that begins at a place in a block.
  Buffer inside(const Spot& spot) const;
  /// Whether a pointer lies where only addresses of the device do.
  bool is_device(const void* pointer) const;

  void limit(uint64_t bytes) { limit_ = bytes; }
  uint64_t limit() const { return limit_; }
  uint64_t used() const { return used_; }
  size_t blocks() const { return blocks_.size(); }
  void clear();

 private:
  static constexpr uint64_t kAlignment = 512;
  static constexpr uint64_t kGap = 4096;  ///< between blocks
  static constexpr size_t kRange = size_t{1} << 42U;

  cl_context context_;
  uint64_t base_ = 0;
  uint64_t next_ = 0;
  uint64_t limit_ = uint64_t{8} << 30U;
  uint64_t used_ = 0;
  std::map<uint64_t, Block> blocks_;
};

}  // namespace coracle::internal::fake_cuda
