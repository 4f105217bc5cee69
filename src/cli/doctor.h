// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cli/machine.h"
#include "cli/model_options.h"

namespace coracle::cli {

enum class Health {
  kOk,
  kNote,   ///< worth knowing
  kSlow,   ///< costs time
  kWrong,  ///< does not work
};

/// One thing that was looked at.
struct Finding {
  Health health = Health::kOk;
  std::string what;    ///< "quota"
  std::string found;   ///< in a sentence
  std::string advice;  ///< what to do; empty where all is well
};

/// What share of the processors' time went where while some tenths of a second passed.
struct Usage {
  double busy = 0;    ///< all programs
  double stolen = 0;  ///< taken by the hypervisor for other guests
};
Usage measure_usage();

/// Of the processor, its caches, frequency, quotas, memory.
std::vector<Finding> examine(const Machine& machine, const Usage& usage);
/// Of this build and what it is linked with, and of limits and variables of this process.
std::vector<Finding> examine_process();
/// Of a model's files, its operators and kernels.
std::vector<Finding> examine_model(const ModelArguments& model, const InputOptions& inputs);

/// What coracle_engines says of all engines.
internal::JsonDocument engines_here();
/// What coracle_devices says; and the name of one of its devices, as --device takes it.
internal::JsonDocument other_devices();
std::string device_name(const internal::JsonValue& device);

}  // namespace coracle::cli
