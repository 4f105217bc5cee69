// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "serve/ensemble_plan.h"
#include "serve/served_model.h"

namespace coracle::serve {

/// Models that are run one after the other, or side by side, for each request, as Triton's ensembles: what one gives is
/// what another one takes. Each step is a request to its model like any other, which waits in that model's queue and is
/// joined with those of other requests.
///
/// A request is answered by the versions that served when it came. Those are asked for by name each time, so that
/// models may be loaded again or unloaded beside the ensemble.
class Ensemble final : public ServedModel {
 public:
  /// `find` is called as long as it lives. Throws Failure (kInvalidArgument) where the steps do not fit together or one
  /// of their models is not there.
  Ensemble(const std::string& name, int64_t version, const std::string& path, ModelConfig config, FindModel find,
           const MemoryBudget& memory);

 private:
  void submit(InferencePtr request) override;

  const FindModel find_;
  std::shared_ptr<const EnsemblePlan> plan_;
};

}  // namespace coracle::serve
