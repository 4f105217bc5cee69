// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace coracle::internal {

/// Two sums over words of 64 bits, with multipliers of their own: bytes that differ by accident agree in neither.
/// Nothing against who makes bytes on purpose. Words go to four lanes in turn, which a processor computes at the same
/// time: about as fast as memory is read.
class Checksum {
 public:
  Checksum() {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      first_[lane] = 0x9e3779b97f4a7c15U * (lane + 1);
      second_[lane] = 0xc2b2ae3d27d4eb4fU * (lane + 1);
    }
  }

  /// What is added in parts sums up otherwise than as a whole.
  void add(const void* data, size_t bytes) {
    const auto* at = static_cast<const std::byte*>(data);
    uint64_t word = 0;
    for (; bytes >= kLanes * sizeof(word); at += kLanes * sizeof(word), bytes -= kLanes * sizeof(word)) {
      for (size_t lane = 0; lane < kLanes; ++lane) {
        std::memcpy(&word, at + lane * sizeof(word), sizeof(word));
        mix(lane, word);
      }
    }
    for (; bytes >= sizeof(word); at += sizeof(word), bytes -= sizeof(word)) {
      std::memcpy(&word, at, sizeof(word));
      mix(0, word);
    }
    word = bytes;
    if (bytes > 0) std::memcpy(reinterpret_cast<std::byte*>(&word) + 1, at, bytes);
    mix(0, word);
  }

  std::array<uint64_t, 2> value() const {
    Checksum sum;
    for (size_t lane = 0; lane < kLanes; ++lane) {
      sum.mix(0, first_[lane]);
      sum.mix(0, second_[lane]);
    }
    return {sum.first_[0], sum.second_[0]};
  }

 private:
  static constexpr size_t kLanes = 4;

  void mix(size_t lane, uint64_t word) {
    first_[lane] = std::rotl((first_[lane] ^ word) * 0xff51afd7ed558ccdU, 31);
    second_[lane] = (std::rotl(second_[lane], 27) + word) * 0x9fb21c651e98df25U;
    second_[lane] ^= second_[lane] >> 29U;
  }

  std::array<uint64_t, kLanes> first_{};
  std::array<uint64_t, kLanes> second_{};
};

}  // namespace coracle::internal
