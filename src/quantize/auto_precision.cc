// SPDX-License-Identifier: Apache-2.0
#include "quantize/auto_precision.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "quantize/error.h"
#include "quantize/number_text.h"

namespace coracle::internal::quantize {
namespace {

/// Enough sets to tell which layers do how much harm.
constexpr size_t kSetsForLayers = 4;

std::vector<size_t> layers_in(LayerPrecision wanted, const LayerPrecisions& precisions) {
  std::vector<size_t> layers;
  for (size_t i = 0; i < precisions.size(); ++i) {
    if (precisions[i] == wanted) layers.push_back(i);
  }
  return layers;
}

std::string bytes_of_times(const PrecisionTable& table) {
  StateWriter w;
  for (const LayerCosts& costs : table) {
    for (const std::optional<PrecisionCost>& cost : costs.by_precision) {
      w.number(cost.has_value());
      w.number(cost ? cost->time : 0.0);
    }
  }
  return w.take();
}

PrecisionTable read_times(const std::string& bytes) {
  PrecisionTable table;
  for (StateReader r(bytes); !r.empty();) {
    for (std::optional<PrecisionCost>& cost : table.emplace_back().by_precision) {
      const bool has = r.number<bool>();
      const auto time = r.number<double>();
      if (has) cost = {time, 0};
    }
  }
  return table;
}

class Chooser {
 public:
  explicit Chooser(const AutoTask& task) : task_(task), metric_(error_metric(task.options.error_metric)) {}

  Decision choose(AutoOutcome& outcome) {
    outcome.metric = task_.options.error_metric;
    outcome.bound = task_.options.max_error;
    outcome.times_file = task_.options.times;
    outcome.table = times_of_layers();
    // Files cannot say it of one layer: kernels multiply numbers rounded to bf16 by an option of the whole model.
    for (LayerCosts& costs : outcome.table) costs.in(LayerPrecision::kBf16).reset();
    add_errors(outcome.table);
    PrecisionChoice choice = choose_precisions(outcome.table, [&](const LayerPrecisions& p) { return judge(p); });
    if (!choice.verdict.near_enough) refuse(choice);
    outcome.reasons = reasons(outcome.table, choice.precisions);
    if (!saves_time(choice.precisions, outcome)) {
      choice.precisions.assign(outcome.table.size(), LayerPrecision::kFloat32);
      choice.verdict = judge(choice.precisions);
      outcome.reasons.assign(outcome.table.size(), "together the other precisions save no time");
    }
    outcome.precisions = choice.precisions;
    outcome.error = choice.verdict.error;
    return {layers_in(LayerPrecision::kInt8, choice.precisions), answers_.at(choice.precisions)};
  }

 private:
  ModelBytes model(const LayerPrecisions& precisions) const {
    const bool as_it_was = precisions == all_in(LayerPrecision::kFloat32);
    return (as_it_was ? task_.plain : task_.trial).model(layers_in(LayerPrecision::kInt8, precisions));
  }
  LayerPrecisions all_in(LayerPrecision p) const { return LayerPrecisions(task_.trial.count(), p); }

  PrecisionTable times_of_layers() const {
    if (task_.times) return times_in(task_.options.times, *task_.times, task_.trial.names());
    if (const std::optional<std::string> known = task_.state.next()) return read_times(*known);
    PrecisionTable table =
        measured_times(task_.trial, task_.runs, [&](size_t done, size_t total) { task_.tell("times", done, total); });
    task_.state.add(bytes_of_times(table));
    return table;
  }

  void add_errors(PrecisionTable& table) const {
    const size_t sets = std::min(kSetsForLayers, task_.original.sets());
    for (size_t i = 0; i < table.size(); ++i) {
      LayerPrecisions alone = all_in(LayerPrecision::kFloat32);
      alone[i] = LayerPrecision::kInt8;
      table[i].in(LayerPrecision::kInt8)->error = worst_error(task_.original.compare(model(alone), sets), metric_);
      task_.tell("layers", i + 1, table.size());
    }
  }

  Verdict judge(const LayerPrecisions& precisions) {
    const auto [known, first] = answers_.try_emplace(precisions);
    if (first) {
      known->second = task_.original.compare(model(precisions), task_.original.sets());
      task_.tell("choice", answers_.size(), answers_.size());
    }
    return {near_enough(task_.options, known->second), worst_error(known->second, metric_)};
  }

  [[noreturn]] void refuse(const PrecisionChoice& nearest) const {
    const size_t exact = layers_in(LayerPrecision::kFloat32, nearest.precisions).size();
    fail(ErrorCode::kInvalidArgument,
         "no choice of precisions keeps the answers within the bounds; the nearest has an error (",
         task_.options.error_metric, ") of ", general(nearest.verdict.error, 3), ", with ", exact, " of ",
         nearest.precisions.size(), " layers in float32: give other bounds");
  }

  std::vector<std::string> reasons(const PrecisionTable& table, const LayerPrecisions& precisions) const {
    const LayerPrecisions fastest = fastest_precisions(table);
    std::vector<std::string> all;
    for (size_t i = 0; i < table.size(); ++i) {
      if (precisions[i] != fastest[i]) {
        all.push_back(text("with it in ", text_of(fastest[i]), " the answers are too far away"));
      } else {
        all.emplace_back(precisions[i] == LayerPrecision::kFloat32 ? "fewer bits save no time" : "it takes least time");
      }
    }
    return all;
  }

  /// Whether the whole model takes less time than float32 alone. Notes what it takes.
  bool saves_time(const LayerPrecisions& precisions, AutoOutcome& outcome) const {
    const LayerPrecisions exact = all_in(LayerPrecision::kFloat32);
    if (precisions == exact) {
      if (!task_.times) outcome.times = whole_times(precisions);
      return true;
    }
    if (task_.times) return time_with(precisions, outcome.table) < time_with(exact, outcome.table);
    outcome.times = whole_times(precisions);
    const bool saves = outcome.times->chosen < outcome.times->in_float32;
    if (!saves) outcome.times->chosen = outcome.times->in_float32;
    return saves;
  }

  ModelTimes whole_times(const LayerPrecisions& precisions) const {
    ModelTimes times;
    if (const std::optional<std::string> known = task_.state.next()) {
      StateReader r(*known);
      for (double* each : {&times.in_float32, &times.in_int8, &times.chosen}) *each = r.number<double>();
      return times;
    }
    times = measured_in_turns(model(all_in(LayerPrecision::kFloat32)), model(all_in(LayerPrecision::kInt8)),
                              model(precisions), task_.runs);
    StateWriter w;
    for (const double each : {times.in_float32, times.in_int8, times.chosen}) w.number(each);
    task_.state.add(w.take());
    return times;
  }

  const AutoTask& task_;
  const ErrorMetric metric_;
  std::map<LayerPrecisions, std::vector<OutputAccuracy>> answers_;  ///< of whole models, for all sets
};

}  // namespace

size_t AutoOutcome::count(LayerPrecision p) const {
  return static_cast<size_t>(std::count(precisions.begin(), precisions.end(), p));
}

std::vector<LayerPrecision> AutoOutcome::candidates() const {
  std::vector<LayerPrecision> found;
  std::copy_if(std::begin(kLayerPrecisions), std::end(kLayerPrecisions), std::back_inserter(found),
               [&](LayerPrecision p) {
                 return std::any_of(table.begin(), table.end(),
                                    [&](const LayerCosts& costs) { return costs.in(p).has_value(); });
               });
  return found;
}

Decision decide_by_time(const AutoTask& task, AutoOutcome& outcome) { return Chooser(task).choose(outcome); }

void add_precisions(const AutoOutcome& outcome, const Trial& trial, std::vector<LayerReport>& layers) {
  for (LayerReport& l : layers) {
    l.precision = text_of(LayerPrecision::kFloat32);
    l.reason = l.kept;
  }
  for (size_t i = 0; i < outcome.table.size(); ++i) {
    LayerReport& l = layers[trial.layer_of(i)];
    l.precision = text_of(outcome.precisions[i]);
    l.reason = outcome.reasons[i];
    l.costs = outcome.table[i];
    if (outcome.precisions[i] != LayerPrecision::kInt8) l.kept = l.reason;
  }
}

}  // namespace coracle::internal::quantize
