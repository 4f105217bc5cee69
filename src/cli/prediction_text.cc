// SPDX-License-Identifier: Apache-2.0
#include "cli/prediction_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/json.h"
#include "cli/text.h"

namespace coracle::cli {
namespace {

using vision::Task;
using Writer = JsonWriter;

constexpr size_t kFeaturesShown = 6;

/// A class of a class map and how many pixels it has.
struct Covered {
  int id;
  std::string name;
  size_t pixels;
};

std::vector<Covered> covered(const vision::ClassMap& map) {
  std::map<int, size_t> counts;
  for (const int id : map.classes) ++counts[id];
  std::vector<Covered> all;
  for (const auto& [id, pixels] : counts) {
    const bool named = id >= 0 && static_cast<size_t>(id) < map.names.size();
    all.push_back({id, named ? map.names[static_cast<size_t>(id)] : std::to_string(id), pixels});
  }
  return all;
}

float mean_score(const std::vector<vision::Keypoint>& points) {
  float sum = 0;
  for (const vision::Keypoint& k : points) sum += k.score;
  return points.empty() ? 0 : sum / static_cast<float>(points.size());
}

/// A name that is more than the number of its class.
std::string named(int id, const std::string& name) {
  return id < 0 || name == std::to_string(id) ? name : fmt::format("{} {}", id, name);
}

void key(Writer& w, const char* name, const std::string& value) {
  w.Key(name);
  w.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}
void key(Writer& w, const char* name, int value) {
  w.Key(name);
  w.Int(value);
}
/// As many digits as single precision has.
void number(Writer& w, double value) {
  if (!std::isfinite(value)) {  // JSON has no such numbers.
    w.Null();
    return;
  }
  const std::string text = fmt::format("{:.7g}", value);
  w.RawValue(text.data(), text.size(), rapidjson::kNumberType);
}
void key(Writer& w, const char* name, float value) {
  w.Key(name);
  number(w, static_cast<double>(value));
}

void mask(Writer& w, const vision::Mask& m) {
  w.Key("area");
  w.Int64(m.area());
  w.Key("mask");
  w.StartObject();
  w.Key("size");
  w.StartArray();
  w.Int(m.height);
  w.Int(m.width);
  w.EndArray();
  w.Key("counts");
  w.StartArray();
  for (const uint32_t count : m.counts) w.Uint(count);
  w.EndArray();
  w.EndObject();
}

template <class Points>
void corners(Writer& w, const Points& points) {
  w.StartArray();
  for (const vision::Point& p : points) {
    w.StartArray();
    w.Int(p.x);
    w.Int(p.y);
    w.EndArray();
  }
  w.EndArray();
}

/// How many pixels of the map are marked.
int marked(const vision::AnomalyMap& map) {
  return static_cast<int>(std::count(map.marked.begin(), map.marked.end(), uint8_t{1}));
}

std::string concatenated(const std::vector<std::string>& tokens) {
  std::string all;
  for (const std::string& token : tokens) all += token;
  return all;
}

template <class List, class Write>
void list(Writer& w, const char* name, const List& items, Write write) {
  w.Key(name);
  w.StartArray();
  for (const auto& item : items) write(item);
  w.EndArray();
}

template <class List, class Write>
void objects(Writer& w, const char* name, const List& items, Write write) {
  list(w, name, items, [&](const auto& item) {
    w.StartObject();
    write(item);
    w.EndObject();
  });
}

void write_found(Writer& w, const vision::Prediction& p) {
  switch (p.task) {
    case Task::kClassification:
    case Task::kMultilabel:
      return objects(w, "labels", p.labels, [&](const vision::Label& l) {
        key(w, "id", l.id);
        key(w, "name", l.name);
        key(w, "score", l.score);
      });
    case Task::kTextDetection:
      return objects(w, "boxes", p.boxes, [&](const vision::TextBox& b) {
        key(w, "score", b.score);
        w.Key("corners");
        corners(w, b.corners);
        if (b.polygon.empty()) return;
        w.Key("polygon");
        corners(w, b.polygon);
      });
    case Task::kTextRecognition: key(w, "text", p.text.text); return key(w, "score", p.text.score);
    case Task::kObjectDetection:
    case Task::kInstanceSegmentation:
      return objects(w, "objects", p.objects, [&](const vision::Object& o) {
        key(w, "id", o.id);
        key(w, "name", o.name);
        key(w, "score", o.score);
        list(w, "box", std::array<float, 4>{o.left, o.top, o.right, o.bottom},
             [&](float v) { number(w, static_cast<double>(v)); });
        if (o.corners) {
          const std::array<float, 8>& c = *o.corners;
          list(w, "corners", std::array<std::size_t, 4>{0, 2, 4, 6}, [&](std::size_t at) {
            w.StartArray();
            number(w, static_cast<double>(c[at]));
            number(w, static_cast<double>(c[at + 1]));
            w.EndArray();
          });
        }
        if (o.mask) mask(w, *o.mask);
      });
    case Task::kKeypoints:
      key(w, "score", mean_score(p.keypoints));
      return objects(w, "keypoints", p.keypoints, [&](const vision::Keypoint& k) {
        key(w, "id", k.id);
        key(w, "name", k.name);
        key(w, "score", k.score);
        key(w, "x", k.x);
        key(w, "y", k.y);
      });
    case Task::kSegmentation:
      return objects(w, "classes", covered(p.map), [&](const Covered& c) {
        key(w, "id", c.id);
        key(w, "name", c.name);
        w.Key("pixels");
        w.Uint64(c.pixels);
      });
    case Task::kTableStructure:
      key(w, "html", concatenated(p.table.tokens));
      key(w, "score", p.table.score);
      return list(w, "cells", p.table.cells, [&](const auto& cell) { corners(w, cell); });
    case Task::kUnwarping:
      w.Key("page");
      w.StartObject();
      key(w, "width", p.page.width);
      key(w, "height", p.page.height);
      return static_cast<void>(w.EndObject());
    case Task::kAnomaly:
      w.Key("map");
      w.StartObject();
      key(w, "width", p.anomaly.width);
      key(w, "height", p.anomaly.height);
      key(w, "greatest", p.anomaly.greatest);
      key(w, "mean", p.anomaly.mean);
      key(w, "marked", marked(p.anomaly));
      return static_cast<void>(w.EndObject());
    case Task::kFeatures: return list(w, "features", p.features, [&](float v) { number(w, static_cast<double>(v)); });
  }
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result.append(c == '"' ? "\"\"" : std::string(1, c));
  return result + "\"";
}

}  // namespace

std::string to_text(const Answer& a) {
  const vision::Prediction& p = a.prediction;
  if (p.task == Task::kTextRecognition)
    return fmt::format("{}  {:.4f}  {}\n", printable(a.picture), p.text.score, p.text.text);
  std::string text = fmt::format("{}  {} x {} pixels\n", printable(a.picture), a.width, a.height);
  for (const vision::Label& l : p.labels) text += fmt::format("  {:.5f}  {}\n", l.score, named(l.id, l.name));
  for (size_t i = 0; i < p.boxes.size(); ++i) {
    text += fmt::format("{:4}  {:.4f} ", i + 1, p.boxes[i].score);
    const vision::TextBox& box = p.boxes[i];
    const auto point = [&](const vision::Point& c) { text += fmt::format(" ({}, {})", c.x, c.y); };
    if (box.polygon.empty()) {
      std::for_each(box.corners.begin(), box.corners.end(), point);
    } else {
      std::for_each(box.polygon.begin(), box.polygon.end(), point);
    }
    text += '\n';
  }
  for (size_t i = 0; i < p.objects.size(); ++i) {
    const vision::Object& o = p.objects[i];
    text += fmt::format("{:4}  {:.4f}  {}  ", i + 1, o.score, named(o.id, o.name));
    if (o.corners) {
      const std::array<float, 8>& c = *o.corners;
      for (size_t at = 0; at < c.size(); at += 2) text += fmt::format("({:.1f}, {:.1f}) ", c[at], c[at + 1]);
      text.back() = '\n';
    } else {
      text += fmt::format("({:.1f}, {:.1f}) to ({:.1f}, {:.1f})", o.left, o.top, o.right, o.bottom);
      text += o.mask ? fmt::format("  {} pixels\n", o.mask->area()) : "\n";
    }
  }
  for (const vision::Keypoint& k : p.keypoints)
    text += fmt::format("  {:.4f}  {}  ({:.1f}, {:.1f})\n", k.score, named(k.id, k.name), k.x, k.y);
  if (p.task == Task::kSegmentation) {
    for (const Covered& c : covered(p.map)) {
      const double percent = 100.0 * static_cast<double>(c.pixels) / static_cast<double>(p.map.classes.size());
      text += fmt::format("  {:6.2f} %  {}\n", percent, named(c.id, c.name));
    }
  } else if (p.task == Task::kTableStructure) {
    text +=
        fmt::format("  {:.4f}  {} cells\n  {}\n", p.table.score, p.table.cells.size(), concatenated(p.table.tokens));
  } else if (p.task == Task::kUnwarping) {
    text += fmt::format("  a page of {} x {} pixels{}\n", p.page.width, p.page.height,
                        a.drawing.empty() ? "; --draw DIR writes it" : "");
  } else if (p.task == Task::kAnomaly) {
    text += fmt::format("  greatest score {:.6f}, mean {:.6f}; {} of {} x {} pixels of the map marked\n",
                        p.anomaly.greatest, p.anomaly.mean, marked(p.anomaly), p.anomaly.width, p.anomaly.height);
  } else if (p.task == Task::kFeatures) {
    text += fmt::format("  {} features:", p.features.size());
    for (size_t i = 0; i < std::min(p.features.size(), kFeaturesShown); ++i)
      text += fmt::format(" {:.4f}", p.features[i]);
    text += p.features.size() > kFeaturesShown ? " ...\n" : "\n";
  } else if (p.labels.empty() && p.boxes.empty() && p.objects.empty() && p.keypoints.empty()) {
    text += "  nothing found\n";
  }
  if (!a.drawing.empty()) text += "  drawn in " + a.drawing + "\n";
  return text;
}

std::string to_json(const Answer& a) {
  JsonBuffer buffer;
  Writer w(buffer);
  w.StartObject();
  key(w, "picture", printable(a.picture));
  key(w, "width", a.width);
  key(w, "height", a.height);
  key(w, "task", std::string(vision::task_name(a.prediction.task)));
  write_found(w, a.prediction);
  if (!a.drawing.empty()) key(w, "drawing", a.drawing);
  w.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

std::string error_json(const std::string& picture, const std::string& error) {
  JsonBuffer buffer;
  Writer w(buffer);
  w.StartObject();
  key(w, "picture", printable(picture));
  key(w, "error", error);
  w.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

std::string csv_header(Task task) {
  switch (task) {
    case Task::kClassification:
    case Task::kMultilabel: return "picture,id,name,score\n";
    case Task::kTextDetection: return "picture,score,x1,y1,x2,y2,x3,y3,x4,y4\n";
    case Task::kTextRecognition: return "picture,score,text\n";
    case Task::kObjectDetection: return "picture,id,name,score,left,top,right,bottom\n";
    case Task::kSegmentation: return "picture,id,name,pixels\n";
    case Task::kTableStructure: return "picture,cell,x1,y1,x2,y2,x3,y3,x4,y4\n";
    case Task::kUnwarping: return "picture,width,height\n";
    case Task::kAnomaly: return "picture,width,height,greatest,mean,marked\n";
    case Task::kFeatures: return "picture,feature,value\n";
    case Task::kInstanceSegmentation: return "picture,id,name,score,left,top,right,bottom,area\n";
    case Task::kKeypoints: return "picture,id,name,score,x,y\n";
  }
  return {};
}

std::string to_csv(const Answer& a) {
  const vision::Prediction& p = a.prediction;
  const std::string picture = quoted(printable(a.picture));
  std::string text;
  for (const vision::Label& l : p.labels)
    text += fmt::format("{},{},{},{:.7g}\n", picture, l.id, quoted(l.name), l.score);
  for (const vision::TextBox& b : p.boxes) {
    text += fmt::format("{},{:.7g}", picture, b.score);
    for (const vision::Point& c : b.corners) text += fmt::format(",{},{}", c.x, c.y);
    text += '\n';
  }
  if (p.task == Task::kTextRecognition)
    text += fmt::format("{},{:.7g},{}\n", picture, p.text.score, quoted(p.text.text));
  for (const vision::Object& o : p.objects) {
    text += fmt::format("{},{},{},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g}", picture, o.id, quoted(o.name), o.score, o.left,
                        o.top, o.right, o.bottom);
    text += o.mask ? fmt::format(",{}\n", o.mask->area()) : "\n";
  }
  for (size_t i = 0; i < p.table.cells.size(); ++i) {
    text += fmt::format("{},{}", picture, i + 1);
    for (const vision::Point& c : p.table.cells[i]) text += fmt::format(",{},{}", c.x, c.y);
    text += '\n';
  }
  for (const vision::Keypoint& k : p.keypoints) {
    text += fmt::format("{},{},{},{:.7g},{:.7g},{:.7g}\n", picture, k.id, quoted(k.name), k.score, k.x, k.y);
  }
  for (size_t i = 0; i < p.features.size(); ++i) text += fmt::format("{},{},{:.7g}\n", picture, i, p.features[i]);
  if (p.task == Task::kAnomaly) {
    text += fmt::format("{},{},{},{:.7g},{:.7g},{}\n", picture, p.anomaly.width, p.anomaly.height, p.anomaly.greatest,
                        p.anomaly.mean, marked(p.anomaly));
  }
  if (p.task == Task::kUnwarping) text += fmt::format("{},{},{}\n", picture, p.page.width, p.page.height);
  if (p.task == Task::kSegmentation) {
    for (const Covered& c : covered(p.map))
      text += fmt::format("{},{},{},{}\n", picture, c.id, quoted(c.name), c.pixels);
  }
  return text;
}

}  // namespace coracle::cli
