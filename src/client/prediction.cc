// SPDX-License-Identifier: Apache-2.0
#include "client/prediction.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

namespace coracle::client {
namespace {

using vision::Task;

float mean_score(const std::vector<vision::Keypoint>& points) {
  float sum = 0;
  for (const vision::Keypoint& k : points) sum += k.score;
  return points.empty() ? 0 : sum / static_cast<float>(points.size());
}

/// As many digits as single precision has.
void number(internal::JsonWriter& w, double value) {
  if (!std::isfinite(value)) {  // JSON has no such numbers.
    w.Null();
    return;
  }
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.begin(), text.end(), value, std::chars_format::general, 7);
  w.RawValue(text.data(), static_cast<size_t>(end - text.data()), rapidjson::kNumberType);
}
void number_field(internal::JsonWriter& w, const char* name, float value) {
  w.Key(name);
  number(w, static_cast<double>(value));
}

void mask(internal::JsonWriter& w, const vision::Mask& m) {
  w.field("area", m.area());
  w.Key("mask");
  w.StartObject();
  w.Key("size");
  w.StartArray();
  w.Int(m.height);
  w.Int(m.width);
  w.EndArray();
  w.list("counts", m.counts);
  w.EndObject();
}

template <class Points>
void corners(internal::JsonWriter& w, const Points& points) {
  w.StartArray();
  for (const vision::Point& p : points) {
    w.StartArray();
    w.Int(p.x);
    w.Int(p.y);
    w.EndArray();
  }
  w.EndArray();
}

}  // namespace

std::vector<ClassArea> class_areas(const vision::ClassMap& map) {
  std::map<int, size_t> counts;
  for (const int id : map.classes) ++counts[id];
  std::vector<ClassArea> all;
  for (const auto& [id, pixels] : counts) {
    const bool named = id >= 0 && static_cast<size_t>(id) < map.names.size();
    all.push_back({id, named ? map.names[static_cast<size_t>(id)] : std::to_string(id), pixels});
  }
  return all;
}

int marked_pixels(const vision::AnomalyMap& map) {
  return static_cast<int>(std::count(map.marked.begin(), map.marked.end(), uint8_t{1}));
}

std::string html_of(const vision::TableStructure& table) {
  std::string all;
  for (const std::string& token : table.tokens) all += token;
  return all;
}

void write_picture(internal::JsonWriter& w, const std::string& name, int width, int height) {
  w.field("picture", name);
  w.field("width", width);
  w.field("height", height);
}

void write_no_answer(internal::JsonWriter& w, const std::string& name, const std::string& error) {
  w.StartObject();
  w.field("picture", name);
  w.field("error", error);
  w.EndObject();
}

void write_lines(internal::JsonWriter& w, const std::vector<vision::TextLine>& lines) {
  w.field("task", std::string_view("text-reading"));
  w.objects("lines", lines, [&](const vision::TextLine& line) {
    w.field("text", line.text);
    number_field(w, "score", static_cast<float>(line.score));
    w.Key("corners");
    corners(w, line.corners);
  });
}

void write_prediction(internal::JsonWriter& w, const vision::Prediction& p) {
  w.field("task", vision::task_name(p.task));
  switch (p.task) {
    case Task::kClassification:
    case Task::kMultilabel:
      return w.objects("labels", p.labels, [&](const vision::Label& l) {
        w.field("id", l.id);
        w.field("name", l.name);
        number_field(w, "score", l.score);
      });
    case Task::kTextDetection:
      return w.objects("boxes", p.boxes, [&](const vision::TextBox& b) {
        number_field(w, "score", b.score);
        w.Key("corners");
        corners(w, b.corners);
        if (b.polygon.empty()) return;
        w.Key("polygon");
        corners(w, b.polygon);
      });
    case Task::kTextRecognition: w.field("text", p.text.text); return number_field(w, "score", p.text.score);
    case Task::kObjectDetection:
    case Task::kInstanceSegmentation:
      return w.objects("objects", p.objects, [&](const vision::Object& o) {
        w.field("id", o.id);
        w.field("name", o.name);
        number_field(w, "score", o.score);
        w.list("box", std::array<float, 4>{o.left, o.top, o.right, o.bottom},
               [&](float v) { number(w, static_cast<double>(v)); });
        if (o.corners) {
          const std::array<float, 8>& c = *o.corners;
          w.list("corners", std::array<std::size_t, 4>{0, 2, 4, 6}, [&](std::size_t at) {
            w.StartArray();
            number(w, static_cast<double>(c[at]));
            number(w, static_cast<double>(c[at + 1]));
            w.EndArray();
          });
        }
        if (o.mask) mask(w, *o.mask);
      });
    case Task::kKeypoints:
      number_field(w, "score", mean_score(p.keypoints));
      return w.objects("keypoints", p.keypoints, [&](const vision::Keypoint& k) {
        w.field("id", k.id);
        w.field("name", k.name);
        number_field(w, "score", k.score);
        number_field(w, "x", k.x);
        number_field(w, "y", k.y);
      });
    case Task::kSegmentation:
      return w.objects("classes", class_areas(p.map), [&](const ClassArea& c) {
        w.field("id", c.id);
        w.field("name", c.name);
        w.field("pixels", c.pixels);
      });
    case Task::kTableStructure:
      w.field("html", html_of(p.table));
      number_field(w, "score", p.table.score);
      return w.list("cells", p.table.cells, [&](const auto& cell) { corners(w, cell); });
    case Task::kUnwarping:
      w.Key("page");
      w.StartObject();
      w.field("width", p.page.width);
      w.field("height", p.page.height);
      return static_cast<void>(w.EndObject());
    case Task::kAnomaly:
      w.Key("map");
      w.StartObject();
      w.field("width", p.anomaly.width);
      w.field("height", p.anomaly.height);
      number_field(w, "greatest", p.anomaly.greatest);
      number_field(w, "mean", p.anomaly.mean);
      w.field("marked", marked_pixels(p.anomaly));
      return static_cast<void>(w.EndObject());
    case Task::kFeatures: return w.list("features", p.features, [&](float v) { number(w, static_cast<double>(v)); });
  }
}

}  // namespace coracle::client
