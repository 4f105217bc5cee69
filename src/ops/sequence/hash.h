// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstring>

#include "base/buffer.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// num_hash numbers below mod_by for each row of x [..., D]: XXH64 of the row's bytes with seeds 0, 1, ...
struct Hash {
  static constexpr const char* kName = "hash";
  static constexpr const char* kLegacy[] = {"hash"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int num_hash = 1;
  int64_t mod_by = 100000;
  void attributes(AttributeVisitor& visit) {
    visit("num_hash", num_hash);
    visit("mod_by", mod_by);
  }
  friend bool operator==(const Hash&, const Hash&) = default;
};

inline void infer(const Hash& op, InferArgs& a) {
  Shape x = a.shape(0);
  require(a.dtype(0) == DType::kInt64 || a.dtype(0) == DType::kInt32, "x is ", a.dtype(0), ", expected integers");
  require(op.num_hash > 0 && op.mod_by > 0, "num_hash is ", op.num_hash, " and mod_by ", op.mod_by);
  if (x.rank_known()) {
    require(x.rank() > 0, "x is a scalar, expected rows");
    x[x.rank() - 1] = op.num_hash;
    x.push_back(1);
  }
  a.set(0, a.dtype(0), x);
}

/// The XXH64 hash of `size` bytes.
inline uint64_t xxh64(const unsigned char* bytes, size_t size, uint64_t seed) {
  constexpr uint64_t kPrimes[] = {0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                                  0x27D4EB2F165667C5};
  const unsigned char* const end = bytes + size;
  const auto take = [&]<class Word>(Word word) {
    std::memcpy(&word, bytes, sizeof(word));
    bytes += sizeof(word);
    return uint64_t{word};
  };
  const auto round = [&](uint64_t lane, uint64_t word) { return std::rotl(lane + word * kPrimes[1], 31) * kPrimes[0]; };
  uint64_t h = seed + kPrimes[4];
  if (size >= 32) {
    uint64_t lanes[4] = {seed + kPrimes[0] + kPrimes[1], seed + kPrimes[1], seed, seed - kPrimes[0]};
    while (end - bytes >= 32) {
      for (uint64_t& lane : lanes) lane = round(lane, take(uint64_t{}));
    }
    h = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
    for (uint64_t lane : lanes) h = (h ^ round(0, lane)) * kPrimes[0] + kPrimes[3];
  }
  h += size;
  while (end - bytes >= 8) h = std::rotl(h ^ round(0, take(uint64_t{})), 27) * kPrimes[0] + kPrimes[3];
  if (end - bytes >= 4) h = std::rotl(h ^ (take(uint32_t{}) * kPrimes[0]), 23) * kPrimes[1] + kPrimes[2];
  while (bytes < end) h = std::rotl(h ^ (*bytes++ * kPrimes[4]), 11) * kPrimes[0];
  h = (h ^ (h >> 33)) * kPrimes[1];
  h = (h ^ (h >> 29)) * kPrimes[2];
  return h ^ (h >> 32);
}

inline void reference(const Hash& op, ReferenceArgs& a) {
  const size_t row = static_cast<size_t>(a.shape(0).back()) * size_of(a.in(0).dtype());
  const int64_t rows = a.out(0).count() / op.num_hash;
  Buffer<int64_t> y(a.context());
  y.reserve(static_cast<size_t>(a.out(0).count()));
  for (int64_t i = 0; i < rows; ++i) {
    const unsigned char* bytes = a.in(0).data<unsigned char>() + static_cast<size_t>(i) * row;
    for (int seed = 0; seed < op.num_hash; ++seed) {
      y.push_back(static_cast<int64_t>(xxh64(bytes, row, static_cast<uint64_t>(seed)) % uint64_t(op.mod_by)));
    }
  }
  a.out(0).assign(a.context(), std::span<const int64_t>(y));
}

inline constexpr const OpSchema* hash_op = &kOpSchema<Hash>;

}  // namespace coracle::internal
