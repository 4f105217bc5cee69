// SPDX-License-Identifier: Apache-2.0
// Requests to PaddleX's pipelines, and answers to them, as its clients write and read them.
#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/json.h"
#include "serve/http.h"
#include "serve/picture_memory.h"

namespace coracle::serve {

/// What ends the work on such a request, with the status of HTTP that is also its errorCode.
class PipelineFailure : public std::runtime_error {
 public:
  PipelineFailure(unsigned status, const std::string& message) : std::runtime_error(message), status_(status) {}
  unsigned status() const noexcept { return status_; }

 private:
  unsigned status_;
};

/// A field that requests may have.
struct PipelineField {
  enum class Type : uint8_t { kText, kTexts, kFlag, kWhole, kNumber, kAny };
  enum class Use : uint8_t {
    kTaken,
    kNeeded,
    kOnlyFalse,  ///< answers would have to change for another value, which they cannot
    kOnlyTrue,
    kRefused,  ///< likewise for any value
  };
  const char* name;
  Type type;
  Use use = Use::kTaken;
};

/// The fields of a request. Those that are null are as if they were not there; what the pipeline does not know is
/// ignored, as PaddleX ignores it.
class PipelineRequest {
 public:
  /// Throws PipelineFailure (422), whose message is a list of all that is wrong: type, loc and msg of each.
  PipelineRequest(std::string_view body, std::span<const PipelineField> known);

  std::string_view text(const char* name) const;  ///< empty where there is none
  std::optional<bool> flag(const char* name) const;
  std::optional<int> whole(const char* name) const;
  std::optional<double> number(const char* name) const;
  const internal::JsonValue* find(const char* name) const;  ///< null where there is none

  std::string log_id() const;  ///< its own, or a new one

  /// The picture of a field in base64, of which so many `copies` are made. Throws PipelineFailure (422), and Failure
  /// for one that is too large or for which there is not the memory now.
  HeldPicture picture(const char* name, const PictureLimits& limits, size_t copies = 0) const;

  /// Throws PipelineFailure (422) for what is wrong with a field.
  [[noreturn]] static void refuse(const char* name, const std::string& type, const std::string& message);

 private:
  internal::JsonDocument document_;
};

/// A new name for a request.
std::string new_log_id();
/// The one that a request gives itself; a new one where it has none.
std::string log_id_of(std::string_view body);

/// {"logId", "errorCode", "errorMsg"}.
HttpResponse pipeline_message(unsigned status, const std::string& log_id, int error_code, std::string_view message);

/// The same with "result", an object of JSON.
HttpResponse pipeline_answer(const std::string& log_id, const std::string& result);

}  // namespace coracle::serve
