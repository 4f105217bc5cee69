// SPDX-License-Identifier: Apache-2.0
#include "plan/partition.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/counted.h"
#include "plan/cost.h"
#include "plan/device.h"
#include "plan/kernel_matcher.h"

namespace coracle::internal {
namespace {

class Partitioner {
 public:
  Partitioner(const RunContext& context, const PartitionInput& input)
      : context_(context), input_(input), places_(input.nodes.size()), maker_(input.graph.value_count(), kNone) {}

  std::vector<NodePlace> run() {
    for (size_t n = 0; n < places_.size(); ++n) {
      if (!input_.runs[n]) continue;
      context_.check();
      for (ValueId v : node(n).outputs) maker_[index(v)] = n;
      find_device(n);
    }
    if (input_.selector.allows(kUnprofitableName)) drop_unprofitable();
    return std::move(places_);
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  const Node& node(size_t n) const { return input_.graph.node(input_.nodes[n]); }
  const Fact& fact(ValueId v) const { return input_.facts[index(v)]; }
  const DeviceInfo& info(Place place) const { return input_.selector.device(place).open->info(); }

  // ---- what devices take

  void find_device(size_t n) {
    for (size_t d = 0; d < input_.selector.devices().size(); ++d) {
      const Place place{static_cast<uint8_t>(d + 1)};
      std::string refusal = refusal_of(n, place);
      const char* const name = input_.selector.name_of(place);
      if (refusal.empty()) {
        places_[n].place = place;
        if (input_.keep_causes) places_[n].cause = text("a kernel of ", name, " takes it");
        return;
      }
      if (input_.keep_causes) {
        places_[n]
            .cause.append(text(places_[n].cause.empty() ? "" : "; ", "no kernel of ", name, " takes it: "))
            .append(refusal);
      }
    }
  }

  /// Why the device does not take the node; empty if it does.
  std::string refusal_of(size_t n, Place place) const {
    const Node& node = this->node(n);
    const std::span<const KernelDef* const> kernels = input_.selector.kernels(node.op.schema(), place);
    if (kernels.empty()) return text("it has none for ", node.op.name());
    KernelMatcher tried(node, input_.facts);
    if (without_elements(node, tried.out())) return "there are no elements";
    tried.set_place(place);
    tried.set_counted(n == input_.counted);
    const size_t largest = info(place).largest_allocation;
    for (const std::vector<Fact>* facts : {&tried.in(), &tried.out()}) {
      for (const Fact& f : *facts) {
        if (f.place == place && f.bytes() > largest)
          return text(f, " is larger than its largest block, ", counted(largest, "byte"));
      }
    }
    std::vector<Refusal> refused;
    const auto takes = [&] {
      refused.clear();
      return tried.choose(kernels, Layout::kRowMajor, false, &refused) != nullptr ||
             tried.choose(kernels, Layout::kChannelsLast, false, nullptr) != nullptr;
    };
    if (takes()) return {};
    std::string reason = refused.empty() ? "none for it" : text(refused[0].kernel->name, ": ", refused[0].reason);
    const bool upcast = tried.upcast(context_, [&](size_t i) { return input_.upcast_value(node.inputs[i]); });
    return upcast && takes() ? std::string() : reason;
  }

  // ---- partitions

  /// Nodes of one device that hang together.
  struct DevicePartition {
    std::vector<size_t> nodes;
    double host = 0;    ///< seconds that they would take there
    double device = 0;  ///< what they take on the device
    size_t copied = 0;  ///< bytes that come and go
    double copies = 0;  ///< seconds for that
  };

  size_t root(size_t n) {
    while (joined_[n] != n) n = joined_[n] = joined_[joined_[n]];
    return n;
  }

  bool on_device(size_t n) const { return n != kNone && !places_[n].place.is_host(); }

  void drop_unprofitable() {
    joined_.resize(places_.size());
    std::iota(joined_.begin(), joined_.end(), size_t{0});
    for (size_t n = 0; n < places_.size(); ++n) {
      if (!on_device(n)) continue;
      for (ValueId v : node(n).inputs) {
        const size_t from = maker_[index(v)];
        if (on_device(from) && places_[from].place == places_[n].place) joined_[root(n)] = root(from);
      }
    }
    std::vector<DevicePartition> partitions(places_.size());
    for (size_t n = 0; n < places_.size(); ++n) {
      if (on_device(n)) add_node(n, partitions[root(n)]);
    }
    add_copies(partitions);
    for (const DevicePartition& partition : partitions) {
      if (!partition.nodes.empty() && partition.device + partition.copies >= partition.host) drop(partition);
    }
  }

  void add_node(size_t n, DevicePartition& partition) const {
    std::vector<const Fact*> in;
    std::vector<const Fact*> out;
    for (ValueId v : node(n).inputs) in.push_back(&fact(v));
    for (ValueId v : node(n).outputs) out.push_back(&fact(v));
    const Cost cost = cost_of(node(n).op, NodeFacts(in, node(n).input_counts, out, node(n).output_counts));
    partition.nodes.push_back(n);
    partition.host += host_device().speed.seconds(cost);
    partition.device += info(places_[n].place).speed.seconds(cost);
  }

  /// Each value is copied once to each partition that uses it, and once from where it is made. Constants are on the
  /// device already.
  void add_copies(std::vector<DevicePartition>& partitions) {
    const auto copy = [&](size_t n, ValueId v) {
      DevicePartition& partition = partitions[root(n)];
      partition.copied += fact(v).bytes();
      partition.copies += info(places_[n].place).transfer.seconds(fact(v).bytes());
    };
    std::vector<size_t> came(maker_.size(), kNone);  // the partition that a value came to last
    std::vector<bool> left(maker_.size(), false);
    for (size_t n = 0; n < places_.size(); ++n) {
      if (!input_.runs[n]) continue;
      for (ValueId v : node(n).inputs) {
        const size_t from = maker_[index(v)];
        const bool same = on_device(n) && on_device(from) && places_[n].place == places_[from].place;
        const bool stands_here = from == kNone && !input_.given.empty() && input_.given[index(v)] == places_[n].place;
        if (same || stands_here || fact(v).value != nullptr) continue;
        if (on_device(n) && came[index(v)] != root(n)) copy(n, v);
        if (on_device(n)) came[index(v)] = root(n);
        if (on_device(from) && !left[index(v)]) copy(from, v);
        if (on_device(from)) left[index(v)] = true;
      }
    }
    for (size_t n = 0; n < places_.size(); ++n) {
      if (!on_device(n)) continue;
      for (ValueId v : node(n).outputs) {
        const bool stays = input_.stays != nullptr && input_.stays(v, places_[n].place);
        if (!left[index(v)] && !stays && input_.used_later(v)) copy(n, v);
      }
    }
  }

  void drop(const DevicePartition& partition) {
    const auto microseconds = [](double s) { return static_cast<int64_t>(std::llround(s * 1e6)); };
    for (size_t n : partition.nodes) {
      if (input_.keep_causes) {
        places_[n].cause =
            text("small: ", partition.nodes.size(), partition.nodes.size() == 1 ? " node" : " connected nodes",
                 " would save about ", microseconds(partition.host - partition.device), " us on ",
                 input_.selector.name_of(places_[n].place), " and copy ", counted(partition.copied, "byte"),
                 " in about ", microseconds(partition.copies), " us");
      }
      places_[n].place = Place{};
    }
  }

  const RunContext& context_;
  const PartitionInput& input_;
  std::vector<NodePlace> places_;
  std::vector<size_t> maker_;   // by value: the node of the segment that makes it
  std::vector<size_t> joined_;  // by node: one nearer to the root of its partition
};

}  // namespace

std::vector<NodePlace> partition(const RunContext& context, const PartitionInput& input) {
  return Partitioner(context, input).run();
}

}  // namespace coracle::internal
