// SPDX-License-Identifier: Apache-2.0
#include "quantize/precision_choice.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace coracle::internal::quantize {
namespace {

/// What an exchange gains by what it costs; infinite where it costs nothing.
double rate_of(const Exchange& e) { return e.time <= 0 ? std::numeric_limits<double>::infinity() : e.square / e.time; }

/// Of those that cost nothing the one that gains most is better.
bool is_better(const Exchange& a, const Exchange& b) {
  const double rate_a = rate_of(a);
  const double rate_b = rate_of(b);
  return rate_a != rate_b ? rate_a > rate_b : a.square > b.square;
}

/// The best exchange of a layer; none where nothing is nearer.
std::optional<Exchange> best_exchange(size_t layer, const LayerCosts& costs, LayerPrecision from) {
  std::optional<Exchange> best;
  const PrecisionCost& now = *costs.in(from);
  for (const LayerPrecision to : kLayerPrecisions) {
    const std::optional<PrecisionCost>& then = costs.in(to);
    if (!then || !(then->error < now.error)) continue;
    const Exchange e{layer, from, to, then->time - now.time, now.error * now.error - then->error * then->error};
    if (!best || is_better(e, *best)) best = e;
  }
  return best;
}

/// The start with the first `count` exchanges.
LayerPrecisions after(LayerPrecisions start, const std::vector<Exchange>& exchanges, size_t count) {
  for (size_t i = 0; i < count; ++i) start[exchanges[i].layer] = exchanges[i].to;
  return start;
}

/// Exchanges that lose time, the most of it first.
std::vector<size_t> costly_first(const std::vector<Exchange>& exchanges, size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t i) { return exchanges[i].time <= 0; });
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return exchanges[a].time > exchanges[b].time; });
  return order;
}

}  // namespace

const char* text_of(LayerPrecision precision) {
  constexpr const char* kTexts[] = {"int8", "bf16", "float32"};
  return kTexts[static_cast<size_t>(precision)];
}

LayerPrecisions fastest_precisions(const PrecisionTable& table) {
  LayerPrecisions fastest;
  for (const LayerCosts& costs : table) {
    std::optional<LayerPrecision> best;
    for (const LayerPrecision p : kLayerPrecisions) {
      if (!costs.in(p)) continue;
      if (!best || costs.in(p)->time < costs.in(*best)->time * (1 - kLeastTimeSaved)) best = p;
    }
    fastest.push_back(best.value_or(LayerPrecision::kFloat32));
  }
  return fastest;
}

std::vector<Exchange> exchanges_from(const LayerPrecisions& start, const PrecisionTable& table) {
  std::vector<Exchange> all;
  for (size_t layer = 0; layer < table.size(); ++layer) {
    LayerPrecision at = start[layer];
    while (const std::optional<Exchange> next = best_exchange(layer, table[layer], at)) {
      all.push_back(*next);
      at = next->to;
    }
  }
  // The best one of a layer comes first anyway: what follows gains less for its time.
  std::stable_sort(all.begin(), all.end(), is_better);
  return all;
}

PrecisionChoice choose_precisions(const PrecisionTable& table, const Judge& judge) {
  const LayerPrecisions start = fastest_precisions(table);
  PrecisionChoice choice{start, judge(start)};
  if (choice.verdict.near_enough) return choice;
  const std::vector<Exchange> exchanges = exchanges_from(start, table);
  // With `low` exchanges answers are too far away, with `high` they are near enough, or nothing is.
  size_t low = 0;
  size_t high = exchanges.size();
  PrecisionChoice nearest = choice;
  const auto try_first = [&](size_t count) {
    PrecisionChoice tried{after(start, exchanges, count), {}};
    tried.verdict = judge(tried.precisions);
    if (tried.verdict.error < nearest.verdict.error) nearest = tried;
    return tried;
  };
  choice = try_first(high);
  if (!choice.verdict.near_enough) return nearest;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    PrecisionChoice tried = try_first(middle);
    if (tried.verdict.near_enough) {
      high = middle;
      choice = std::move(tried);
    } else {
      low = middle;
    }
  }
  for (const size_t i : costly_first(exchanges, high)) {
    const Exchange& e = exchanges[i];
    if (choice.precisions[e.layer] != e.to) continue;  // a later one of this layer stands
    PrecisionChoice tried = choice;
    tried.precisions[e.layer] = e.from;
    tried.verdict = judge(tried.precisions);
    if (tried.verdict.near_enough) choice = std::move(tried);
  }
  return choice;
}

double time_with(const LayerPrecisions& precisions, const PrecisionTable& table) {
  double sum = 0;
  for (size_t i = 0; i < table.size(); ++i) {
    const std::optional<PrecisionCost>& cost = table[i].in(precisions[i]);
    sum += cost ? cost->time : 0;
  }
  return sum;
}

}  // namespace coracle::internal::quantize
