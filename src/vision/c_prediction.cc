// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "vision/c_interface.h"

namespace coracle::vision {
namespace {

using Item = coracle_prediction::Item;

Item item(int id, float score, const std::string& text, std::vector<float> outline = {}) {
  Item made{};
  made.item.id = id;
  made.item.score = score;
  made.text = text;
  made.outline = std::move(outline);
  return made;
}

template <class Points>
std::vector<float> outline_of(const Points& corners) {
  std::vector<float> outline;
  for (const Point& p : corners) {
    outline.push_back(static_cast<float>(p.x));
    outline.push_back(static_cast<float>(p.y));
  }
  return outline;
}

void add_classes(const ClassMap& map, std::vector<Item>& items) {
  std::map<int, std::int64_t> counts;
  for (const int id : map.classes) ++counts[id];
  for (const auto& [id, pixels] : counts) {
    const bool named = id >= 0 && static_cast<std::size_t>(id) < map.names.size();
    const double part = static_cast<double>(pixels) / static_cast<double>(map.classes.size());
    items.push_back(
        item(id, static_cast<float>(part), named ? map.names[static_cast<std::size_t>(id)] : std::to_string(id)));
    items.back().item.pixels = pixels;
  }
}

}  // namespace

void add_items(coracle_prediction& prediction) {
  const Prediction& p = prediction.prediction;
  std::vector<Item>& items = prediction.items;
  for (const Label& l : p.labels) items.push_back(item(l.id, l.score, l.name));
  for (const TextBox& b : p.boxes) {
    items.push_back(item(-1, b.score, "", outline_of(b.corners)));
    items.back().polygon = outline_of(b.polygon);
  }
  for (const Object& o : p.objects) {
    const std::array<float, 8> around{o.left, o.top, o.right, o.top, o.right, o.bottom, o.left, o.bottom};
    const std::array<float, 8>& outline = o.corners ? *o.corners : around;
    items.push_back(item(o.id, o.score, o.name, {outline.begin(), outline.end()}));
    if (o.mask) items.back().item.pixels = o.mask->area();
  }
  for (const TextLine& l : prediction.lines) {
    items.push_back(item(-1, static_cast<float>(l.score), l.text, outline_of(l.corners)));
    items.back().polygon = outline_of(l.polygon);
  }
  for (const Keypoint& k : p.keypoints) items.push_back(item(k.id, k.score, k.name, {k.x, k.y}));
  if (p.task == Task::kTextRecognition) items.push_back(item(-1, p.text.score, p.text.text));
  if (p.task == Task::kSegmentation) add_classes(p.map, items);
  if (p.task == Task::kAnomaly) {
    items.push_back(item(-1, p.anomaly.greatest, ""));
    items.back().item.pixels = std::count(p.anomaly.marked.begin(), p.anomaly.marked.end(), std::uint8_t{1});
  }
  if (p.task == Task::kTableStructure) {
    std::string html;
    for (const std::string& token : p.table.tokens) html += token;
    items.push_back(item(-1, p.table.score, html));
    for (const auto& cell : p.table.cells) items.push_back(item(-1, p.table.score, "", outline_of(cell)));
  }
}

}  // namespace coracle::vision

namespace {

/// The mask of an item, which is an object; null where it has none.
const coracle::vision::Mask* mask_at(const coracle_prediction* prediction, size_t index) {
  if (prediction == nullptr || index >= prediction->prediction.objects.size()) return nullptr;
  const std::optional<coracle::vision::Mask>& mask = prediction->prediction.objects[index].mask;
  return mask ? &*mask : nullptr;
}

}  // namespace

using coracle::vision::guard;
using coracle::vision::refuse;
using coracle::vision::require_pointer;

extern "C" {

const char* coracle_prediction_task(const coracle_prediction* prediction) {
  return prediction == nullptr ? nullptr : prediction->task;
}

size_t coracle_prediction_size(const coracle_prediction* prediction) {
  return prediction == nullptr ? 0 : prediction->items.size();
}

coracle_status coracle_prediction_item(const coracle_prediction* prediction, size_t index, coracle_vision_item* item) {
  return guard([&] {
    require_pointer(prediction, "prediction");
    require_pointer(item, "item");
    if (index >= prediction->items.size()) {
      refuse("there is no item " + std::to_string(index) + ", the prediction has " +
             std::to_string(prediction->items.size()));
    }
    const coracle_prediction::Item& found = prediction->items[index];
    *item = found.item;
    item->text = found.text.c_str();
    item->points = found.outline.size() / 2;
    item->outline = found.outline.data();
  });
}

const float* coracle_prediction_polygon(const coracle_prediction* prediction, size_t index, size_t* points) {
  const bool any =
      prediction != nullptr && index < prediction->items.size() && !prediction->items[index].polygon.empty();
  if (points != nullptr) *points = any ? prediction->items[index].polygon.size() / 2 : 0;
  return any ? prediction->items[index].polygon.data() : nullptr;
}

const int32_t* coracle_prediction_class_map(const coracle_prediction* prediction) {
  if (prediction == nullptr || prediction->prediction.map.classes.empty()) return nullptr;
  return prediction->prediction.map.classes.data();
}

const float* coracle_prediction_scores(const coracle_prediction* prediction, int32_t* width, int32_t* height) {
  const bool any = prediction != nullptr && !prediction->prediction.anomaly.scores.empty();
  if (width != nullptr) *width = any ? prediction->prediction.anomaly.width : 0;
  if (height != nullptr) *height = any ? prediction->prediction.anomaly.height : 0;
  return any ? prediction->prediction.anomaly.scores.data() : nullptr;
}

const uint8_t* coracle_prediction_marks(const coracle_prediction* prediction) {
  if (prediction == nullptr || prediction->prediction.anomaly.marked.empty()) return nullptr;
  return prediction->prediction.anomaly.marked.data();
}

const float* coracle_prediction_features(const coracle_prediction* prediction, size_t* count) {
  const bool any = prediction != nullptr && !prediction->prediction.features.empty();
  if (count != nullptr) *count = any ? prediction->prediction.features.size() : 0;
  return any ? prediction->prediction.features.data() : nullptr;
}

coracle_status coracle_prediction_mask(const coracle_prediction* prediction, size_t index, void* pixels, size_t bytes) {
  return guard([&] {
    require_pointer(prediction, "prediction");
    require_pointer(pixels, "pixels");
    const coracle::vision::Mask* mask = mask_at(prediction, index);
    if (mask == nullptr) refuse("item " + std::to_string(index) + " has no mask");
    const size_t size = static_cast<size_t>(mask->width) * static_cast<size_t>(mask->height);
    if (bytes != size) {
      refuse("the mask takes " + std::to_string(size) + " bytes, one for each pixel of the picture, given room for " +
             std::to_string(bytes));
    }
    const std::vector<uint8_t> values = mask->pixels();
    std::copy(values.begin(), values.end(), static_cast<uint8_t*>(pixels));
  });
}

const uint32_t* coracle_prediction_mask_counts(const coracle_prediction* prediction, size_t index, size_t* count) {
  const coracle::vision::Mask* mask = mask_at(prediction, index);
  if (count != nullptr) *count = mask == nullptr ? 0 : mask->counts.size();
  return mask == nullptr ? nullptr : mask->counts.data();
}

coracle_status coracle_prediction_draw(const coracle_prediction* prediction, const coracle_image* image,
                                       coracle_image** drawing) {
  return guard([&] {
    require_pointer(prediction, "prediction");
    require_pointer(image, "image");
    require_pointer(drawing, "drawing");
    const coracle::vision::Image& picture = image->image;
    if (picture.width != prediction->width || picture.height != prediction->height) {
      refuse("the prediction is of a picture of " + std::to_string(prediction->width) + " x " +
             std::to_string(prediction->height) + " pixels, given one of " + std::to_string(picture.width) + " x " +
             std::to_string(picture.height));
    }
    *drawing = new coracle_image{prediction->lines.empty() ? coracle::vision::draw(picture, prediction->prediction)
                                                           : coracle::vision::draw(picture, prediction->lines)};
  });
}

void coracle_prediction_free(coracle_prediction* prediction) { delete prediction; }

}  // extern "C"
