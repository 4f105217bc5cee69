// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "serve/repository.h"
#include "serve/service.h"
#include "serve/text_reader_models.h"

namespace coracle::serve {

struct PictureOptions {
  int workers = 0;           ///< threads that prepare pictures and wait for models; 0: processors and 16
  size_t max_waiting = 256;  ///< pictures that wait for one of these
  int64_t max_pixels = int64_t{64} << 20;
  std::vector<TextReaderModels> readers;  ///< beside those of the repository
};

/// POST /v2/models/NAME[/versions/VERSION]/predict: what pictures show, by a model or a text reader. `repository`
/// outlives it.
std::unique_ptr<Service> picture_service(Repository& repository, const PictureOptions& options);

}  // namespace coracle::serve
