// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "serve/prometheus_text.h"
#include "serve/served_model.h"

namespace coracle::serve {

/// What models have done: counters with Triton's names, and histograms of latencies and batches.
void write_model_metrics(PrometheusText& text, const std::vector<std::shared_ptr<ServedModel>>& models);

}  // namespace coracle::serve
