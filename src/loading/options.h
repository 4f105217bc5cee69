// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "blocks/choice.h"
#include "model/load.h"
#include "passes/pass.h"
#include "run/options.h"

namespace coracle::internal {

/// What the user of a model chooses when it is loaded; run/options.h has the options of sessions and runs. It reaches
/// as a whole whoever acts on a part of it: a new option is a field here, or in the part it belongs to, one line where
/// the C interface is read (src/api), and its use.
struct ModelOptions {
  LoadOptions load;                                  ///< how it is read
  PassOptions passes;                                ///< how it is rewritten
  KernelChoice kernels;                              ///< what may run it
  EngineChoice engines = {};                         ///< what runs parts of it
  std::vector<std::string> keep_tensors = {};        ///< variables that stay readable after a run; "*": all with a name
  int64_t time_limit_ms = 0;                         ///< of loading; 0: none
  const std::atomic<uint32_t>* cancelled = nullptr;  ///< ends loading when its lowest bit is set; null: never
  bool declared_sizes_bind = false;                  ///< inputs have the fixed sizes that the model declares
  std::string device = {};  ///< where nodes run that it has kernels for: see open_devices; empty: the host
  size_t weights_cache_bytes = SIZE_MAX;  ///< bound on packed weights, those of the file excepted

  ProgramOptions program() const {
    return {.kernels = kernels, .weights_cache_bytes = weights_cache_bytes, .device_runner = make_device_runner};
  }
};

}  // namespace coracle::internal
