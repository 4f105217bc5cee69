// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/graph/drawing.h"
#include "cli/quantize/report.h"

namespace coracle::cli {
namespace {

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>
body { font: 14px/1.5 sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .15em .8em .15em 0; border-bottom: 1px solid #ddd; vertical-align: middle }
td.number { text-align: right; font-variant-numeric: tabular-nums }
.operand { fill: #2a6fb0 } .weights { fill: #e0912f }
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

std::string row(const LayerReport& l) {
  std::string out = fmt::format("<tr><td>{}<td>{}", xml_escaped(l.name), l.type);
  if (!l.kept.empty()) return out + fmt::format("<td colspan=\"4\">float32: {}\n", xml_escaped(l.kept));
  return out + fmt::format("<td>{}<td class=\"number\">{}<td class=\"number\">{}<td>{:.4g} ({})\n", bars(l),
                           decibels(l.operand_ratio), decibels(l.weights_ratio), l.range, l.method);
}

}  // namespace

std::string page_of(const Report& r) {
  std::string out = kHead;
  out += fmt::format("<title>{0}</title></head><body>\n<h1>{0}</h1>\n", xml_escaped(r.output));
  out += fmt::format(
      "<p>{} of {} layers with int8; {:.2f} MiB, the original {:.2f} MiB. Ranges by {} of {} sets of "
      "inputs; answers compared for {} of {} sets.</p>\n",
      r.int8_layers(), r.layers.size(), static_cast<double>(r.quantized_bytes) / 1048576.0,
      static_cast<double>(r.original_bytes) / 1048576.0, r.method, r.seen, r.held_back, r.sets);
  out += "<h2>Answers</h2>\n<table><tr><th>output<th>signal to noise<th>largest difference<th>decisions changed\n";
  for (const OutputAccuracy& o : r.outputs) {
    out += fmt::format("<tr><td>{}<td>{}<td>{:.3g}<td>{} of {} ({:.3g} %)\n", xml_escaped(o.name),
                       decibels(o.noise_ratio()), o.max_absolute, o.changed, o.decisions, o.drop());
  }
  out +=
      "</table>\n<h2>Layers</h2>\n<p>Signal to noise of the rounded <svg width=\"10\" height=\"10\"><rect "
      "class=\"operand\" width=\"10\" height=\"10\"/></svg> operand and <svg width=\"10\" height=\"10\"><rect "
      "class=\"weights\" width=\"10\" height=\"10\"/></svg> weights; short bars lose most.</p>\n"
      "<table><tr><th>result<th>operator<th><th>operand<th>weights<th>range\n";
  for (const LayerReport& l : r.layers) out += row(l);
  return out + "</table>\n</body></html>\n";
}

}  // namespace coracle::cli
