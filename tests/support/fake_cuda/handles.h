// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>

namespace coracle::internal::fake_cuda {

/// What a program knows by pointers to nothing. None is given twice, so those of things that are gone are known.
template <class Handle, class T>
class Handles {
 public:
  Handle add(std::shared_ptr<T> thing) {
    static uintptr_t last = 0;
    last += 16;
    things_[last] = std::move(thing);
    return reinterpret_cast<Handle>(last);
  }
  /// Null where there is none.
  std::shared_ptr<T> find(Handle handle) const {
    const auto it = things_.find(reinterpret_cast<uintptr_t>(handle));
    return it == things_.end() ? nullptr : it->second;
  }
  std::shared_ptr<T> remove(Handle handle) {
    std::shared_ptr<T> thing = find(handle);
    things_.erase(reinterpret_cast<uintptr_t>(handle));
    return thing;
  }
  size_t count() const { return things_.size(); }
  void clear() { things_.clear(); }

 private:
  std::map<uintptr_t, std::shared_ptr<T>> things_;
};

}  // namespace coracle::internal::fake_cuda
