// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "devices/cuda/api.h"
#include "plan/shared_device.h"

namespace coracle::internal::cuda {

class Opened;

/// What a stream was given so far, of the user's or the kernels of a queue: an event behind it.
class UserStreamPoint final : public StreamPoint {
 public:
  /// The stream is one of the device's context, and is not captured; `work` names what is waited for in messages ("a
  /// run", static). Throws Error.
  UserStreamPoint(std::shared_ptr<Opened> device, CUstream stream, const char* work = "a stream of the user's");
  ~UserStreamPoint() override;
  UserStreamPoint(const UserStreamPoint&) = delete;
  UserStreamPoint& operator=(const UserStreamPoint&) = delete;

  void wait() const override;
  bool is_done() const noexcept override;
  CUevent event() const { return event_; }
  CUstream stream() const { return stream_; }

 private:
  void require_done(CUresult code, const char* function) const;

  const std::shared_ptr<Opened> device_;
  const CUstream stream_;
  const char* const work_;
  CUevent event_ = nullptr;
};

}  // namespace coracle::internal::cuda
