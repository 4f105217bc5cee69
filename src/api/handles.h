// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "coracle/coracle.h"
#include "run/session.h"

namespace coracle::internal {

/// What the interface says of a tensor. Throws Error for a tensor array.
void fill_view(const Tensor& t, coracle_tensor_view* view);
/// Copies a tensor that people know as `name` to memory that must have its size. Throws Error.
void copy_tensor(const Tensor& t, const std::string& name, void* data, size_t bytes);

}  // namespace coracle::internal

/// What is behind the opaque handles of coracle.h.
struct coracle_model {
  std::shared_ptr<const coracle::internal::RunnableModel> model;
  std::string description;
};

struct coracle_session {
  explicit coracle_session(std::shared_ptr<const coracle::internal::RunnableModel> model,
                           const coracle::internal::SessionOptions& options)
      : session(std::move(model), options) {}
  coracle::internal::Session session;
};

struct coracle_device_tensor {
  coracle::internal::Tensor tensor;
  void* stream = nullptr;     ///< that its session has; null for one of the user's, too
  bool is_read_only = false;  ///< of the user's
};

struct coracle_pool {
  std::shared_ptr<coracle::internal::Workers> workers;
};
