// SPDX-License-Identifier: Apache-2.0
#include "cli/prediction_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/text.h"
#include "client/prediction.h"

namespace coracle::cli {
namespace {

using vision::Task;

constexpr size_t kFeaturesShown = 6;

/// A name that is more than the number of its class.
std::string named(int id, const std::string& name) {
  return id < 0 || name == std::to_string(id) ? name : fmt::format("{} {}", id, name);
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result.append(c == '"' ? "\"\"" : std::string(1, c));
  return result + "\"";
}

/// "film.mp4, frame 12 (0.48 s)".
std::string shown(const pictures::Place& place) {
  return printable(place.name()) + (place.frame ? fmt::format(" ({:.2f} s)", place.time) : "");
}

/// Members of an open JSON object, after the picture's.
void write_place(internal::JsonWriter& w, const pictures::Place& place, const char* page) {
  if (place.page) w.field(page, *place.page);
  if (!place.frame) return;
  w.field("frame", *place.frame);
  w.Key("time");
  w.Double(place.time);
}

constexpr std::string_view kPicture = "picture";

/// The columns of a task, those of the place included.
std::string task_columns(Task task) {
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

}  // namespace

std::string to_text(const Answer& a) {
  const vision::Prediction& p = a.prediction;
  if (p.task == Task::kTextRecognition)
    return fmt::format("{}  {:.4f}  {}\n", shown(a.place), p.text.score, p.text.text);
  std::string text = fmt::format("{}  {} x {} pixels\n", shown(a.place), a.width, a.height);
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
    for (const client::ClassArea& c : client::class_areas(p.map)) {
      const double percent = 100.0 * static_cast<double>(c.pixels) / static_cast<double>(p.map.classes.size());
      text += fmt::format("  {:6.2f} %  {}\n", percent, named(c.id, c.name));
    }
  } else if (p.task == Task::kTableStructure) {
    text += fmt::format("  {:.4f}  {} cells\n  {}\n", p.table.score, p.table.cells.size(), client::html_of(p.table));
  } else if (p.task == Task::kUnwarping) {
    text += fmt::format("  a page of {} x {} pixels{}\n", p.page.width, p.page.height,
                        a.drawing.empty() ? "; --draw DIR writes it" : "");
  } else if (p.task == Task::kAnomaly) {
    text += fmt::format("  greatest score {:.6f}, mean {:.6f}; {} of {} x {} pixels of the map marked\n",
                        p.anomaly.greatest, p.anomaly.mean, client::marked_pixels(p.anomaly), p.anomaly.width,
                        p.anomaly.height);
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
  return internal::json_text([&](internal::JsonWriter& w) {
           w.StartObject();
           client::write_picture(w, printable(a.place.file), a.width, a.height);
           // A page made flat has a member "page" of its own.
           write_place(w, a.place, a.prediction.task == Task::kUnwarping ? "page_number" : "page");
           client::write_prediction(w, a.prediction);
           if (!a.drawing.empty()) w.field("drawing", a.drawing);
           w.EndObject();
         }) +
         "\n";
}

std::string error_json(const pictures::Place& place, const std::string& error) {
  return internal::json_text([&](internal::JsonWriter& w) {
           w.StartObject();
           w.field("picture", printable(place.file));
           write_place(w, place, "page");
           w.field("error", printable(error));
           w.EndObject();
         }) +
         "\n";
}

std::string csv_header(Task task, const PlaceColumns& columns) {
  std::string header = task_columns(task);
  header.insert(kPicture.size(), std::string(columns.page ? ",page" : "") + (columns.frame ? ",frame,time" : ""));
  return header;
}

std::string to_csv(const Answer& a, const PlaceColumns& columns) {
  const vision::Prediction& p = a.prediction;
  std::string picture = quoted(printable(a.place.file));
  if (columns.page) picture += a.place.page ? fmt::format(",{}", *a.place.page) : ",";
  if (columns.frame) picture += a.place.frame ? fmt::format(",{},{:.3f}", *a.place.frame, a.place.time) : ",,";
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
                        p.anomaly.mean, client::marked_pixels(p.anomaly));
  }
  if (p.task == Task::kUnwarping) text += fmt::format("{},{},{}\n", picture, p.page.width, p.page.height);
  if (p.task == Task::kSegmentation) {
    for (const client::ClassArea& c : client::class_areas(p.map))
      text += fmt::format("{},{},{},{}\n", picture, c.id, quoted(c.name), c.pixels);
  }
  return text;
}

}  // namespace coracle::cli
