// SPDX-License-Identifier: Apache-2.0
#include <rapidjson/error/en.h>

#include <charconv>

#include "cli/failure.h"
#include "cli/input/data_file.h"
#include "cli/input/element.h"
#include "cli/json.h"

namespace coracle::cli {
namespace {

/// Integers as they are, all others as real ones.
struct Number {
  bool whole = false;
  int64_t i = 0;
  double d = 0;
};

/// Collects lists of lists of numbers, and the names of an object around them.
class Handler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Handler> {
 public:
  /// The member `name` of an object is taken, or what stands there without an object.
  explicit Handler(std::string name) : name_(std::move(name)) {}

  bool Default() { return !taken() || fail("it contains something that is not a number"); }
  bool Bool(bool b) { return number({true, b ? 1 : 0, 0}); }
  /// A number as it is written: whole ones are kept exactly.
  bool RawNumber(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    const char* const end = text + length;
    Number n;
    const auto [whole_end, whole_error] = std::from_chars(text, end, n.i);
    if (whole_end == end && whole_error == std::errc()) {
      n.whole = true;
      return number(n);
    }
    const auto [real_end, real_error] = std::from_chars(text, end, n.d);
    if (real_end != end || real_error != std::errc()) return fail("a number that float64 does not hold");
    return number(n);
  }

  bool StartObject() {
    if (in_object_ || depth_ > 0 || found_) return fail("it has an object within another value");
    in_object_ = true;
    return true;
  }
  bool Key(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    names.emplace_back(text, length);
    taken_ = names.back() == name_;
    if (taken_ && found_) return fail("it has '" + name_ + "' twice");
    return true;
  }
  bool EndObject(rapidjson::SizeType /*members*/) { return true; }
  bool StartArray() {
    if (!begin()) return false;
    if (++depth_ > CORACLE_MAX_RANK) return fail("its lists are too deep");
    if (!taken()) return true;
    if (dims.size() < depth_) {
      if (!values.empty() || closed_) return fail("its lists are not equally deep");
      dims.push_back(-1);
    }
    counts_.push_back(0);
    return true;
  }
  bool EndArray(rapidjson::SizeType /*elements*/) {
    --depth_;
    if (!taken()) return true;
    closed_ = true;
    const int64_t count = counts_.back();
    counts_.pop_back();
    int64_t& dim = dims[depth_];
    if (dim >= 0 && dim != count) {
      return fail("its lists are not equally long: " + std::to_string(dim) + " and " + std::to_string(count));
    }
    dim = count;
    return true;
  }

  bool found() const { return found_; }

  api::Dims dims;
  std::vector<Number> values;
  std::vector<std::string> names;
  std::string why;

 private:
  bool taken() const { return !in_object_ || taken_; }
  bool fail(const std::string& reason) {
    why = reason;
    return false;
  }
  /// Before each value.
  bool begin() {
    if (!taken()) return true;
    found_ = true;
    if (!counts_.empty()) ++counts_.back();
    return true;
  }
  bool number(const Number& v) {
    begin();
    if (!taken()) return true;
    if (dims.size() != depth_) return fail("its lists are not equally deep");
    values.push_back(v);
    return true;
  }

  std::string name_;
  bool in_object_ = false;
  bool taken_ = false;
  bool found_ = false;
  bool closed_ = false;
  size_t depth_ = 0;
  std::vector<int64_t> counts_;  ///< of values in the lists that are open
};

/// Reads without recursion: lists may be as deep as the file is long.
bool read(const std::string& content, Handler& handler, rapidjson::ParseResult* result) {
  JsonReader reader;
  rapidjson::MemoryStream stream(content.data(), content.size());
  constexpr auto kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNanAndInfFlag |
                          rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag;
  *result = reader.Parse<kFlags>(stream, handler);
  return !result->IsError();
}

}  // namespace

std::vector<std::string> json_names(const std::string& content) {
  Handler handler("");
  rapidjson::ParseResult result;
  read(content, handler, &result);
  return handler.names;
}

Array parse_json(const std::string& path, const std::string& content, coracle_dtype dtype, const std::string& name) {
  Handler handler(name);
  rapidjson::ParseResult result;
  if (!read(content, handler, &result)) {
    const std::string why = handler.why.empty() ? std::string(rapidjson::GetParseError_En(result.Code())) : handler.why;
    throw Failure(ExitCode::kIo,
                  path + ": not JSON this program reads, near byte " + std::to_string(result.Offset()) + ": " + why);
  }
  if (!handler.found()) {
    std::string names;
    for (const std::string& n : handler.names) names.append(names.empty() ? "" : ", ").append(n);
    throw Failure(ExitCode::kUsage, path + ": there is nothing called '" + name + "' in it; it has: " + names);
  }
  Array a = make_array(dtype, handler.dims);
  for (size_t i = 0; i < handler.values.size(); ++i) {
    const Number& v = handler.values[i];
    if (v.whole ? put_whole(a, i, v.i) : put_number(a, i, v.d)) continue;
    throw Failure(ExitCode::kUsage, path + ": number " + std::to_string(i) + " is no " + coracle_dtype_name(dtype));
  }
  return a;
}

}  // namespace coracle::cli
