// SPDX-License-Identifier: Apache-2.0
#include "support/fake_cuda/device_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "support/fake_cuda/stop.h"

namespace coracle::internal::fake_cuda {

DeviceMemory::DeviceMemory(cl_context context) : context_(context) {
  void* range = ::mmap(nullptr, kRange, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) stop("no range of addresses for the device's memory");
  base_ = next_ = reinterpret_cast<uint64_t>(range);
}

uint64_t DeviceMemory::allocate(size_t bytes) {
  if (bytes > limit_ || used_ > limit_ - bytes) return 0;
  const uint64_t room = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (next_ + room + kGap > base_ + kRange) stop("all addresses of the device were given out");
  Block block{next_, bytes, nullptr, {static_cast<char*>(std::aligned_alloc(kAlignment, room)), std::free}};
  if (block.host == nullptr) return 0;
  std::memset(block.host.get(), 0xff, room);
  cl_int code = CL_SUCCESS;
  block.buffer = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, room, block.host.get(), &code);
  if (code != CL_SUCCESS) return 0;
  next_ += room + kGap;
  used_ += bytes;
  const uint64_t begin = block.begin;
  blocks_.emplace(begin, std::move(block));
  return begin;
}

bool DeviceMemory::free(uint64_t address) {
  const auto it = blocks_.find(address);
  if (it == blocks_.end()) return false;
  used_ -= it->second.bytes;
  clReleaseMemObject(it->second.buffer);
  blocks_.erase(it);
  return true;
}

DeviceMemory::Spot DeviceMemory::find(uint64_t address, size_t bytes) const {
  auto it = blocks_.upper_bound(address);
  if (it == blocks_.begin()) return {};
  const Block& block = std::prev(it)->second;
  const uint64_t offset = address - block.begin;
  if (offset > block.bytes || bytes > block.bytes - offset) return {};
  return {&block, static_cast<size_t>(offset)};
}

DeviceMemory::Buffer DeviceMemory::inside(const Spot& spot) const {
  cl_int code = CL_SUCCESS;
  cl_mem buffer = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, spot.block->bytes - spot.offset,
                                 spot.block->host.get() + spot.offset, &code);
  if (code != CL_SUCCESS) stop("no buffer for a part of a block");
  return Buffer(buffer);
}

bool DeviceMemory::is_device(const void* pointer) const {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  return address >= base_ && address < base_ + kRange;
}

void DeviceMemory::clear() {
  while (!blocks_.empty()) free(blocks_.begin()->first);
}

}  // namespace coracle::internal::fake_cuda
