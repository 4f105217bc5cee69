// SPDX-License-Identifier: Apache-2.0
#include "cli/quantize/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "cli/text.h"

namespace coracle::cli {

using namespace internal::quantize;  // NOLINT(google-build-using-namespace): the words of the library
namespace {

double mebibytes(size_t bytes) { return static_cast<double>(bytes) / 1048576.0; }

}  // namespace

std::string decibels(double ratio) {
  return std::isinf(ratio) && ratio > 0 ? "exact" : fmt::format("{:.1f} dB", ratio);
}

size_t Report::changed_layers() const {
  return static_cast<size_t>(
      std::count_if(layers.begin(), layers.end(), [](const LayerReport& l) { return l.kept.empty(); }));
}

std::string text_of(const ScalingOutcome& s) {
  if (!s.tried) return {};
  if (s.scalings.empty()) return "scaling: no operand is predicted to be nearer with it";
  const auto inserted =
      std::count_if(s.scalings.begin(), s.scalings.end(), [](const Scaling& one) { return one.by.empty(); });
  return fmt::format("scaling: {} operand{} {}{}, signal to noise {} without, {} with it", s.scalings.size(),
                     s.scalings.size() == 1 ? "" : "s", s.used ? "scaled" : "left alone",
                     inserted == 0 ? "" : fmt::format(" ({} by a product)", inserted), decibels(s.before),
                     decibels(s.after));
}

std::string residuals_of(const Report& r) {
  if (r.residuals == 0) return {};
  return fmt::format("residuals: {} sum{} {}", r.residuals, r.residuals == 1 ? "" : "s",
                     r.rounds_residuals ? "of int8" : "in float32");
}

size_t Report::layers_of_dtype() const {
  return static_cast<size_t>(std::count_if(
      layers.begin(), layers.end(), [&](const LayerReport& l) { return l.kept.empty() && l.stored == dtype(); }));
}

std::string text_of(const Report& r) {
  std::string out = "layer                            operator           operand      weights      range\n";
  for (const LayerReport& l : r.layers) {
    const std::string head = fmt::format("{:<32} {:<18} ", printable(l.name), l.type);
    if (!l.kept.empty()) {
      out += fmt::format("{}float32: {}\n", head, l.kept);
    } else if (l.method.empty()) {
      out += fmt::format("{}{:<12} {:<12} {}\n", head, "float32", decibels(l.weights_ratio), l.stored);
    } else {
      out += fmt::format("{}{:<12} {:<12} {:.4g} ({})\n", head, decibels(l.operand_ratio), decibels(l.weights_ratio),
                         l.range, l.method);
    }
  }
  if (!r.method.empty()) {
    out += fmt::format("ranges by {} of {} set{} of inputs, answers compared for {}{}\n", r.method, r.seen,
                       r.seen == 1 ? "" : "s", r.held_back, r.seen + r.held_back > r.sets ? ", the same" : " others");
  } else {
    out += r.sets == 0 ? "answers were not compared: no --data or --input\n"
                       : fmt::format("answers compared for {} set{} of inputs\n", r.sets, r.sets == 1 ? "" : "s");
  }
  if (r.scaling.tried) out += text_of(r.scaling) + "\n";
  if (r.residuals != 0) out += residuals_of(r) + "\n";
  for (const OutputAccuracy& o : r.outputs) {
    out += fmt::format("{}: signal to noise {}, largest difference {:.3g}, {} of {} decisions changed{}\n",
                       printable(o.name), decibels(o.noise_ratio()), o.max_absolute, o.changed, o.decisions,
                       o.other_shapes == 0 ? "" : fmt::format(", {} answers of another shape", o.other_shapes));
  }
  const size_t others = r.changed_layers() - r.layers_of_dtype();
  out += fmt::format("{}: {} of {} layers with {}{}, {:.2f} MiB of {:.2f}\n", r.output, r.layers_of_dtype(),
                     r.layers.size(), r.dtype(), others == 0 ? "" : fmt::format(", {} with int8", others),
                     mebibytes(r.quantized_bytes), mebibytes(r.original_bytes));
  return out;
}

namespace {

void scaling(internal::JsonWriter& w, const ScalingOutcome& s) {
  w.Key("scaling");
  w.StartObject();
  w.field("used", s.used);
  if (!s.scalings.empty()) {
    w.field("signal_to_noise_db_before", s.before);
    w.field("signal_to_noise_db_after", s.after);
  }
  w.objects("operands", s.scalings, [&](const Scaling& one) {
    w.field("name", one.operand.variable);
    w.field("by", one.by.empty() ? "product" : one.by);
    w.field("layers", one.layers.size());
    const auto [least, most] = std::minmax_element(one.factors.begin(), one.factors.end());
    w.field("least_factor", static_cast<double>(*least));
    w.field("largest_factor", static_cast<double>(*most));
    w.field("predicted_gain_db", one.gain);
  });
  w.EndObject();
}

}  // namespace

std::string json_of(const Report& r) {
  internal::JsonBuffer buffer;
  internal::JsonWriter w(buffer);
  w.StartObject();
  w.field("output", r.output);
  if (!r.method.empty()) w.field("method", r.method);
  w.field("weights", r.dtype());
  w.field("operands_are_quantized", r.precision == Precision::kIntegers);
  w.field("sets", r.sets);
  w.field("calibration_sets", r.seen);
  w.field("compared_sets", r.held_back);
  w.field("original_bytes", r.original_bytes);
  w.field("quantized_bytes", r.quantized_bytes);
  if (r.scaling.tried) scaling(w, r.scaling);
  w.field("residuals", r.residuals);
  w.field("residuals_are_quantized", r.rounds_residuals && r.residuals != 0);
  w.objects("outputs", r.outputs, [&](const OutputAccuracy& o) {
    w.field("name", o.name);
    w.field("signal_to_noise_db", o.noise_ratio());
    w.field("largest_difference", o.max_absolute);
    w.field("decisions", o.decisions);
    w.field("changed_decisions", o.changed);
    w.field("answers_of_another_shape", o.other_shapes);
  });
  w.objects("layers", r.layers, [&](const LayerReport& l) {
    w.field("name", l.name);
    w.field("operator", l.type);
    w.field("weights", l.weights);
    w.field("quantized", l.kept.empty());
    if (!l.kept.empty()) w.field("reason", l.kept);
    if (l.range > 0) {
      w.field("method", l.method);
      w.field("operand_range", l.range);
      w.field("operand_signal_to_noise_db", l.operand_ratio);
    }
    if (l.kept.empty()) w.field("stored", l.stored);
    if (l.tried) w.field("weights_signal_to_noise_db", l.weights_ratio);
  });
  w.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace coracle::cli
