// SPDX-License-Identifier: Apache-2.0
#include "vision/cancellation.h"

#include <coracle/coracle.hpp>

namespace coracle::vision {
namespace {

/// Of the scope that this thread is in.
thread_local Cancellation* current = nullptr;

}  // namespace

Cancellation::Scope::Scope(Cancellation& cancellation) {
  const std::lock_guard lock(cancellation.mutex_);
  cancellation.is_active_ = true;
  cancellation.is_cancelled_ = false;
  current = &cancellation;
}

Cancellation::Scope::~Scope() {
  const std::lock_guard lock(current->mutex_);
  current->is_active_ = false;
  current = nullptr;
}

Cancellation::Run::Run(coracle_session* session) : cancellation_(current) {
  if (cancellation_ == nullptr) return;
  const std::lock_guard lock(cancellation_->mutex_);
  if (cancellation_->is_cancelled_) throw api::Exception(CORACLE_CANCELLED, "cancelled between the runs of two models");
  cancellation_->session_ = session;
}

Cancellation::Run::~Run() {
  if (cancellation_ == nullptr) return;
  const std::lock_guard lock(cancellation_->mutex_);
  cancellation_->session_ = nullptr;
}

void Cancellation::cancel() {
  const std::lock_guard lock(mutex_);
  if (!is_active_) return;
  is_cancelled_ = true;
  if (session_ != nullptr) coracle_session_cancel(session_);
}

}  // namespace coracle::vision
