// SPDX-License-Identifier: Apache-2.0
#include "serve/lod_json.h"

#include "serve/failure.h"

namespace coracle::serve {

coracle::Lod lod_of(const internal::JsonValue& levels, const std::string& where) {
  const Failure wrong(Code::kInvalidArgument, where + ": the parameter 'lod' is not a list of lists of offsets");
  if (!levels.IsArray()) throw wrong;
  coracle::Lod lod;
  for (const internal::JsonValue& level : levels.GetArray()) {
    if (!level.IsArray()) throw wrong;
    std::vector<size_t>& offsets = lod.emplace_back();
    for (const internal::JsonValue& offset : level.GetArray()) {
      if (!offset.IsUint64())
        throw Failure(Code::kInvalidArgument, where + ": the parameter 'lod' has what is not an offset");
      offsets.push_back(offset.GetUint64());
    }
  }
  return lod;
}

coracle::Lod parse_lod(const std::string& json, const std::string& where) {
  internal::JsonDocument document;
  document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
  if (document.HasParseError())
    throw Failure(Code::kInvalidArgument, where + ": the parameter 'lod' is not JSON: '" + json.substr(0, 64) + "'");
  return lod_of(document, where);
}

}  // namespace coracle::serve
