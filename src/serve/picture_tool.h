// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "coracle/vision/image.h"
#include "serve/served_runner.h"

namespace coracle::serve {

/// What is answered to a picture: members of a JSON object, or a picture.
struct PictureAnswer {
  std::string json;
  vision::Image drawing;
  MemoryBudget::Share share = {};  ///< of the drawing
};

/// Answers pictures with models that are served; for one thread at a time.
class PictureTool {
 public:
  virtual ~PictureTool() = default;
  /// `draw`: the answer is a drawing. Throws Failure, vision::Error, coracle::Exception.
  virtual PictureAnswer answer(const std::string& name, const vision::Image& image, bool draw,
                               const std::atomic<uint32_t>* cancelled) = 0;
};

/// Tools that nobody uses now, for the next request of their kind: making one reads the model's description. Those of
/// models that were unloaded or replaced are thrown away. For any number of threads.
class PictureTools {
 public:
  struct Tool {
    std::string kind;  ///< options: what tools of one kind share, besides their models
    std::vector<std::weak_ptr<ServedModel>> models;
    std::shared_ptr<RunSettings> settings;
    std::unique_ptr<PictureTool> tool;
  };
  /// Makes the tool for models whose runs have these settings.
  using Make = std::function<std::unique_ptr<PictureTool>(const vision::OpenModel& open)>;

  explicit PictureTools(size_t most) : most_(most) {}

  Tool take(const Models& models, const std::string& kind, const Make& make);
  void give_back(Tool tool);

 private:
  const size_t most_;
  std::mutex mutex_;
  std::list<Tool> idle_;  // the one that was used last first
};

}  // namespace coracle::serve
