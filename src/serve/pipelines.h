// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "serve/pipeline.h"
#include "serve/service.h"

namespace coracle::serve {

/// The interface of PaddleX's and PaddleOCR's servers, for the pipelines that were opened: POST /ocr and so on, and
/// GET /health. Threads of its own answer, each with the pipelines' models for itself.
class Pipelines : public Service {
 public:
  struct Options {
    std::vector<PipelineConfig> pipelines;
    int workers = 2;
    size_t max_queue_size = 64;  ///< requests that wait
  };

  /// Throws what models throw that cannot be loaded, and Failure.
  explicit Pipelines(const Options& options);
  ~Pipelines() override;
  Pipelines(const Pipelines&) = delete;
  Pipelines& operator=(const Pipelines&) = delete;

  std::optional<Cancel> handle(const HttpRequest& request, const Path& path, const Respond& respond) override;
  bool open_to_all(const Path& path) const override;

 private:
  struct Job {
    size_t pipeline;
    std::shared_ptr<const std::string> body;
    Respond respond;
    std::shared_ptr<std::atomic<uint32_t>> cancelled;
  };
  using Opened = std::vector<std::unique_ptr<Pipeline>>;

  void work(Opened& pipelines);

  std::vector<std::string> paths_;  ///< of the pipelines
  const size_t max_queue_size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool ending_ = false;
  std::vector<Opened> opened_;  ///< one for each worker
  std::vector<std::thread> workers_;
};

}  // namespace coracle::serve
