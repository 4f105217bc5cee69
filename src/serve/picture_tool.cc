// SPDX-License-Identifier: Apache-2.0
#include "serve/picture_tool.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace coracle::serve {
namespace {

bool are(const std::vector<std::weak_ptr<ServedModel>>& used, const Models& models) {
  return std::equal(used.begin(), used.end(), models.begin(), models.end(),
                    [](const auto& weak, const auto& model) { return weak.lock() == model; });
}

}  // namespace

PictureTools::Tool PictureTools::take(const Models& models, const std::string& kind, const Make& make) {
  {
    const std::lock_guard lock(mutex_);
    for (auto tool = idle_.begin(); tool != idle_.end(); ++tool) {
      if (tool->kind != kind || !are(tool->models, models)) continue;
      Tool taken = std::move(*tool);
      idle_.erase(tool);
      return taken;
    }
  }
  Tool made;
  made.kind = kind;
  made.models.assign(models.begin(), models.end());
  made.settings = std::make_shared<RunSettings>();
  made.tool = make(open_served(models, made.settings));
  return made;
}

void PictureTools::give_back(Tool tool) {
  std::list<Tool> unused;  // ends after the lock
  const std::lock_guard lock(mutex_);
  idle_.push_front(std::move(tool));
  for (auto each = idle_.begin(); each != idle_.end();) {
    const auto next = std::next(each);
    const bool gone = std::any_of(each->models.begin(), each->models.end(), [](const auto& m) { return m.expired(); });
    if (gone) unused.splice(unused.end(), idle_, each);
    each = next;
  }
  if (idle_.size() > most_) unused.splice(unused.end(), idle_, std::prev(idle_.end()));
}

}  // namespace coracle::serve
