// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/graph/drawing.h"
#include "cli/quantize/report.h"

namespace coracle::cli {

using namespace internal::quantize;  // NOLINT(google-build-using-namespace): the words of the library
namespace {

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>
body { font: 14px/1.5 sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .15em .8em .15em 0; border-bottom: 1px solid #ddd; vertical-align: middle }
td.number { text-align: right; font-variant-numeric: tabular-nums }
.operand { fill: #2a6fb0 } .weights { fill: #e0912f } .range { stroke: #c22 } .base { fill: #8886 }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b } th, td { border-color: #444 } }
</style>
)";

constexpr double kMostDecibels = 70;
constexpr double kWidth = 260;

/// The operand's ratio above the weights'.
std::string bars(const LayerReport& l) {
  const auto width = [](double ratio) { return kWidth * std::clamp(ratio, 0.0, kMostDecibels) / kMostDecibels; };
  return fmt::format(
      "<svg width=\"{:.0f}\" height=\"16\" role=\"img\" aria-label=\"{}, {}\">"
      "<rect class=\"operand\" y=\"1\" width=\"{:.1f}\" height=\"6\"/>"
      "<rect class=\"weights\" y=\"9\" width=\"{:.1f}\" height=\"6\"/></svg>",
      kWidth, decibels(l.operand_ratio), decibels(l.weights_ratio), width(l.operand_ratio), width(l.weights_ratio));
}

/// How often absolute values of the operand are how large, logarithmic, up to the largest; a line at the range.
std::string histogram(const LayerReport& l) {
  constexpr size_t kParts = 80;
  constexpr double kHeight = 28;
  if (l.counts == nullptr || l.counts->largest() == 0) return "all values are 0";
  const std::vector<uint64_t> sums = l.counts->histogram(kParts);
  const double most = std::log1p(static_cast<double>(*std::max_element(sums.begin(), sums.end())));
  std::string path = fmt::format("M0 {:.0f}", kHeight);
  for (size_t i = 0; i < kParts; ++i) {
    path += fmt::format("V{:.1f}h2", kHeight - kHeight * std::log1p(static_cast<double>(sums[i])) / most);
  }
  const double at = std::min(l.range / l.counts->largest(), 1.0) * 2 * kParts;
  return fmt::format(
      "<svg width=\"{0}\" height=\"{1:.0f}\" role=\"img\" aria-label=\"absolute values up to {2:.4g}, range {3:.4g}\">"
      "<path class=\"operand\" d=\"{4}V{1:.0f}z\"/><line class=\"range\" x1=\"{5:.1f}\" x2=\"{5:.1f}\" y1=\"0\" "
      "y2=\"{1:.0f}\"/></svg>",
      2 * kParts + 1, kHeight, l.counts->largest(), l.range, path, at);
}

/// Bytes of both models as bars of one scale.
std::string sizes(const Report& r) {
  const double per_byte = kWidth / static_cast<double>(std::max({r.original_bytes, r.quantized_bytes, size_t{1}}));
  const auto bar = [&](const char* name, size_t bytes, const char* kind) {
    return fmt::format(
        "<tr><td>{}<td><svg width=\"{:.0f}\" height=\"10\"><rect class=\"{}\" width=\"{:.1f}\" "
        "height=\"10\"/></svg><td class=\"number\">{:.2f} MiB\n",
        name, kWidth, kind, static_cast<double>(bytes) * per_byte, static_cast<double>(bytes) / 1048576.0);
  };
  return "<h2>Size</h2>\n<table>" + bar("before", r.original_bytes, "base") +
         bar("after", r.quantized_bytes, "operand") + "</table>\n";
}

std::string row(const LayerReport& l) {
  std::string out = fmt::format("<tr><td>{}<td>{}", xml_escaped(l.name), l.type);
  if (!l.kept.empty()) return out + fmt::format("<td colspan=\"5\">float32: {}\n", xml_escaped(l.kept));
  out += fmt::format("<td>{}", bars(l));
  if (l.method.empty()) return out + fmt::format("<td><td class=\"number\">{}<td><td>\n", decibels(l.weights_ratio));
  return out + fmt::format("<td class=\"number\">{}<td class=\"number\">{}<td>{:.4g} ({})<td>{}\n",
                           decibels(l.operand_ratio), decibels(l.weights_ratio), l.range, l.method, histogram(l));
}

std::string scaled_operands(const ScalingOutcome& s) {
  std::string out = fmt::format("<h2>Scaling</h2>\n<p>{}.</p>\n", text_of(s));
  if (s.scalings.empty()) return out;
  out += "<table><tr><th>operand<th>layers<th>factors in<th>factors<th>predicted gain\n";
  for (const Scaling& one : s.scalings) {
    const auto [least, most] = std::minmax_element(one.factors.begin(), one.factors.end());
    out += fmt::format("<tr><td>{}<td>{}<td>{}<td>{:.3g} to {:.3g}<td>{}\n", xml_escaped(one.operand.variable),
                       one.layers.size(), one.by.empty() ? "a product" : one.by, *least, *most, decibels(one.gain));
  }
  return out + "</table>\n";
}

}  // namespace

std::string page_of(const Report& r) {
  std::string out = kHead;
  out += fmt::format("<title>{0}</title></head><body>\n<h1>{0}</h1>\n", xml_escaped(r.output));
  out += fmt::format("<p>{} of {} layers with {}. ", r.changed_layers(), r.layers.size(), r.dtype());
  if (!r.method.empty()) out += fmt::format("Ranges by {} of {} sets of inputs. ", r.method, r.seen);
  out += fmt::format("Answers compared for {} of {} sets.</p>\n", r.held_back, r.sets) + sizes(r);
  if (r.scaling.tried) out += scaled_operands(r.scaling);
  if (r.residuals != 0) out += fmt::format("<p>{}.</p>\n", residuals_of(r));
  out += "<h2>Answers</h2>\n<table><tr><th>output<th>signal to noise<th>largest difference<th>decisions changed\n";
  for (const OutputAccuracy& o : r.outputs) {
    out += fmt::format("<tr><td>{}<td>{}<td>{:.3g}<td>{} of {} ({:.3g} %)\n", xml_escaped(o.name),
                       decibels(o.noise_ratio()), o.max_absolute, o.changed, o.decisions, o.drop());
  }
  out +=
      "</table>\n<h2>Layers</h2>\n<p>Signal to noise of the rounded <svg width=\"10\" height=\"10\"><rect "
      "class=\"operand\" width=\"10\" height=\"10\"/></svg> operand and <svg width=\"10\" height=\"10\"><rect "
      "class=\"weights\" width=\"10\" height=\"10\"/></svg> weights; short bars lose most. The last column counts "
      "absolute "
      "values of the operand, on a logarithmic scale; right of the line they are clipped.</p>\n"
      "<table><tr><th>result<th>operator<th><th>operand<th>weights<th>range<th>values\n";
  for (const LayerReport& l : r.layers) out += row(l);
  return out + "</table>\n</body></html>\n";
}

}  // namespace coracle::cli
