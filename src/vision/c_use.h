// SPDX-License-Identifier: Apache-2.0
// Handles of the C interface that do something: for one thread at a time, which others may end.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/cancellation.h"
#include "vision/c_interface.h"

namespace coracle::vision {

/// Who uses a handle, and how others end it.
class Use {
 public:
  /// Runs f(cancelled) for this thread alone; `cancel` sets the lowest bit of `cancelled` meanwhile.
  template <class F>
  void alone(const char* what, const F& f) {
    if (in_use_.test_and_set()) {
      refuse(std::string("another thread is using this ") + what + "; it belongs to one at a time, make one for each");
    }
    const std::unique_ptr<std::atomic_flag, void (*)(std::atomic_flag*)> end(&in_use_,
                                                                             [](std::atomic_flag* a) { a->clear(); });
    const internal::Cancellation::Scope scope(cancellation_);
    f(&cancellation_.state());
  }
  void cancel() { cancellation_.cancel(); }

 private:
  std::atomic_flag in_use_ = ATOMIC_FLAG_INIT;
  internal::Cancellation cancellation_;
};

/// What a handle of a reader of text or documents holds.
template <class R>
struct ReaderInUse {
  template <class Files>
  ReaderInUse(const Files& files, int threads, float least) : reader(files, threads), min_score(least) {}

  /// What it reads in the picture, for this thread alone.
  auto read(const char* what, const Image& image) {
    decltype(reader.read(image, 0)) found;
    use.alone(what, [&](const std::atomic<std::uint32_t>* cancelled) {
      found = reader.read(image, static_cast<double>(min_score), cancelled);
    });
    return found;
  }

  R reader;
  float min_score;
  Use use;
};

}  // namespace coracle::vision
