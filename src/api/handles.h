// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "loading/model.h"
#include "run/session.h"

/// What is behind the opaque handles of coracle.h.
struct coracle_model {
  std::shared_ptr<const coracle::Model> model;
  std::string description;
};

struct coracle_session {
  explicit coracle_session(std::shared_ptr<const coracle::RunnableModel> model, const coracle::SessionOptions& options)
      : session(std::move(model), options) {}
  coracle::Session session;
};

struct coracle_pool {
  std::shared_ptr<coracle::Workers> workers;
};
