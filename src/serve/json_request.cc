// SPDX-License-Identifier: Apache-2.0
#include "serve/json_request.h"

#include <rapidjson/error/en.h>

#include <string>

#include "serve/failure.h"

namespace coracle::serve {

internal::JsonDocument parse_object(std::string_view json) {
  internal::JsonDocument document;
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseNanAndInfFlag>(json.data(), json.size());
  if (document.HasParseError()) {
    throw Failure(Code::kInvalidArgument, std::string("the request is not JSON: ") +
                                              rapidjson::GetParseError_En(document.GetParseError()) + " at byte " +
                                              std::to_string(document.GetErrorOffset()));
  }
  if (!document.IsObject()) throw Failure(Code::kInvalidArgument, "the request is JSON but no object");
  return document;
}

}  // namespace coracle::serve
