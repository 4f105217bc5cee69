// SPDX-License-Identifier: Apache-2.0
#include "plan/packed_weights.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>

#include "base/counted.h"
#include "base/error.h"
#include "base/memory_ledger.h"

namespace coracle::internal {
namespace {

constexpr std::align_val_t kSpanAlignment{64};

/// 64-byte aligned zeros on `ledger`, given back when the last user is gone.
[[gnu::cold]] std::shared_ptr<void> aligned_zeros(size_t bytes, std::shared_ptr<MemoryLedger> ledger) {
  MemoryCharge charge(std::move(ledger), bytes, [] { return std::string("packed weights"); });
  void* data = ::operator new(std::max<size_t>(bytes, 1), kSpanAlignment, std::nothrow);
  require(data != nullptr, ErrorCode::kOutOfMemory, "not enough memory: ", counted(bytes, "byte"),
          " for packed weights cannot be allocated");
  std::memset(data, 0, bytes);
  return {data, [held = std::move(charge)](void* p) { ::operator delete(p, kSpanAlignment); }};
}

PackedKey key_of(int32_t graph, std::span<const int32_t> values, const Packing& packing,
                 std::span<const Tensor* const> constants) {
  PackedKey key;
  key.graph = graph;
  key.values.assign(values.begin(), values.end());
  for (const Tensor* t : constants) key.types.push_back(t->dtype());
  key.layout = packing.layout;
  key.parameters.resize(packing.form_bytes / sizeof(int64_t));
  std::memcpy(key.parameters.data(), packing.form, packing.form_bytes);
  return key;
}

}  // namespace

std::shared_ptr<const void> packed_unshared(const Packing& packing, std::span<const Tensor* const> constants,
                                            ThreadPool& pool, const RunContext& context) {
  std::shared_ptr<void> data = aligned_zeros(packing.bytes, context.ledger());
  packing.pack(packing.form, constants, static_cast<std::byte*>(data.get()), pool, context);
  context.check();
  return data;
}

[[gnu::cold]] PackedWeights::PackedWeights(size_t limit, std::vector<PackedConstants> saved) : limit_(limit) {
  for (PackedConstants& s : saved) {
    auto entry = std::make_unique<Entry>();
    entry->packed = std::move(s);
    entry->saved = true;
    entries_.insert(place_of(entry->packed.key), std::move(entry));  // at the end: files have them in this order
  }
}

PackedWeights::Entries::iterator PackedWeights::place_of(const PackedKey& key) {
  return std::lower_bound(entries_.begin(), entries_.end(), key,
                          [](const auto& entry, const PackedKey& k) { return entry->packed.key < k; });
}

std::shared_ptr<const void> PackedWeights::get(int32_t graph, std::span<const int32_t> values, const Packing& packing,
                                               std::span<const Tensor* const> constants, ThreadPool& pool,
                                               const RunContext& context) {
  auto entry = std::make_unique<Entry>();
  PackedKey& key = entry->packed.key;
  key = key_of(graph, values, packing, constants);
  const std::lock_guard lock(mutex_);
  if (const auto it = place_of(key); it != entries_.end() && (*it)->packed.key == key) {
    Entry& found = **it;
    require(found.packed.bytes == packing.bytes, ErrorCode::kUnsupported, describe(key), std::string_view(" have "),
            found.packed.bytes, std::string_view(" bytes, this version of Coracle makes "), packing.bytes);
    if (checks_) check(found, packing, constants, pool, context);
    found.used = ++uses_;
    return found.packed.data;
  }
  if (!make_room(packing.bytes)) return nullptr;
  const std::shared_ptr<void> made = take(packing.bytes);
  packing.pack(packing.form, constants, static_cast<std::byte*>(made.get()), pool, context);
  context.check();  // threads that met it have left some out
  entry->packed.data = made;
  entry->packed.bytes = packing.bytes;
  entry->used = ++uses_;
  entries_.insert(place_of(key), std::move(entry));
  bytes_ += packing.bytes;
  return made;
}

/// Under a limit each entry has memory that goes with it, and users that can be told apart; else they lie together.
/// What all sessions use is on nobody's ledger.
std::shared_ptr<void> PackedWeights::take(size_t bytes) {
  if (limit_ == kNoLimit) return memory_.take(std::max<size_t>(bytes, 1));
  return aligned_zeros(bytes, nullptr);
}

/// True if `bytes` more are within the limit, if need be without some entries that nobody uses.
bool PackedWeights::make_room(size_t bytes) {
  if (bytes <= limit_ - bytes_) return true;
  // Nobody but this store can hand out another reference to what has only one.
  const auto unused = [](const Entry& e) { return !e.saved && e.packed.data.use_count() == 1; };
  size_t in_use = 0;
  for (const auto& entry : entries_) in_use += entry->saved || unused(*entry) ? 0 : entry->packed.bytes;
  if (bytes > limit_ - in_use) return false;
  while (bytes > limit_ - bytes_) {
    auto oldest = entries_.end();
    for (auto it = entries_.begin(); it != entries_.end(); ++it) {
      if (unused(**it) && (oldest == entries_.end() || (*it)->used < (*oldest)->used)) oldest = it;
    }
    if (oldest == entries_.end()) return false;
    bytes_ -= (*oldest)->packed.bytes;
    entries_.erase(oldest);
  }
  return true;
}

[[gnu::cold]] void PackedWeights::check(const Entry& entry, const Packing& packing,
                                        std::span<const Tensor* const> constants, ThreadPool& pool,
                                        const RunContext& context) {
  const std::shared_ptr<void> again = aligned_zeros(packing.bytes, context.ledger());
  packing.pack(packing.form, constants, static_cast<std::byte*>(again.get()), pool, context);
  require(std::memcmp(again.get(), entry.packed.data.get(), packing.bytes) == 0, describe(entry.packed.key),
          " differ from the same made again");
}

size_t PackedWeights::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

[[gnu::cold]] std::vector<PackedConstants> PackedWeights::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<PackedConstants> all;
  all.reserve(entries_.size());
  for (const auto& entry : entries_) all.push_back(entry->packed);
  return all;
}

}  // namespace coracle::internal
