// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "devices/cuda/api.h"
#include "plan/shared_device.h"

namespace coracle::internal::cuda {

class Opened;

/// What a stream of the user's was given so far: an event behind it.
class UserStreamPoint final : public StreamPoint {
 public:
  /// The stream is one of the device's context, and is not captured. Throws Error.
  UserStreamPoint(std::shared_ptr<Opened> device, CUstream stream);
  ~UserStreamPoint() override;
  UserStreamPoint(const UserStreamPoint&) = delete;
  UserStreamPoint& operator=(const UserStreamPoint&) = delete;

  void wait() const override;
  CUevent event() const { return event_; }

 private:
  void require_done(CUresult code, const char* function) const;

  const std::shared_ptr<Opened> device_;
  CUevent event_ = nullptr;
};

}  // namespace coracle::internal::cuda
