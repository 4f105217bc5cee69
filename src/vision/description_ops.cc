// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "base/system/native_path.h"
#include "vision/description_parts.h"

namespace coracle::vision {
namespace {

void resize_image(const Yaml& a, Description& d) {
  // return_numpy: the kind of picture that Pillow hands on, which changes none of its pixels.
  check_known(a, "ResizeImage", {"resize_short", "size", "interpolation", "backend", "return_numpy"});
  const Yaml* backend = a.find("backend");
  if (backend != nullptr && backend->text() != "cv2" && backend->text() != "pil")
    unsupported(*backend, "backend '" + backend->text() + "' is not known; known are: cv2, pil");
  Resize r{.resampled = backend != nullptr && backend->text() == "pil"};
  const Yaml* method = a.find("interpolation");
  const bool box = r.resampled && method != nullptr && (method->text() == "BOX" || method->text() == "box");
  r.interpolation = box ? Interpolation::kArea : interpolation(method, Interpolation::kLinear);
  const Yaml* shorter = a.find("resize_short");
  if (shorter != nullptr && (a.find("size") == nullptr || shorter->integer() != 0)) {
    r.to = Resize::To::kShort;
    r.width = side(*shorter);
  } else {
    const std::array<int, 2> size = sides(a.at("size"));
    r.width = size[0];
    r.height = size[1];
  }
  d.steps.emplace_back(r);
}

void crop_image(const Yaml& a, Description& d) {
  check_known(a, "CropImage", {"size"});
  const Yaml* size = a.find("size");
  const std::array<int, 2> s = size != nullptr ? sides(*size) : std::array<int, 2>{224, 224};
  d.steps.emplace_back(CentreCrop{s[0], s[1]});
}

void normalize_image(const Yaml& a, Description& d) {
  check_known(a, "NormalizeImage", {"scale", "mean", "std", "order", "channel_num", "output_fp16"});
  if (number(a, "channel_num", 3) != 3) unsupported(a, "step NormalizeImage: only 3 channels are supported");
  d.steps.emplace_back(
      normalise(number(a, "scale", 1.0 / 255), triple(a.find("mean"), kMean), triple(a.find("std"), kDeviation)));
}

void decode_image(const Yaml& a, Description& d) {
  check_known(a, "DecodeImage", {"img_mode", "channel_first", "to_rgb", "to_np"});
  if (flag(a, "channel_first", false)) unsupported(a, "step DecodeImage: channel_first is not supported");
  d.rgb = flag(a, "to_rgb", true);
  if (const Yaml* mode = a.find("img_mode")) {
    if (mode->text() != "RGB" && mode->text() != "BGR")
      unsupported(*mode, "img_mode '" + mode->text() + "' is not known; known are: RGB, BGR");
    d.rgb = mode->text() == "RGB";
  }
}

void det_resize(const Yaml& a, Description& d) {
  check_known(a, "DetResizeForTest",
              {"image_shape", "keep_ratio", "limit_side_len", "limit_type", "resize_long", "max_side_limit"});
  TextResize r;
  if (const Yaml* most = a.find("max_side_limit")) r.most = side(*most);
  if (const Yaml* shape = a.find("image_shape")) {
    const std::array<int, 2> size = sides(*shape);  // Height first.
    r.limit = TextResize::Limit::kNone;
    r.height = size[0];
    r.width = size[1];
    r.keep_ratio = flag(a, "keep_ratio", false);
  } else if (const Yaml* longer = a.find("resize_long"); longer != nullptr && a.find("limit_side_len") == nullptr) {
    r.limit = TextResize::Limit::kLongAtMost;
    r.length = side(*longer);
    r.implied = a.find("limit_type") == nullptr;
  } else if (const Yaml* length = a.find("limit_side_len"); length != nullptr || a.find("limit_type") != nullptr) {
    r.limit = TextResize::Limit::kShortAtLeast;
    r.length = length != nullptr ? side(*length) : 736;
  }
  if (const Yaml* type = a.find("limit_type"); type != nullptr && r.limit != TextResize::Limit::kNone) {
    if (type->text() == "min") {
      r.limit = TextResize::Limit::kShortAtLeast;
    } else if (type->text() == "max") {
      r.limit = TextResize::Limit::kLongAtMost;
    } else if (type->text() == "resize_long") {
      r.limit = TextResize::Limit::kLongIs;
    } else {
      unsupported(*type, "limit_type '" + type->text() + "' is not known; known are: min, max, resize_long");
    }
  }
  d.steps.emplace_back(r);
}

void rec_resize(const Yaml& a, Description& d) {
  check_known(a, "RecResizeImg", {"image_shape", "padding", "eval_mode", "character_dict_path"});
  const Yaml& shape = a.at("image_shape");
  if (shape.items().size() != 3 || shape.items()[0]->integer() != 3) shape.fail("expected 3, height and width");
  d.steps.emplace_back(LineResize{.height = side(*shape.items()[1]), .width = side(*shape.items()[2])});
}

constexpr NamedReader kTransformOps[] = {
    {"CropImage", crop_image},
    {"DecodeImage", decode_image},
    {"DetLabelEncode", nothing},
    {"DetResizeForTest", det_resize},
    {"KeepKeys", nothing},
    {"MultiLabelEncode", nothing},
    {"NormalizeImage", normalize_image},
    {"PaddingTableImage", padding_table_image},
    {"RecResizeImg", rec_resize},
    {"ResizeImage", resize_image},
    {"ResizeTableImage", resize_table_image},
    {"TableBoxEncode", nothing},
    {"TableLabelEncode", table_label_encode},
    {"ToCHWImage", nothing},
};

}  // namespace

void class_names(const Yaml& a, Description& d) {
  if (const Yaml* list = a.find("label_list")) {
    d.labels = names(*list);
  } else if (const Yaml* file = a.find("class_id_map_file")) {
    // The path is that of the machine that exported the model: what counts is the name.
    d.label_file = internal::path_text(internal::native_path(file->text()).filename());
  }
  const Yaml* delimiter = a.find("delimiter");
  if (delimiter != nullptr && !delimiter->text().empty()) d.delimiter = delimiter->text();
}

namespace {

void topk(const Yaml& a, Description& d) {
  check_known(a, "Topk", {"topk", "label_list", "class_id_map_file", "delimiter"});
  d.task = Task::kClassification;
  if (const Yaml* k = a.find("topk")) d.topk = side(*k);
  class_names(a, d);
}

void multilabel(const Yaml& a, Description& d) {
  check_known(a, "MultiLabelThreshOutput", {"threshold", "label_list", "class_id_map_file", "delimiter"});
  d.task = Task::kMultilabel;
  if (const Yaml* threshold = a.find("threshold"); threshold != nullptr && threshold->kind() != Yaml::Kind::kScalar)
    unsupported(*threshold, "threshold by class is not supported, one for all is");
  d.threshold = static_cast<float>(number(a, "threshold", 0.5));
  class_names(a, d);
}

void db_post(const Yaml& a, Description& d) {
  check_known(
      a, "DBPostProcess",
      {"name", "thresh", "box_thresh", "max_candidates", "unclip_ratio", "use_dilation", "score_mode", "box_type"});
  d.task = Task::kTextDetection;
  d.db.threshold = static_cast<float>(number(a, "thresh", 0.3));
  d.db.box_threshold = number(a, "box_thresh", 0.6);
  d.db.unclip_ratio = number(a, "unclip_ratio", 2.0);
  if (!(d.db.unclip_ratio >= 0 && d.db.unclip_ratio <= 100))
    a.at("unclip_ratio").fail("expected a ratio from 0 to 100");
  if (const Yaml* most = a.find("max_candidates"))
    d.db.max_candidates = static_cast<std::size_t>(std::max<std::int64_t>(most->integer(), 0));
  d.db.dilate = flag(a, "use_dilation", false);
  if (const Yaml* mode = a.find("score_mode")) {
    if (mode->text() != "fast" && mode->text() != "slow")
      unsupported(*mode, "score_mode '" + mode->text() + "' is not known; known are: fast, slow");
    d.db.exact_score = mode->text() == "slow";
  }
  if (const Yaml* type = a.find("box_type")) {
    if (type->text() != "quad" && type->text() != "poly")
      unsupported(*type, "box_type '" + type->text() + "' is not known; known are: quad, poly");
    d.db.polygons = type->text() == "poly";
  }
  if (!d.db.polygons) return;
  for (Step& step : d.steps) {
    auto* resize = std::get_if<TextResize>(&step);
    if (resize != nullptr && resize->implied) resize->limit = TextResize::Limit::kShortAtLeast;
  }
}

void ctc_decode(const Yaml& a, Description& d) {
  check_known(a, "CTCLabelDecode", {"name", "character_dict", "use_space_char"});
  d.task = Task::kTextRecognition;
  d.labels = names(a.at("character_dict"));
}

void normalize_features(const Yaml& a, Description& d) {
  check_known(a, "NormalizeFeatures", {});
  d.task = Task::kFeatures;
}

constexpr NamedReader kPostprocess[] = {
    {"CTCLabelDecode", ctc_decode},          {"DBPostProcess", db_post},
    {"MultiLabelThreshOutput", multilabel},  {"NormalizeFeatures", normalize_features},
    {"PersonAttribute", person_attribute},   {"SavePreLabel", nothing},
    {"TableAttribute", table_attribute},     {"TableLabelDecode", table_label_decode},
    {"ThreshOutput", thresh_output},         {"Topk", topk},
    {"VehicleAttribute", vehicle_attribute},
};

}  // namespace

void read_with_ops(const Yaml& root, Description& d) {
  read_table(root, d);
  for (const Yaml::Pointer& step : root.at("PreProcess").at("transform_ops").items()) {
    if (step->members().size() != 1) step->fail("expected one step, found " + std::to_string(step->members().size()));
    const auto& [name, arguments] = step->members().front();
    read_step(kTransformOps, *step, name, *arguments, d);
  }
  normalise_last(d);
  const Yaml& post = root.at("PostProcess");
  if (const Yaml* name = post.find("name")) return read_step(kPostprocess, *name, name->text(), post, d);
  std::size_t read = 0;
  for (const auto& [name, arguments] : post.members()) {
    if (name == "main_indicator") continue;  // Which of several counts in training.
    read_step(kPostprocess, *arguments, name, *arguments, d);
    ++read;
  }
  if (read == 0) post.fail("PostProcess names no step");
}

}  // namespace coracle::vision
