// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coracle/vision/model_runner.h"
#include "serve/served_model.h"

namespace coracle::serve {

/// What the runs for one request have in common.
struct RunSettings {
  uint32_t priority = 0;
  std::optional<Clock::time_point> deadline;
  std::shared_ptr<RequestRecord> record;
};

/// Models that are used together, with the names that their users know them by.
using Models = std::vector<std::shared_ptr<ServedModel>>;

/// What runs the model that was loaded from a path: each run is a request to that model like any other, which waits in
/// its queue, is joined with others and counted. The runner does not keep the model alive: it is used while somebody
/// else does. Its runs throw Failure. `settings` are those of each run, as they are then.
vision::OpenModel open_served(const Models& models, const std::shared_ptr<const RunSettings>& settings);

}  // namespace coracle::serve
