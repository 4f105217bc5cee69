// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/pages.h"
#include "base/process.h"
#include "graph/packed_constants.h"
#include "plan/packing.h"

namespace coracle::internal {

/// The packed weights of one model, shared by its sessions: made at first use or found in its file. Thread-safe.
class PackedWeights {
 public:
  static constexpr size_t kNoLimit = SIZE_MAX;

  /// `saved` are used where they are and are not counted. Those that are made take at most `limit` bytes: where there
  /// is no room for another one, those that nobody uses any more go, the longest unused first.
  explicit PackedWeights(size_t limit = kNoLimit, std::vector<PackedConstants> saved = {});

  /// The packing of `constants`, which are `values` of graph number `graph`, made on `pool` at first use. Null where
  /// those in use leave no room for it: it then belongs to whoever wants it (packed_unshared). Throws Error,
  /// also when the deadline of `context` passes meanwhile.
  std::shared_ptr<const void> get(int32_t graph, std::span<const int32_t> values, const Packing& packing,
                                  std::span<const Tensor* const> constants, ThreadPool& pool,
                                  const RunContext& context);

  /// Bytes of those that were made and are kept.
  size_t bytes() const;
  /// All that there are, in an order that follows from their keys.
  std::vector<PackedConstants> all() const;

  /// For tests: every later use makes its entry again and throws Error where a byte differs.
  void check_every_use(bool on) { checks_ = on; }

 private:
  struct Entry {
    PackedConstants packed;
    uint64_t used = 0;  ///< when, counted in calls; of those that were made
    bool saved = false;
  };
  using Entries = std::vector<std::unique_ptr<Entry>>;

  static void check(const Entry& entry, const Packing& packing, std::span<const Tensor* const> constants,
                    ThreadPool& pool, const RunContext& context);
  Entries::iterator place_of(const PackedKey& key);
  bool make_room(size_t bytes);
  std::shared_ptr<void> take(size_t bytes);

  const size_t limit_;
  PageArena memory_;
  mutable ProcessMutex mutex_;
  Entries entries_;   ///< by key
  size_t bytes_ = 0;  ///< of those that were made
  uint64_t uses_ = 0;
  bool checks_ = false;
};

}  // namespace coracle::internal
