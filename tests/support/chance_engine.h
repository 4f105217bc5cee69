// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "blocks/choice.h"

namespace coracle::internal::test {

/// What a ChanceEngine does wrong, and when: each counted from 1 on, 0 for never.
struct ChanceFaults {
  int compile = 0;  ///< the n-th block does not compile
  int start = 0;    ///< the n-th run of its own is not made
  int run = 0;      ///< the n-th run fails, its results half written
  int memory = 0;   ///< there is no memory for the n-th run
  int load = 0;     ///< the n-th block that was saved cannot be loaded
};

/// An engine that exists only in tests: it takes nodes by chance, and runs blocks by the kernels of the CPU as a region
/// that runs natively would be: with the same bits.
class ChanceEngine : public Engine {
 public:
  static constexpr size_t kBlockBytes = 1000;  ///< that each compiled block says it takes
  struct Counts {
    int compiled = 0;  ///< blocks, or tries
    int alive = 0;     ///< of them, those that somebody still holds
    int runs = 0;
    int loaded = 0;   ///< of what was saved, or tries
    int threads = 0;  ///< most that a block was compiled for
    int varying = 0;  ///< blocks compiled with varying dimensions, or tries
  };
  virtual Counts counts() const = 0;
  virtual void set_faults(const ChanceFaults& faults) = 0;
  /// Called when a run begins, where it runs. Not while one does.
  virtual void set_hook(std::function<void()> hook) = 0;
  /// From now on it compiles blocks with varying dimensions. They serve so many of a hundred sizes; of the others each
  /// has a program of its own.
  virtual void set_varies(int percent) = 0;

  /// Takes this share of all nodes, which ones depends on their names and the seed.
  static std::shared_ptr<ChanceEngine> make(std::string name, unsigned seed, int percent);
};

/// `engine` must outlive the models that use it.
inline UsedEngine use(const ChanceEngine& engine) {
  return {.engine = &engine, .name = std::string(engine.name()), .options = {}};
}

}  // namespace coracle::internal::test
