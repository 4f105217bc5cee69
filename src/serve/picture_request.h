// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http.h"

namespace coracle::serve {

/// A file of a picture within the body of a request.
struct PicturePart {
  std::string name;  ///< UTF-8
  std::string_view content;
};

/// What a request wants to know of pictures.
struct PictureRequest {
  std::vector<PicturePart> pictures;  ///< at least one; their content is in the request's body
  bool list = false;                  ///< there may be several, so that the answer is a list
  bool draw = false;                  ///< the answer is the picture with what was found
  std::string task;                   ///< for a model without a description; empty: none is given
  std::optional<int> topk;
  std::optional<float> threshold;
  uint32_t priority = 0;
  int64_t timeout_us = 0;  ///< 0: none
};

/// A body that is one picture or multipart/form-data with some, and options in the query. Throws Failure.
PictureRequest parse_picture_request(const HttpRequest& request);

/// The parts of a body of multipart/form-data (RFC 7578), at most `most`. Throws Failure.
std::vector<PicturePart> multipart_parts(std::string_view body, std::string_view content_type, size_t most);

}  // namespace coracle::serve
