// SPDX-License-Identifier: Apache-2.0
#include "serve/pipeline_request.h"

#include <rapidjson/error/en.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "client/base64.h"

namespace coracle::serve {
namespace {

constexpr unsigned kInvalid = 422;
constexpr size_t kMaxLogId = 256;

/// Something wrong with a request, in the words of the library that checks PaddleX's.
struct Wrong {
  std::string type;
  std::string place;
  std::string message;
};

[[noreturn]] void refuse_all(const std::vector<Wrong>& all) {
  throw PipelineFailure(kInvalid, internal::json_text([&](internal::JsonWriter& json) {
                          json.StartArray();
                          for (const Wrong& wrong : all) {
                            json.StartObject();
                            json.field("type", wrong.type);
                            json.field("loc", wrong.place);
                            json.field("msg", wrong.message);
                            json.EndObject();
                          }
                          json.EndArray();
                        }));
}

std::string place_of(const char* name) { return std::string("body.") + name; }

bool is_whole(const internal::JsonValue& value) {
  constexpr double kMost = 2e9;
  return value.IsInt() || (value.IsDouble() && std::trunc(value.GetDouble()) == value.GetDouble() &&
                           std::abs(value.GetDouble()) < kMost);
}

bool is_texts(const internal::JsonValue& value) {
  return value.IsArray() && std::all_of(value.Begin(), value.End(), [](const auto& item) { return item.IsString(); });
}

std::optional<Wrong> check_type(const PipelineField& field, const internal::JsonValue& value) {
  switch (field.type) {
    case PipelineField::Type::kText:
      if (!value.IsString()) return Wrong{"string_type", place_of(field.name), "Input should be a valid string"};
      break;
    case PipelineField::Type::kTexts:
      if (!is_texts(value)) return Wrong{"list_type", place_of(field.name), "Input should be a valid list of strings"};
      break;
    case PipelineField::Type::kFlag:
      if (!value.IsBool()) return Wrong{"bool_type", place_of(field.name), "Input should be a valid boolean"};
      break;
    case PipelineField::Type::kWhole:
      if (!is_whole(value)) return Wrong{"int_type", place_of(field.name), "Input should be a valid integer"};
      break;
    case PipelineField::Type::kNumber:
      if (!value.IsNumber()) return Wrong{"float_type", place_of(field.name), "Input should be a valid number"};
      break;
    case PipelineField::Type::kAny: break;
  }
  return std::nullopt;
}

std::optional<Wrong> check_use(const PipelineField& field, const internal::JsonValue& value) {
  const auto unsupported = [&](const std::string& what) {
    return Wrong{"unsupported", place_of(field.name), "this server " + what + "; leave the field out"};
  };
  switch (field.use) {
    case PipelineField::Use::kOnlyFalse:
      if (value.IsTrue()) return unsupported("answers as if it were false");
      break;
    case PipelineField::Use::kOnlyTrue:
      if (value.IsFalse()) return unsupported("answers as if it were true");
      break;
    case PipelineField::Use::kRefused: return unsupported("does not change its answers by it");
    default: break;
  }
  return std::nullopt;
}

constexpr unsigned kParsing = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;

std::string own_log_id(const internal::JsonDocument& object) {
  const auto found = object.FindMember("logId");
  const bool given = found != object.MemberEnd() && found->value.IsString();
  if (!given || found->value.GetStringLength() == 0 || found->value.GetStringLength() > kMaxLogId) return new_log_id();
  return {found->value.GetString(), found->value.GetStringLength()};
}

internal::JsonDocument parse_body(std::string_view body) {
  internal::JsonDocument document;
  document.Parse<kParsing>(body.data(), body.size());
  if (document.HasParseError()) {
    refuse_all({{"json_invalid", "body[" + std::to_string(document.GetErrorOffset()) + "]",
                 std::string("JSON decode error: ") + rapidjson::GetParseError_En(document.GetParseError())}});
  }
  if (!document.IsObject()) {
    refuse_all(
        {{"model_attributes_type", "body", "Input should be a valid dictionary or object to extract fields from"}});
  }
  return document;
}

}  // namespace

PipelineRequest::PipelineRequest(std::string_view body, std::span<const PipelineField> known)
    : document_(parse_body(body)) {
  std::vector<Wrong> all;
  for (const PipelineField& field : known) {
    const internal::JsonValue* const value = find(field.name);
    if (value == nullptr) {
      if (field.use == PipelineField::Use::kNeeded) {
        // Null is there, but no text; what is missing is not there at all.
        all.push_back(document_.HasMember(field.name)
                          ? Wrong{"string_type", place_of(field.name), "Input should be a valid string"}
                          : Wrong{"missing", place_of(field.name), "Field required"});
      }
      continue;
    }
    std::optional<Wrong> wrong = check_type(field, *value);
    if (!wrong) wrong = check_use(field, *value);
    if (wrong) all.push_back(std::move(*wrong));
  }
  if (!all.empty()) refuse_all(all);
}

void PipelineRequest::refuse(const char* name, const std::string& type, const std::string& message) {
  refuse_all({{type, place_of(name), message}});
}

const internal::JsonValue* PipelineRequest::find(const char* name) const {
  const auto found = document_.FindMember(name);
  return found == document_.MemberEnd() || found->value.IsNull() ? nullptr : &found->value;
}

std::string_view PipelineRequest::text(const char* name) const {
  const internal::JsonValue* const value = find(name);
  if (value == nullptr || !value->IsString()) return {};
  return {value->GetString(), value->GetStringLength()};
}

std::optional<bool> PipelineRequest::flag(const char* name) const {
  const internal::JsonValue* const value = find(name);
  return value == nullptr ? std::nullopt : std::optional(value->GetBool());
}

std::optional<int> PipelineRequest::whole(const char* name) const {
  const std::optional<double> value = number(name);
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<double> PipelineRequest::number(const char* name) const {
  const internal::JsonValue* const value = find(name);
  return value == nullptr ? std::nullopt : std::optional(value->GetDouble());
}

std::string PipelineRequest::log_id() const { return own_log_id(document_); }

HeldPicture PipelineRequest::picture(const char* name, const PictureLimits& limits, size_t copies) const {
  const std::string_view text = this->text(name);
  if (text.starts_with("http://") || text.starts_with("https://")) {
    throw PipelineFailure(kInvalid, std::string("'") + name +
                                        "' is a URL, which this server does not fetch: send the content of the file, "
                                        "in base64");
  }
  std::string bytes;
  try {
    bytes = client::from_base64(text);
  } catch (const std::invalid_argument& e) {
    throw PipelineFailure(kInvalid, std::string("Invalid input file: '") + name + "' is " + e.what());
  }
  if (bytes.starts_with("%PDF-")) {
    throw PipelineFailure(kInvalid,
                          "Invalid input file: this server does not read PDF files; send their pages as pictures "
                          "(PNG, JPEG, WebP or BMP), one in each request");
  }
  try {
    return decode_picture(name, bytes, limits, copies);
  } catch (const vision::Error& e) {
    throw PipelineFailure(kInvalid, std::string("Invalid input file: ") + e.what());
  }
}

std::string new_log_id() {
  std::random_device random;
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx";  // a UUID of version 4
  std::string id(kForm);
  for (char& c : id) {
    if (c == 'x') c = "0123456789abcdef"[random() & 15];
  }
  return id;
}

std::string log_id_of(std::string_view body) {
  internal::JsonDocument document;
  document.Parse<kParsing>(body.data(), body.size());
  return document.HasParseError() || !document.IsObject() ? new_log_id() : own_log_id(document);
}

HttpResponse pipeline_message(unsigned status, const std::string& log_id, int error_code, std::string_view message) {
  HttpResponse response = json_response(internal::json_text([&](internal::JsonWriter& json) {
    json.StartObject();
    json.field("logId", log_id);
    json.field("errorCode", error_code);
    json.field("errorMsg", message);
    json.EndObject();
  }));
  response.status = status;
  return response;
}

HttpResponse pipeline_answer(const std::string& log_id, const std::string& result) {
  return json_response(internal::json_text([&](internal::JsonWriter& json) {
    json.StartObject();
    json.field("logId", log_id);
    json.Key("result");
    json.RawValue(result.data(), result.size(), rapidjson::kObjectType);
    json.field("errorCode", 0);
    json.field("errorMsg", std::string_view("Success"));
    json.EndObject();
  }));
}

}  // namespace coracle::serve
