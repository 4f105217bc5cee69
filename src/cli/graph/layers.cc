// SPDX-License-Identifier: Apache-2.0
// Layers by longest paths, vertices of no size where edges pass layers, order within layers by the means of neighbours,
// places by those means too: the method of Sugiyama, Tagawa and Toda (1981).
#include "cli/graph/layers.h"

#include <algorithm>
#include <limits>

namespace coracle::cli {
namespace {

constexpr double kBeside = 18;
constexpr double kBelow = 34;
constexpr int kSweeps = 6;

/// A place in a layer: a vertex, or where an edge passes.
struct Slot {
  double width = 0;
  double centre = 0;
  size_t layer = 0;
  std::vector<size_t> above;
  std::vector<size_t> below;
};

class Placement {
 public:
  explicit Placement(Layers& drawing) : drawing_(drawing) {}

  void run() {
    assign_layers();
    make_slots();
    for (int i = 0; i < kSweeps; ++i) order(i % 2 == 0);
    pack();
    for (int i = 0; i < kSweeps; ++i) align();
    write();
  }

 private:
  void assign_layers() {
    const size_t count = drawing_.vertices.size();
    std::vector<size_t> layer(count, 0);
    std::vector<std::vector<size_t>> to(count);
    for (const Layers::Edge& e : drawing_.edges) to[e.from].push_back(e.to);
    for (size_t v = 0; v < count; ++v) {
      if (!drawing_.vertices[v].late) continue;
      for (size_t t : to[v]) layer[t] = std::max<size_t>(layer[t], 1);
    }
    for (size_t v = 0; v < count; ++v) {
      if (drawing_.vertices[v].late) continue;
      for (size_t t : to[v]) layer[t] = std::max(layer[t], layer[v] + 1);
    }
    for (size_t v = 0; v < count; ++v) {
      if (!drawing_.vertices[v].late || to[v].empty()) continue;
      size_t least = std::numeric_limits<size_t>::max();
      for (size_t t : to[v]) least = std::min(least, layer[t]);
      layer[v] = least - 1;
    }
    for (size_t v = 0; v < count; ++v) slots_.push_back({drawing_.vertices[v].width, 0, layer[v], {}, {}});
  }

  void make_slots() {
    for (const Layers::Edge& e : drawing_.edges) {
      std::vector<size_t> way{e.from};
      for (size_t layer = slots_[e.from].layer + 1; layer < slots_[e.to].layer; ++layer) {
        way.push_back(slots_.size());
        slots_.push_back({4, 0, layer, {}, {}});
      }
      way.push_back(e.to);
      for (size_t i = 1; i < way.size(); ++i) {
        slots_[way[i - 1]].below.push_back(way[i]);
        slots_[way[i]].above.push_back(way[i - 1]);
      }
      ways_.push_back(std::move(way));
    }
    size_t most = 0;
    for (const Slot& s : slots_) most = std::max(most, s.layer);
    layers_.resize(slots_.empty() ? 0 : most + 1);
    for (size_t i = 0; i < slots_.size(); ++i) {
      slots_[i].centre = static_cast<double>(layers_[slots_[i].layer].size());
      layers_[slots_[i].layer].push_back(i);
    }
  }

  double mean(const std::vector<size_t>& neighbours, double otherwise) const {
    if (neighbours.empty()) return otherwise;
    double sum = 0;
    for (size_t n : neighbours) sum += slots_[n].centre;
    return sum / static_cast<double>(neighbours.size());
  }

  /// Orders each layer by where the neighbours above (or below) stand; centres are positions here.
  void order(bool down) {
    for (size_t i = 0; i < layers_.size(); ++i) {
      std::vector<size_t>& layer = layers_[down ? i : layers_.size() - 1 - i];
      std::vector<std::pair<double, size_t>> keyed;
      for (size_t s : layer) keyed.emplace_back(mean(down ? slots_[s].above : slots_[s].below, slots_[s].centre), s);
      std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (size_t k = 0; k < keyed.size(); ++k) {
        layer[k] = keyed[k].second;
        slots_[layer[k]].centre = static_cast<double>(k);
      }
    }
  }

  double apart(size_t left, size_t right) const { return (slots_[left].width + slots_[right].width) / 2 + kBeside; }

  void pack() {
    for (const std::vector<size_t>& layer : layers_) {
      double at = 0;
      for (size_t k = 0; k < layer.size(); ++k) {
        at += k == 0 ? 0 : apart(layer[k - 1], layer[k]);
        slots_[layer[k]].centre = at;
      }
      for (size_t s : layer) slots_[s].centre -= at / 2;
    }
  }

  /// Moves each slot towards its neighbours. Pushing to the right and pushing to the left both keep slots apart, and so
  /// does the mean of both.
  void align() {
    for (const std::vector<size_t>& layer : layers_) {
      std::vector<double> wanted;
      for (size_t s : layer) {
        std::vector<size_t> neighbours = slots_[s].above;
        neighbours.insert(neighbours.end(), slots_[s].below.begin(), slots_[s].below.end());
        wanted.push_back(mean(neighbours, slots_[s].centre));
      }
      std::vector<double> right = wanted;
      std::vector<double> left = wanted;
      for (size_t k = 1; k < layer.size(); ++k)
        right[k] = std::max(right[k], right[k - 1] + apart(layer[k - 1], layer[k]));
      for (size_t k = layer.size(); k-- > 1;)
        left[k - 1] = std::min(left[k - 1], left[k] - apart(layer[k - 1], layer[k]));
      for (size_t k = 0; k < layer.size(); ++k) slots_[layer[k]].centre = (left[k] + right[k]) / 2;
    }
  }

  void write() {
    double least = 0;
    double most = 0;
    for (const Slot& s : slots_) {
      least = std::min(least, s.centre - s.width / 2);
      most = std::max(most, s.centre + s.width / 2);
    }
    std::vector<double> heights(layers_.size(), 0);
    for (size_t v = 0; v < drawing_.vertices.size(); ++v) {
      heights[slots_[v].layer] = std::max(heights[slots_[v].layer], drawing_.vertices[v].height);
    }
    std::vector<double> tops(layers_.size(), 0);
    for (size_t i = 1; i < tops.size(); ++i) tops[i] = tops[i - 1] + heights[i - 1] + kBelow;
    for (size_t v = 0; v < drawing_.vertices.size(); ++v) {
      Layers::Vertex& vertex = drawing_.vertices[v];
      vertex.x = slots_[v].centre - least - vertex.width / 2;
      vertex.y = tops[slots_[v].layer] + (heights[slots_[v].layer] - vertex.height) / 2;
    }
    for (size_t e = 0; e < ways_.size(); ++e) {
      for (size_t i = 1; i + 1 < ways_[e].size(); ++i) {
        const Slot& s = slots_[ways_[e][i]];
        drawing_.edges[e].bends.emplace_back(s.centre - least, tops[s.layer]);
        drawing_.edges[e].bends.emplace_back(s.centre - least, tops[s.layer] + heights[s.layer]);
      }
    }
    drawing_.width = most - least;
    drawing_.height = tops.empty() ? 0 : tops.back() + heights.back();
  }

  Layers& drawing_;
  std::vector<Slot> slots_;  ///< the vertices first
  std::vector<std::vector<size_t>> layers_;
  std::vector<std::vector<size_t>> ways_;  ///< of edges, from slot to slot
};

}  // namespace

void Layers::place() { Placement(*this).run(); }

}  // namespace coracle::cli
