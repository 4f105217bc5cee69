// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>

namespace coracle_xnnpack {

/// What compiled blocks of the process share by a key: it lives while one of them has it. Keys name addresses of
/// constants; a thing goes with the last block that promises these, before they can become those of others.
template <class Key, class Thing>
class Shared {
 public:
  /// What is there for the key, else what `make` gives as std::unique_ptr<Thing>; `made` says which.
  template <class Make>
  std::shared_ptr<Thing> get(const Key& key, bool& made, const Make& make) {
    const std::lock_guard lock(mutex_);
    const auto found = things_.find(key);
    std::shared_ptr<Thing> thing = found == things_.end() ? nullptr : found->second.lock();
    made = thing == nullptr;
    if (!made) return thing;
    std::erase_if(things_, [](const auto& entry) { return entry.second.expired(); });
    thing = std::shared_ptr<Thing>(make());
    things_[key] = thing;
    return thing;
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::weak_ptr<Thing>> things_;
};

}  // namespace coracle_xnnpack
