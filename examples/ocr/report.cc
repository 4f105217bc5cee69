// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <algorithm>
#include <cstdio>

namespace ocr {

using coracle::vision::Point;
using coracle::vision::TextLine;

namespace {

std::string fixed(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return buffer;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      result += escape;
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result + '"';
}

// The characters of UTF-8 text as columns of a terminal: wide ones (from U+1100 on, roughly East Asian) take two.
std::size_t columns(const std::string& text) {
  std::size_t count = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) count += byte >= 0xE2 ? 2 : 1;
  }
  return count;
}

std::string corners(const std::array<Point, 4>& box, const char* open, const char* close) {
  std::string result;
  for (const Point& corner : box) {
    if (!result.empty()) result += ", ";
    result += open + std::to_string(corner.x) + ", " + std::to_string(corner.y) + close;
  }
  return result;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string to_text(const Result& result) {
  std::string text = result.path + ": " + std::to_string(result.width) + " x " + std::to_string(result.height) +
                     " pixels, " + std::to_string(result.lines.size()) +
                     (result.lines.size() == 1 ? " line\n" : " lines\n");
  std::size_t widest = 0;
  for (const TextLine& line : result.lines) widest = std::max(widest, columns(line.text));
  for (std::size_t i = 0; i < result.lines.size(); ++i) {
    const TextLine& line = result.lines[i];
    const std::string number = std::to_string(i + 1);
    text += std::string(number.size() < 3 ? 3 - number.size() : 0, ' ') + number + "  " + fixed(line.score, 3) + "  " +
            line.text + std::string(widest - columns(line.text) + 2, ' ') + corners(line.corners, "(", ")") + '\n';
  }
  return text;
}

std::string to_json(const Result& result) {
  std::string json = "{\"image\": " + quoted(result.path) + ", \"width\": " + std::to_string(result.width) +
                     ", \"height\": " + std::to_string(result.height) + ", \"first_ms\": " + fixed(result.first_ms, 3) +
                     ", \"later_ms\": [";
  for (std::size_t i = 0; i < result.later_ms.size(); ++i) json += (i == 0 ? "" : ", ") + fixed(result.later_ms[i], 3);
  json += "], \"lines\": [";
  for (std::size_t i = 0; i < result.lines.size(); ++i) {
    const TextLine& line = result.lines[i];
    json += (i == 0 ? "\n" : ",\n") + ("  {\"box\": [" + corners(line.corners, "[", "]")) +
            "], \"text\": " + quoted(line.text) + ", \"score\": " + fixed(line.score, 6) + "}";
  }
  return json + "]}";
}

}  // namespace ocr
