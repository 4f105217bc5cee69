// SPDX-License-Identifier: Apache-2.0
#include "saved/flat_table.h"

#include "base/error.h"

namespace coracle::internal::saved {

const uint8_t* FlatBytes::range(uint64_t at, uint64_t count) const {
  require(at <= bytes_.size() && count <= bytes_.size() - at, ErrorCode::kInvalidModel,
          "its structure has tables that do not lie within it");
  return bytes_.data() + at;
}

uint64_t FlatBytes::target(uint64_t at) const { return at + read<uint32_t>(at); }

std::string_view FlatBytes::text(uint64_t at) const {
  const auto length = read<uint32_t>(at);
  return {reinterpret_cast<const char*>(range(at + sizeof(uint32_t), length)), length};
}

FlatTable::FlatTable(const FlatBytes& bytes, uint64_t at) : bytes_(bytes), at_(at) {
  const auto back = int64_t{bytes.read<int32_t>(at)};
  vtable_ = at - static_cast<uint64_t>(back);  // what is before the start wraps around, beyond the end
  fields_ = bytes.read<uint16_t>(vtable_);
  bytes.range(vtable_, fields_);
}

uint64_t FlatTable::place(int field) const {
  const uint64_t entry = sizeof(uint16_t) * (2 + static_cast<uint64_t>(field));
  if (entry + sizeof(uint16_t) > fields_) return 0;
  const auto offset = bytes_.read<uint16_t>(vtable_ + entry);
  return offset == 0 ? 0 : at_ + offset;
}

std::string_view FlatTable::string(int field) const {
  const uint64_t at = place(field);
  return at == 0 ? std::string_view() : bytes_.text(bytes_.target(at));
}

}  // namespace coracle::internal::saved
