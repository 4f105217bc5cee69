// SPDX-License-Identifier: Apache-2.0
#include "run/profile.h"

namespace coracle::internal {
namespace {

using Clock = std::chrono::steady_clock;

/// What helper threads did since the last call, in a run that began at `start` and is profiled.
std::vector<ProfileEvent::Helper> helpers_since(Clock::time_point start, LoopTrace& trace) {
  const int64_t zero = ns(start.time_since_epoch());
  std::vector<ProfileEvent::Helper> helpers;
  for (const LoopTrace::Span& s : trace.take()) {
    helpers.push_back({s.thread, s.begin - zero, s.end - s.begin, s.busy});
  }
  return helpers;
}

}  // namespace

Cost operator_cost(const Steps& steps, const Step& step) {
  const auto facts = [&](const std::vector<int>& buffers) {
    std::vector<const Fact*> list;
    for (int buffer : buffers) list.push_back(&steps.buffers[static_cast<size_t>(buffer)].fact);
    return list;
  };
  const std::vector<const Fact*> in = facts(step.in);
  const std::vector<const Fact*> out = facts(step.out);
  return cost_of(step.op, NodeFacts(in, step.in_counts, out, step.out_counts));
}

Cost cost_of(const Steps& steps, const Step& step) {
  if (step.kernel->view) return {};
  if (!step.parts.empty()) {
    Cost all;
    for (const Step& part : step.parts) {
      const Cost cost = cost_of(steps, part);
      all.flops += cost.flops;
      all.bytes += cost.bytes;
      if (&part == &step.parts.back()) break;
      // Neither written nor read as a whole.
      all.bytes -= 2 * static_cast<int64_t>(steps.buffers[static_cast<size_t>(part.out.at(0))].fact.bytes());
    }
    return all;
  }
  Cost cost = operator_cost(steps, step);
  cost.flops = static_cast<int64_t>(static_cast<double>(cost.flops) * step.kernel->multiplies);
  return cost;
}

void record(ProfileEvent named, const Cost& cost, Clock::time_point run_start, Clock::time_point start,
            LoopTrace& trace, Profile& profile) {
  named.start_ns = ns(start - run_start);
  named.duration_ns = ns(Clock::now() - start);
  named.flops = cost.flops;
  named.bytes = cost.bytes;
  named.helpers = helpers_since(run_start, trace);
  const LoopTrace::Caller caller = trace.take_caller();
  named.waited_ns = caller.waited;
  named.loops = caller.loops;
  named.beside_ns = caller.beside;
  profile.push_back(std::move(named));
}

}  // namespace coracle::internal
