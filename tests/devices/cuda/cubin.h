// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

/// What a kernel takes of a multiprocessor, from NVIDIA's compiled programs: ELF files of 64 bits, whose attributes
/// (.nv.info) are known from NVIDIA's documentation of its binary tools and from programs whose needs ptxas told.
namespace coracle::internal::test {

struct KernelResources {
  int registers = 0;  ///< of each thread
  int stack = 0;      ///< bytes of local memory of each thread: what was spilt, and arrays with computed indices
  int shared = 0;     ///< bytes of each block
};

/// Of a program with one kernel.
inline KernelResources resources_of(std::span<const uint8_t> image) {
  const auto at = [&]<class T>(T& to, size_t offset) { std::memcpy(&to, image.data() + offset, sizeof(to)); };
  Elf64_Ehdr header;
  at(header, 0);
  const auto section = [&](size_t number) {
    Elf64_Shdr s;
    at(s, header.e_shoff + number * header.e_shentsize);
    return s;
  };
  constexpr uint8_t kSized = 4;  // the format of an attribute: its size, then (symbol, value)
  constexpr uint8_t kStackSize = 0x12;
  constexpr uint8_t kRegisters = 0x2f;
  KernelResources result;
  const size_t names = section(header.e_shstrndx).sh_offset;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr s = section(i);
    const std::string_view name = reinterpret_cast<const char*>(image.data() + names + s.sh_name);
    if (name.starts_with(".nv.shared.") && !name.starts_with(".nv.shared.reserved"))
      result.shared = static_cast<int>(s.sh_size);
    if (name != ".nv.info") continue;
    for (size_t offset = s.sh_offset; offset < s.sh_offset + s.sh_size;) {
      const uint8_t format = image[offset];
      const uint8_t attribute = image[offset + 1];
      uint16_t size = 0;
      at(size, offset + 2);
      int32_t value = 0;
      if (format == kSized && size >= 8) at(value, offset + 8);
      if (attribute == kStackSize) result.stack = std::max(result.stack, value);
      if (attribute == kRegisters) result.registers = value;
      offset += 4U + (format == kSized ? size : 0);
    }
  }
  return result;
}

}  // namespace coracle::internal::test
