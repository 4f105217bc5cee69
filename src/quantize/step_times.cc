// SPDX-License-Identifier: Apache-2.0
#include "quantize/step_times.h"

#include <algorithm>

#include "base/error.h"
#include "base/json.h"

namespace coracle::internal::quantize {
namespace {

constexpr double kNanosecondsInMilliseconds = 1e6;

}  // namespace

void StepTimes::note_run(std::string_view profile, StepCounts& counts) {
  JsonDocument d;
  d.Parse(profile.data(), profile.size());
  for (const JsonValue& step : d.GetArray()) {
    const std::string key =
        text(step["op"].GetString(), " ", step["kernel"].GetString(), " ", step["output"].GetString(), " ",
             step["flops"].GetInt64(), " ", step["bytes"].GetInt64());
    const int64_t duration = step["duration_ns"].GetInt64();
    ++counts[key];
    const auto [least, first] = least_.try_emplace(key, duration);
    if (!first) least->second = std::min(least->second, duration);
  }
}

double StepTimes::time_beyond(const StepCounts& steps, const StepCounts& others) const {
  double sum = 0;
  for (const auto& [key, count] : steps) {
    const auto other = others.find(key);
    const size_t shared = other == others.end() ? 0 : std::min(count, other->second);
    sum += static_cast<double>(least_.at(key)) * static_cast<double>(count - shared);
  }
  return sum / kNanosecondsInMilliseconds;
}

}  // namespace coracle::internal::quantize
