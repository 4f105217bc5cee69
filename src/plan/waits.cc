// SPDX-License-Identifier: Apache-2.0
#include "plan/waits.h"

#include <algorithm>
#include <climits>

#include "plan/placement.h"

namespace coracle::internal {

void advance_copies(Steps& steps) {
  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> maker(steps.buffers.size(), kNone);  // by buffer
  for (size_t s = 0; s < steps.steps.size(); ++s) {
    if (steps.steps[s].kernel->view) continue;  // it makes nothing
    for (int l : steps.steps[s].out) maker[static_cast<size_t>(l)] = s;
  }
  std::vector<std::vector<size_t>> copies(steps.steps.size());  // by the step that makes what they copy
  std::vector<bool> moved(steps.steps.size(), false);
  for (size_t s = 0; s < steps.steps.size(); ++s) {
    const Step& step = steps.steps[s];
    if (step.copy == nullptr || !step.copy->staged.empty()) continue;
    const size_t from = maker[static_cast<size_t>(owner_of(steps, step.in[0]))];
    if (from == kNone) continue;
    copies[from].push_back(s);
    moved[s] = true;
  }
  std::vector<Step> ordered;
  ordered.reserve(steps.steps.size());
  std::vector<size_t> next;
  for (size_t s = 0; s < moved.size(); ++s) {
    if (!moved[s]) next.push_back(s);
    while (!next.empty()) {
      const size_t at = next.back();
      next.pop_back();
      ordered.push_back(std::move(steps.steps[at]));
      next.insert(next.end(), copies[at].rbegin(), copies[at].rend());
    }
  }
  steps.steps = std::move(ordered);
}

void add_waits(Steps& steps) {
  // Nothing runs for views; without them positions are final.
  std::erase_if(steps.steps, [](const Step& step) { return step.kernel->view; });
  std::vector<int> brought_by(steps.buffers.size(), -1);  // by owner: the copy that brings it to its place
  std::vector<int> waited(UINT8_MAX + 1, -1);             // by place: the last copy that the host has waited for,
  std::vector<int> ordered(UINT8_MAX + 1, -1);            // and that its kernels have
  for (size_t s = 0; s < steps.steps.size(); ++s) {
    Step& step = steps.steps[s];
    for (int l : step.in) {
      const int copy = brought_by[static_cast<size_t>(owner_of(steps, l))];
      if (copy < 0) continue;
      const Step& brings = steps.steps[static_cast<size_t>(copy)];
      const bool to_device = brings.copy->upload;
      if (to_device && step.copy != nullptr) continue;  // copies of one queue are in order
      int& last = (to_device ? ordered : waited)[brings.place.device];
      if (copy <= last) continue;
      last = copy;
      if (to_device) {
        step.after = copy;
      } else {
        step.waits.push_back(copy);
      }
    }
    if (step.copy == nullptr) continue;
    for (int l : step.out) brought_by[static_cast<size_t>(owner_of(steps, l))] = static_cast<int>(s);
  }
}

std::vector<CopySpan> copy_spans(const Steps& steps) {
  struct Wait {
    int copy;
    int step;
  };
  std::vector<std::vector<Wait>> waits(UINT8_MAX + 1);  // by place; of both, later ones are greater
  for (size_t s = 0; s < steps.steps.size(); ++s) {
    for (int copy : steps.steps[s].waits) {
      waits[steps.steps[static_cast<size_t>(copy)].place.device].push_back({copy, static_cast<int>(s)});
    }
  }
  std::vector<CopySpan> spans(steps.steps.size());
  for (size_t s = 0; s < steps.steps.size(); ++s) {
    const Step& step = steps.steps[s];
    if (step.copy == nullptr) continue;
    const int self = static_cast<int>(s);
    const std::vector<Wait>& of_queue = waits[step.place.device];
    const auto until =
        std::lower_bound(of_queue.begin(), of_queue.end(), self, [](const Wait& w, int copy) { return w.copy < copy; });
    const auto given = std::upper_bound(of_queue.begin(), of_queue.end(), self,
                                        [](int step_given, const Wait& w) { return step_given < w.step; });
    spans[s] = {.first = given == of_queue.begin() ? 0 : std::prev(given)->copy + 1,
                .last = until == of_queue.end() ? INT_MAX : until->step};
  }
  return spans;
}

}  // namespace coracle::internal
