// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <algorithm>
#include <cstdio>

#include "coracle/coracle.h"

namespace ocr {

using coracle::vision::Document;
using coracle::vision::Object;
using coracle::vision::Point;
using coracle::vision::Seal;
using coracle::vision::Table;
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

std::string shown(const coracle::pictures::Place& place) {
  return printable(place.name()) + (place.frame ? " (" + fixed(place.time, 2) + " s)" : "");
}

std::string place_members(const coracle::pictures::Place& place) {
  std::string members = "\"image\": " + quoted(printable(place.file));
  if (place.page) members += ", \"page\": " + std::to_string(*place.page);
  if (place.frame) members += ", \"frame\": " + std::to_string(*place.frame) + ", \"time\": " + fixed(place.time, 6);
  return members;
}

// A field of CSV (RFC 4180).
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result.append(c == '"' ? "\"\"" : std::string(1, c));
  return result + "\"";
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

template <class Points>
std::string corners(const Points& box, const char* open, const char* close) {
  std::string result;
  for (const Point& corner : box) {
    if (!result.empty()) result += ", ";
    result += open + std::to_string(corner.x) + ", " + std::to_string(corner.y) + close;
  }
  return result;
}

std::string sides(const std::array<float, 4>& box) {
  std::string result;
  for (const float side : box) result += (result.empty() ? "" : ", ") + fixed(static_cast<double>(side), 1);
  return result;
}

std::string numbered(std::size_t index) {
  const std::string number = std::to_string(index + 1);
  return std::string(number.size() < 3 ? 3 - number.size() : 0, ' ') + number;
}

template <class Items, class Write>
std::string list(const Items& items, Write write) {
  std::string json = "[";
  for (const auto& item : items) json += (json.size() == 1 ? "\n  " : ",\n  ") + write(item);
  return json + "]";
}

}  // namespace

std::string printable(const std::string& text) {
  coracle_set_last_error(text.c_str());
  return coracle_last_error();
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string models(std::size_t count) {
  constexpr const char* kWords[] = {"no", "one", "two", "three", "four", "five", "six", "seven"};
  return (count < 8 ? kWords[count] : std::to_string(count)) + (count == 1 ? " model" : " models");
}

std::string to_text(const Result& result) {
  const Document& d = result.document;
  std::string text = shown(result.place) + ": " + std::to_string(d.page.width) + " x " + std::to_string(d.page.height) +
                     " pixels, " + std::to_string(d.lines.size()) + (d.lines.size() == 1 ? " line" : " lines");
  if (d.turned != 0) text += ", turned by " + std::to_string(d.turned) + " degrees";
  text += '\n';
  std::size_t widest = 0;
  for (const TextLine& line : d.lines) widest = std::max(widest, columns(line.text));
  for (std::size_t i = 0; i < d.lines.size(); ++i) {
    const TextLine& line = d.lines[i];
    text += numbered(i) + "  " + fixed(line.score, 3) + "  " + line.text +
            std::string(widest - columns(line.text) + 2, ' ') + corners(line.corners, "(", ")") + '\n';
  }
  if (!d.regions.empty()) text += "regions in the order of reading:\n";
  for (std::size_t i = 0; i < d.regions.size(); ++i) {
    const Object& o = d.regions[i];
    text += numbered(i) + "  " + fixed(static_cast<double>(o.score), 3) + "  " + o.name + "  " +
            sides({o.left, o.top, o.right, o.bottom}) + '\n';
  }
  for (const Table& table : d.tables) {
    text += "table " + sides(table.box) + ", " + std::to_string(table.cells.size()) + " cells, " +
            fixed(static_cast<double>(table.score), 3) + "\n  " + table.html + '\n';
  }
  for (const Seal& seal : d.seals) {
    text += "seal " + sides(seal.box) + '\n';
    for (const TextLine& line : seal.lines) text += "  " + fixed(line.score, 3) + "  " + line.text + '\n';
  }
  return text;
}

std::string to_times(const Result& result) {
  std::string text = "first run " + fixed(result.first_ms, 1) + " ms";
  if (!result.later_ms.empty()) {
    text += ", later runs " + fixed(median(result.later_ms), 1) + " ms (median of " +
            std::to_string(result.later_ms.size()) + ")";
  }
  for (const std::string& line : result.written) text += "\n" + line;
  return text + "\n";
}

std::string csv_header(const PlaceColumns& columns) {
  return std::string("image") + (columns.page ? ",page" : "") + (columns.frame ? ",frame,time" : "") +
         ",line,score,text,x1,y1,x2,y2,x3,y3,x4,y4\n";
}

std::string to_csv(const Result& result, const PlaceColumns& columns) {
  const coracle::pictures::Place& place = result.place;
  std::string start = field(printable(place.file));
  if (columns.page) start += "," + (place.page ? std::to_string(*place.page) : "");
  if (columns.frame) start += place.frame ? "," + std::to_string(*place.frame) + "," + fixed(place.time, 3) : ",,";
  std::string rows;
  for (std::size_t i = 0; i < result.document.lines.size(); ++i) {
    const TextLine& line = result.document.lines[i];
    rows += start + "," + std::to_string(i + 1) + "," + fixed(line.score, 6) + "," + field(line.text);
    for (const Point& corner : line.corners) rows += "," + std::to_string(corner.x) + "," + std::to_string(corner.y);
    rows += '\n';
  }
  return rows;
}

std::string error_json(const Result& result) {
  return "{" + place_members(result.place) + ", \"error\": " + quoted(printable(result.problem)) + "}";
}

std::string to_json(const Result& result) {
  const Document& d = result.document;
  std::string json = "{" + place_members(result.place) + ", \"width\": " + std::to_string(d.page.width) +
                     ", \"height\": " + std::to_string(d.page.height) + ", \"turned\": " + std::to_string(d.turned) +
                     ", \"first_ms\": " + fixed(result.first_ms, 3) + ", \"later_ms\": [";
  for (std::size_t i = 0; i < result.later_ms.size(); ++i) json += (i == 0 ? "" : ", ") + fixed(result.later_ms[i], 3);
  json += "], \"lines\": " + list(d.lines, [](const TextLine& line) {
            return "{\"box\": [" + corners(line.corners, "[", "]") + "], \"text\": " + quoted(line.text) +
                   ", \"score\": " + fixed(line.score, 6) + "}";
          });
  json += ", \"regions\": " + list(d.regions, [](const Object& o) {
            return "{\"name\": " + quoted(o.name) + ", \"score\": " + fixed(static_cast<double>(o.score), 6) +
                   ", \"box\": [" + sides({o.left, o.top, o.right, o.bottom}) + "]}";
          });
  json += ", \"tables\": " + list(d.tables, [](const Table& table) {
            return "{\"box\": [" + sides(table.box) + "], \"score\": " + fixed(static_cast<double>(table.score), 6) +
                   ", \"html\": " + quoted(table.html) + ", \"cells\": " +
                   list(table.cells, [](const std::array<float, 4>& cell) { return "[" + sides(cell) + "]"; }) + "}";
          });
  json += ", \"seals\": " + list(d.seals, [](const Seal& seal) {
            return "{\"box\": [" + sides(seal.box) + "], \"lines\": " +
                   list(seal.lines,
                        [](const TextLine& line) {
                          return "{\"box\": [" + corners(line.corners, "[", "]") + "], \"text\": " + quoted(line.text) +
                                 ", \"score\": " + fixed(line.score, 6) + ", \"polygon\": [" +
                                 corners(line.polygon, "[", "]") + "]}";
                        }) +
                   "}";
          });
  return json + "}";
}

}  // namespace ocr
