// SPDX-License-Identifier: Apache-2.0
#include "plan/packed_weights.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <mutex>
#include <new>

#include "base/deadline.h"
#include "base/error.h"
#include "base/memory_ledger.h"

namespace coracle {
namespace {

constexpr std::align_val_t kAlignment{64};

/// 64-byte aligned, given back when the last user is gone.
std::shared_ptr<void> aligned_bytes(size_t bytes) {
  MemoryCharge charge(bytes, [] { return std::string("packed weights"); });
  void* data = ::operator new(std::max<size_t>(bytes, 1), kAlignment, std::nothrow);
  require(data != nullptr, ErrorCode::kOutOfMemory, "the system has not the ", bytes, " bytes for packed weights");
  return {data, [held = std::move(charge)](void* p) { ::operator delete(p, kAlignment); }};
}

}  // namespace

std::shared_ptr<const void> packed_alone(const Packing& packing, std::span<const Tensor* const> constants,
                                         ThreadPool& pool) {
  std::shared_ptr<void> data = aligned_bytes(packing.bytes);
  packing.pack(packing.form, constants, static_cast<std::byte*>(data.get()), pool);
  Deadline::check_current();
  return data;
}

size_t PackedWeights::Hash::operator()(const Key& key) const {
  const std::hash<std::string_view> of;
  return of(key.names) * 31 + of(key.form);
}

std::shared_ptr<const void> PackedWeights::get(std::string_view names, const Packing& packing,
                                               std::span<const Tensor* const> constants, ThreadPool& pool) {
  Key key{.names = std::string(names),
          .types = {},
          .form = std::string(static_cast<const char*>(packing.form), packing.form_bytes),
          .pack = packing.pack};
  for (const Tensor* t : constants) key.types.push_back(static_cast<char>(t->dtype()));
  const std::lock_guard lock(mutex_);
  const auto [it, made] = entries_.try_emplace(std::move(key));
  Entry& entry = it->second;
  if (!made) {
    if (checks_) check(entry, it->first, packing, constants, pool);
    return entry.data;
  }
  try {
    entry.data = memory_.take(std::max<size_t>(packing.bytes, 1));
    entry.bytes = packing.bytes;
    packing.pack(packing.form, constants, static_cast<std::byte*>(entry.data.get()), pool);
    Deadline::check_current();  // threads that met it have left some out
  } catch (...) {
    entries_.erase(it);
    throw;
  }
  return entry.data;
}

/// Bytes that packing leaves out (padding between panels) keep their content in the copy, and so compare equal.
void PackedWeights::check(const Entry& entry, const Key& key, const Packing& packing,
                          std::span<const Tensor* const> constants, ThreadPool& pool) {
  require(entry.bytes == packing.bytes, "packed weights of ", key.names, " have ", entry.bytes, " bytes, made again ",
          packing.bytes);
  const std::shared_ptr<void> copy = aligned_bytes(entry.bytes);
  std::memcpy(copy.get(), entry.data.get(), entry.bytes);
  packing.pack(packing.form, constants, static_cast<std::byte*>(copy.get()), pool);
  require(std::memcmp(copy.get(), entry.data.get(), entry.bytes) == 0, "packed weights of ", key.names,
          " differ from the same made again");
}

size_t PackedWeights::bytes() const {
  const std::lock_guard lock(mutex_);
  size_t bytes = 0;
  for (const auto& [key, entry] : entries_) bytes += entry.bytes;
  return bytes;
}

}  // namespace coracle
