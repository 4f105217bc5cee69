// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "serve/http.h"
#include "serve/repository.h"

namespace coracle::serve {

/// What the server answers on its HTTP port. For any number of threads.
class Router {
 public:
  struct Options {
    bool repository_control = false;  ///< clients may load and unload models
    std::string token;                ///< what "Authorization: Bearer" must have; empty: nothing
    std::string allow_origin;         ///< for pages of other servers (CORS); empty: none
  };

  /// `repository` outlives it and all requests.
  Router(Repository& repository, Options options) : repository_(repository), options_(std::move(options)) {}

  Cancel handle(const HttpRequest& request, const Respond& respond);
  /// The server is ready from here on, if its models are.
  void set_started() { started_ = true; }
  /// From now on the server says that it is not ready; requests are still answered.
  void set_stopping() { stopping_ = true; }
  bool ready() const { return started_ && !stopping_ && repository_.ready(); }

 private:
  HttpResponse answer(const HttpRequest& request, const std::vector<std::string>& path);
  HttpResponse repository(const HttpRequest& request, const std::vector<std::string>& path);
  void change_model(const HttpRequest& request, const std::string& name, bool load, const Respond& respond);
  HttpResponse metadata(const std::string& model, const std::string& version) const;
  HttpResponse statistics(const std::string& model, const std::string& version) const;
  Cancel infer(const HttpRequest& request, const std::string& model, const std::string& version,
               const Respond& respond);
  void check_token(const HttpRequest& request) const;

  Repository& repository_;
  const Options options_;
  std::atomic<bool> started_{false};
  std::atomic<bool> stopping_{false};
};

}  // namespace coracle::serve
