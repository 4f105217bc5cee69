// SPDX-License-Identifier: Apache-2.0
#include "serve/picture_request.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "coracle/coracle.h"

namespace coracle::serve {
namespace {

constexpr size_t kMaxPictures = 64;
constexpr size_t kMaxBoundary = 70;  // RFC 2046
constexpr size_t kMaxPartHeader = 8 << 10;

[[noreturn]] void refuse_pictures(const std::string& message) { throw Failure(Code::kInvalidArgument, message); }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// In UTF-8 without control characters.
std::string clean_text(const std::string& text) {
  coracle_set_last_error(text.c_str());  // which makes it so
  return coracle_last_error();
}

/// The value of a parameter of a header: of `name` in 'form-data; name="a"; filename="b"'. Nothing without it.
std::optional<std::string> header_parameter(std::string_view header, std::string_view name) {
  size_t at = header.find(';');
  while (at != std::string_view::npos) {
    header.remove_prefix(at + 1);
    const size_t equals = header.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const bool wanted = lower(trimmed(header.substr(0, equals))) == name;
    header = trimmed(header.substr(equals + 1));
    std::string value;
    size_t end = 0;
    if (header.starts_with('"')) {
      for (end = 1; end < header.size() && header[end] != '"'; ++end) {
        if (header[end] == '\\' && end + 1 < header.size()) ++end;
        value += header[end];
      }
    } else {
      end = std::min(header.find(';'), header.size());
      value = trimmed(header.substr(0, end));
    }
    if (wanted) return value;
    at = header.find(';', end);
  }
  return std::nullopt;
}

/// The name of a part by its head: that of a file, or of the field.
std::string name_of_part(std::string_view head) {
  while (!head.empty()) {
    const size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || lower(trimmed(line.substr(0, colon))) != "content-disposition") continue;
    for (const char* name : {"filename", "name"}) {
      if (const std::optional<std::string> value = header_parameter(line.substr(colon + 1), name);
          value && !value->empty())
        return clean_text(*value);
    }
  }
  return "picture";
}

template <class T>
T query_number(std::string_view name, std::string_view text, T least, T most) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= least && value <= most)) {
    refuse_pictures("the query's " + std::string(name) + " is '" + clean_text(std::string(text.substr(0, 32))) +
                    "', expected a number from " + std::to_string(static_cast<int64_t>(least)) + " to " +
                    std::to_string(static_cast<int64_t>(most)));
  }
  return value;
}

void read_query(std::string_view query, PictureRequest& asked) {
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view name = pair.substr(0, equals);
    const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
    if (name == "topk") {
      asked.topk = query_number<int>(name, value, 1, 1'000'000);
    } else if (name == "threshold") {
      asked.threshold = query_number<float>(name, value, 0, 1);
    } else if (name == "task") {
      asked.task = clean_text(std::string(value));
    } else if (name == "draw") {
      asked.draw = query_number<int>(name, value, 0, 1) == 1;
    } else if (name == "priority") {
      asked.priority = query_number<uint32_t>(name, value, 0, UINT32_MAX);
    } else if (name == "timeout") {
      asked.timeout_us = query_number<int64_t>(name, value, 0, int64_t{1} << 53);
    } else {
      refuse_pictures("the query has '" + clean_text(std::string(name.substr(0, 32))) +
                      "'; known are topk, threshold, task, draw, priority and timeout");
    }
  }
}

}  // namespace

std::vector<PicturePart> multipart_parts(std::string_view body, std::string_view content_type, size_t most) {
  const std::optional<std::string> boundary = header_parameter(content_type, "boundary");
  if (!boundary || boundary->empty() || boundary->size() > kMaxBoundary)
    refuse_pictures("multipart/form-data has no boundary of 1 to 70 characters in its Content-Type");
  const std::string delimiter = "\r\n--" + *boundary;
  std::vector<PicturePart> parts;
  // What stands before the first delimiter is nobody's; that one may be the beginning of the body.
  const size_t first = body.starts_with(delimiter.substr(2)) ? 0 : body.find(delimiter);
  if (first == std::string_view::npos)
    refuse_pictures("the multipart body does not have its boundary '" + clean_text(*boundary) + "'");
  body.remove_prefix(first + delimiter.size() - (first == 0 && !body.starts_with('\r') ? 2 : 0));
  while (!body.starts_with("--")) {
    const size_t line = body.find_first_not_of(" \t");
    if (line == std::string_view::npos || body.substr(line, 2) != "\r\n")
      refuse_pictures("the multipart body ends within a part");
    body.remove_prefix(line);
    // The head may be empty; its last line ends where the empty one begins.
    const size_t head = body.substr(0, kMaxPartHeader).find("\r\n\r\n");
    if (head == std::string_view::npos)
      refuse_pictures("a part of the multipart body has no end of its head within 8 KiB");
    const std::string_view content = body.substr(head + 4);
    const size_t end = body.find(delimiter, head + 2);
    if (end == std::string_view::npos) refuse_pictures("the multipart body ends within a part");
    if (parts.size() == most)
      throw Failure(Code::kTooLarge, "a request has at most " + std::to_string(most) + " pictures");
    parts.push_back({name_of_part(body.substr(2, std::max<size_t>(head, 2) - 2)),
                     content.substr(0, end < head + 4 ? 0 : end - head - 4)});
    body.remove_prefix(end + delimiter.size());
  }
  return parts;
}

PictureRequest parse_picture_request(const HttpRequest& request) {
  PictureRequest asked;
  read_query(request.query, asked);
  if (trimmed(std::string_view(request.header("Accept"))) == "image/png") asked.draw = true;
  const std::string_view type = request.header("Content-Type");
  const std::string kind = lower(trimmed(type.substr(0, type.find(';'))));
  if (kind == "multipart/form-data") {
    asked.pictures = multipart_parts(*request.body, type, kMaxPictures);
    asked.list = true;
  } else if (kind.empty() || kind == "application/octet-stream" || kind.starts_with("image/")) {
    asked.pictures.push_back({"picture", *request.body});
  } else {
    refuse_pictures(
        "the Content-Type is '" + clean_text(kind.substr(0, 64)) +
        "', expected image/jpeg, image/png, image/webp, image/bmp, application/octet-stream or multipart/form-data");
  }
  if (asked.pictures.empty() || asked.pictures.front().content.empty()) refuse_pictures("the request has no picture");
  if (asked.draw && asked.pictures.size() > 1) refuse_pictures("one picture at a time is answered with a drawing");
  return asked;
}

}  // namespace coracle::serve
