// SPDX-License-Identifier: Apache-2.0
#include "plan/waits.h"

#include <algorithm>
#include <climits>

#include "plan/placement.h"

namespace coracle {

void add_waits(Steps& steps) {
  // Nothing runs for views; without them positions are final.
  std::erase_if(steps.steps, [](const Step& step) { return step.kernel->view; });
  std::vector<int> brought_by(steps.locals.size(), -1);  // by owner: the copy that brings it to the host
  std::vector<int> waited(UINT8_MAX + 1, -1);            // by place: the last copy that was waited for
  for (size_t s = 0; s < steps.steps.size(); ++s) {
    Step& step = steps.steps[s];
    if (step.copy != nullptr && !step.copy->upload) {
      for (int l : step.out) brought_by[static_cast<size_t>(owner_of(steps, l))] = static_cast<int>(s);
      continue;
    }
    for (int l : step.in) {
      const int copy = brought_by[static_cast<size_t>(owner_of(steps, l))];
      if (copy < 0) continue;
      int& last = waited[steps.steps[static_cast<size_t>(copy)].place.device];
      if (copy <= last) continue;
      step.waits.push_back(copy);
      last = copy;
    }
  }
}

std::vector<int> host_memory_free_at(const Steps& steps) {
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
  std::vector<int> free_at(steps.steps.size(), 0);
  for (size_t s = 0; s < steps.steps.size(); ++s) {
    const Step& step = steps.steps[s];
    if (step.copy == nullptr) continue;
    const std::vector<Wait>& of_queue = waits[step.place.device];
    const auto first = std::lower_bound(of_queue.begin(), of_queue.end(), static_cast<int>(s),
                                        [](const Wait& w, int copy) { return w.copy < copy; });
    free_at[s] = first == of_queue.end() ? INT_MAX : first->step;
  }
  return free_at;
}

}  // namespace coracle
