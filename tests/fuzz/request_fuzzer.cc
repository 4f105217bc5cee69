// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/served_model.h"
#include "serve/kserve_v1.h"
#include "serve/open_inference.h"
#include "serve/repository_operations.h"
#include "serve/router.h"

namespace coracle::serve {
namespace {

/// A server without sockets.
struct Served {
  Repository repository;
  Readiness readiness;
  RepositoryOperations operations;
  Router router;

  Served()
      : repository(options()),
        operations(repository, readiness, /*control=*/false),
        router(services(), {.token = {}, .allow_origin = "http://a"}) {
    repository.load_all();
    readiness.started = true;
  }
  static Repository::Options options() {
    Repository::Options options;
    options.models.emplace_back("m", test::model_folder());
    options.defaults.instances = 1;
    return options;
  }
  std::vector<std::unique_ptr<Service>> services() {
    std::vector<std::unique_ptr<Service>> services;
    services.push_back(std::make_unique<OpenInference>(operations));
    services.push_back(std::make_unique<KServeV1>(repository, readiness));
    return services;
  }
};

std::string_view until(std::string_view& text, char end) {
  const size_t at = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

/// "METHOD path?query", lines "name:value", an empty line, the body.
HttpRequest request_of_text(std::string_view text) {
  HttpRequest request;
  std::string_view line = until(text, '\n');
  request.method = until(line, ' ');
  request.path = until(line, '?');
  request.query = line;
  while (!(line = until(text, '\n')).empty()) {
    const std::string_view name = until(line, ':');
    request.headers.emplace_back(name, line);
  }
  request.body = std::make_shared<const std::string>(text);
  request.peer = "fuzz";
  return request;
}

}  // namespace
}  // namespace coracle::serve

// Any bytes as a request to the server: one response, which is not of an internal error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::serve;
  static Served served;
  const auto status = std::make_shared<std::promise<unsigned>>();  // which the thread that answers keeps
  served.router.handle(request_of_text({reinterpret_cast<const char*>(data), size}),
                       [status](const HttpResponse& response) { status->set_value(response.status); });
  const unsigned answered = status->get_future().get();
  if (answered < 200 || answered >= 600 || answered == 500) std::abort();
  return 0;
}
