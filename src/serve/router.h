// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "serve/service.h"

namespace coracle::serve {

/// Gives requests to the services whose paths they ask for, after a check of the token. For any number of threads.
class Router {
 public:
  struct Options {
    std::string token;         ///< what "Authorization: Bearer" must have; empty: nothing
    std::string allow_origin;  ///< for pages of other servers (CORS); empty: none
  };

  Router(std::vector<std::unique_ptr<Service>> services, Options options)
      : services_(std::move(services)), options_(std::move(options)) {}

  Cancel handle(const HttpRequest& request, const Respond& respond);

 private:
  Cancel dispatch(const HttpRequest& request, const Respond& respond);

  const std::vector<std::unique_ptr<Service>> services_;
  const Options options_;
};

}  // namespace coracle::serve
