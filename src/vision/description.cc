// SPDX-License-Identifier: Apache-2.0
#include "vision/description.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "vision/file.h"
#include "vision/yaml.h"

namespace coracle::vision {
namespace {

constexpr std::array<double, 3> kMean = {0.485, 0.456, 0.406};
constexpr std::array<double, 3> kDeviation = {0.229, 0.224, 0.225};
constexpr int kMaxSide = 16384;

[[noreturn]] void unsupported(const Yaml& node, const std::string& what) {
  try {
    node.fail(what);
  } catch (const Error& e) {
    throw Error(Problem::kUnsupported, e.what());
  }
}

int side(const Yaml& node) {
  const std::int64_t value = node.integer();
  if (value < 1 || value > kMaxSide) {
    node.fail("expected a length from 1 to " + std::to_string(kMaxSide) + ", found " + node.text());
  }
  return static_cast<int>(value);
}

/// Two lengths, or one for both.
std::array<int, 2> sides(const Yaml& node) {
  if (node.kind() == Yaml::Kind::kScalar) return {side(node), side(node)};
  if (node.items().size() != 2) node.fail("expected two lengths, found " + std::to_string(node.items().size()));
  return {side(*node.items()[0]), side(*node.items()[1])};
}

std::array<double, 3> triple(const Yaml* node, const std::array<double, 3>& otherwise) {
  if (node == nullptr) return otherwise;
  if (node->kind() == Yaml::Kind::kScalar) return {node->number(), node->number(), node->number()};
  if (node->items().size() != 3)
    node->fail("expected three numbers, one for each channel, found " + std::to_string(node->items().size()));
  return {node->items()[0]->number(), node->items()[1]->number(), node->items()[2]->number()};
}

bool flag(const Yaml& node, std::string_view name, bool otherwise) {
  const Yaml* found = node.find(name);
  return found == nullptr ? otherwise : found->boolean();
}

double number(const Yaml& node, std::string_view name, double otherwise) {
  const Yaml* found = node.find(name);
  return found == nullptr ? otherwise : found->number();
}

/// Refuses what a step asks for besides what is understood, rather than answering as if it were not there.
void check_known(const Yaml& arguments, const std::string& step, const std::set<std::string_view>& known) {
  if (arguments.is_null()) return;
  for (const auto& [name, value] : arguments.members()) {
    if (known.count(name) != 0 || value->is_null()) continue;
    std::string all;
    for (const std::string_view k : known) all.append(all.empty() ? "" : ", ").append(k);
    unsupported(*value, "step " + step + " has '" + name + "', which is not known; known are: " + all);
  }
}

std::vector<std::string> names(const Yaml& list) {
  std::vector<std::string> all;
  for (const Yaml::Pointer& item : list.items()) all.push_back(item->text());
  return all;
}

/// By number as in OpenCV, or by name.
Interpolation interpolation(const Yaml* node, Interpolation otherwise) {
  if (node == nullptr) return otherwise;
  std::string name = node->text();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  if (name == "0" || name == "NEAREST") return Interpolation::kNearest;
  if (name == "1" || name == "LINEAR" || name == "BILINEAR") return Interpolation::kLinear;
  if (name == "2" || name == "CUBIC" || name == "BICUBIC") return Interpolation::kCubic;
  if (name == "3" || name == "AREA") return Interpolation::kArea;
  unsupported(*node, "interpolation '" + node->text() +
                         "' is not known; known are: NEAREST (0), LINEAR (1), CUBIC (2), AREA (3)");
}

// ---- PreProcess of PaddleClas, PaddleOCR and PaddleX: a list of names with arguments

void resize_image(const Yaml& a, Description& d) {
  check_known(a, "ResizeImage", {"resize_short", "size", "interpolation", "backend"});
  const Yaml* backend = a.find("backend");
  if (backend != nullptr && backend->text() != "cv2")
    unsupported(*backend, "backend '" + backend->text() + "' is not known; known is: cv2");
  Resize r{.interpolation = interpolation(a.find("interpolation"), Interpolation::kLinear)};
  if (const Yaml* shorter = a.find("resize_short")) {
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
  } else {
    if (const Yaml* length = a.find("limit_side_len")) r.length = side(*length);
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

/// Steps of training, or that make no difference to one picture.
void nothing(const Yaml&, Description&) {}

using Reader = void (*)(const Yaml& arguments, Description& description);

struct NamedReader {
  const char* name;
  Reader read;
};

constexpr NamedReader kTransformOps[] = {
    {"CropImage", crop_image},
    {"DecodeImage", decode_image},
    {"DetLabelEncode", nothing},
    {"DetResizeForTest", det_resize},
    {"KeepKeys", nothing},
    {"MultiLabelEncode", nothing},
    {"NormalizeImage", normalize_image},
    {"RecResizeImg", rec_resize},
    {"ResizeImage", resize_image},
    {"ToCHWImage", nothing},
};

template <std::size_t N>
void read_step(const NamedReader (&known)[N], const Yaml& at, const std::string& name, const Yaml& arguments,
               Description& d) {
  std::string all;
  for (const NamedReader& k : known) {
    if (name == k.name) return k.read(arguments, d);
    all.append(all.empty() ? "" : ", ").append(k.name);
  }
  unsupported(at, "step '" + name + "' is not known; known are: " + all);
}

void topk(const Yaml& a, Description& d) {
  check_known(a, "Topk", {"topk", "label_list", "class_id_map_file"});
  d.task = Task::kClassification;
  if (const Yaml* k = a.find("topk")) d.topk = side(*k);
  if (const Yaml* list = a.find("label_list")) {
    d.labels = names(*list);
  } else if (const Yaml* file = a.find("class_id_map_file")) {
    // The path is that of the machine that exported the model: what counts is the name.
    const std::filesystem::path beside =
        std::filesystem::path(d.file).parent_path() / std::filesystem::path(file->text()).filename();
    std::error_code error;
    if (std::filesystem::is_regular_file(beside, error)) d.labels = read_labels(beside.string());
  }
}

void multilabel(const Yaml& a, Description& d) {
  check_known(a, "MultiLabelThreshOutput", {"threshold", "label_list", "class_id_map_file"});
  d.task = Task::kMultilabel;
  d.threshold = static_cast<float>(number(a, "threshold", 0.5));
  if (const Yaml* list = a.find("label_list")) d.labels = names(*list);
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
  if (const Yaml* type = a.find("box_type"); type != nullptr && type->text() != "quad") {
    unsupported(*type, "box_type '" + type->text() + "' is not known; known is: quad");
  }
}

void ctc_decode(const Yaml& a, Description& d) {
  check_known(a, "CTCLabelDecode", {"name", "character_dict", "use_space_char"});
  d.task = Task::kTextRecognition;
  d.labels = names(a.at("character_dict"));
}

constexpr NamedReader kPostprocess[] = {
    {"CTCLabelDecode", ctc_decode},
    {"DBPostProcess", db_post},
    {"MultiLabelThreshOutput", multilabel},
    {"SavePreLabel", nothing},
    {"Topk", topk},
};

void read_with_ops(const Yaml& root, Description& d) {
  for (const Yaml::Pointer& step : root.at("PreProcess").at("transform_ops").items()) {
    if (step->members().size() != 1) step->fail("expected one step, found " + std::to_string(step->members().size()));
    const auto& [name, arguments] = step->members().front();
    read_step(kTransformOps, *step, name, *arguments, d);
  }
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

// ---- Preprocess of PaddleDetection: a list of types with arguments beside them

void det_resize_picture(const Yaml& a, Description& d) {
  check_known(a, "Resize", {"type", "target_size", "keep_ratio", "interp"});
  const std::array<int, 2> size = sides(a.at("target_size"));  // Height first.
  d.steps.emplace_back(Resize{.width = size[1],
                              .height = size[0],
                              .keep_ratio = flag(a, "keep_ratio", false),
                              .interpolation = interpolation(a.find("interp"), Interpolation::kCubic)});
}

void det_normalise(const Yaml& a, Description& d) {
  check_known(a, "NormalizeImage", {"type", "norm_type", "mean", "std", "is_scale"});
  const double scale = flag(a, "is_scale", true) ? 1.0 / 255 : 1.0;
  const Yaml* type = a.find("norm_type");
  // A null here is what exports write for the word none.
  if (type != nullptr && type->text() != "mean_std" && type->text() != "none")
    unsupported(*type, "norm_type '" + type->text() + "' is not known; known are: mean_std, none");
  const bool none = type != nullptr && type->text() == "none";
  d.steps.emplace_back(none ? normalise(scale, {0, 0, 0}, {1, 1, 1})
                            : normalise(scale, triple(a.find("mean"), kMean), triple(a.find("std"), kDeviation)));
}

void det_pad_stride(const Yaml& a, Description& d) {
  check_known(a, "PadStride", {"type", "stride"});
  d.steps.emplace_back(PadToMultiple{side(a.at("stride"))});
}

constexpr NamedReader kDetection[] = {{"NormalizeImage", det_normalise},
                                      {"PadStride", det_pad_stride},
                                      {"Permute", nothing},
                                      {"Resize", det_resize_picture}};

void read_layout(const Yaml& root, Description& d) {
  d.objects.suppress = flag(root, "layout_nms", false);
  if (const Yaml* ratio = root.find("layout_unclip_ratio")) {
    if (ratio->kind() == Yaml::Kind::kMapping)
      unsupported(*ratio, "layout_unclip_ratio by class is not supported, one for all is");
    const bool one = ratio->kind() == Yaml::Kind::kScalar;
    if (!one && ratio->items().size() != 2) ratio->fail("expected one ratio, or two for width and height");
    d.objects.grow = {static_cast<float>(one ? ratio->number() : ratio->items()[0]->number()),
                      static_cast<float>(one ? ratio->number() : ratio->items()[1]->number())};
  }
  if (const Yaml* mode = root.find("layout_merge_bboxes_mode")) {
    if (mode->kind() != Yaml::Kind::kScalar)
      unsupported(*mode, "layout_merge_bboxes_mode by class is not supported, one for all is");
    if (mode->text() != "union" && mode->text() != "large" && mode->text() != "small") {
      unsupported(*mode,
                  "layout_merge_bboxes_mode '" + mode->text() + "' is not known; known are: union, large, small");
    }
    d.objects.nested = mode->text() == "large"   ? ObjectOptions::Nested::kOuter
                       : mode->text() == "small" ? ObjectOptions::Nested::kInner
                                                 : ObjectOptions::Nested::kKeep;
  }
}

void read_detection(const Yaml& root, Description& d) {
  d.task = Task::kObjectDetection;
  for (const Yaml::Pointer& step : root.at("Preprocess").items())
    read_step(kDetection, *step, step->at("type").text(), *step, d);
  d.labels = names(root.at("label_list"));
  d.threshold = 0.5F;
  if (const Yaml* threshold = root.find("draw_threshold")) {
    if (threshold->kind() == Yaml::Kind::kMapping) {
      for (const auto& [id, value] : threshold->members()) {
        if (id.empty() || id.size() > 6 || id.find_first_not_of("0123456789") != std::string::npos)
          value->fail("expected the number of a class, found '" + id + "'");
        d.objects.thresholds[std::stoi(id)] = static_cast<float>(value->number());
      }
    } else {
      d.threshold = static_cast<float>(threshold->number());
    }
  }
  read_layout(root, d);
}

// ---- Deploy of PaddleSeg: likewise

/// `paddlex`: exports of PaddleX keep the ratio and round to multiples of 32 where nothing is said.
void seg_resize(const Yaml& a, Description& d, bool paddlex) {
  check_known(a, "Resize", {"type", "target_size", "keep_ratio", "size_divisor", "interp"});
  const Yaml* target = a.find("target_size");
  const bool any = target == nullptr ? paddlex : target->kind() == Yaml::Kind::kScalar && target->text() == "-1";
  if (any) return;
  const std::array<int, 2> size = target != nullptr ? sides(*target) : std::array<int, 2>{512, 512};
  const Yaml* divisor = a.find("size_divisor");
  d.steps.emplace_back(Resize{.width = size[0],
                              .height = size[1],
                              .keep_ratio = flag(a, "keep_ratio", paddlex),
                              .multiple_of = divisor != nullptr ? side(*divisor)
                                             : paddlex          ? 32
                                                                : 1,
                              .interpolation = interpolation(a.find("interp"), Interpolation::kLinear)});
}

void seg_normalise(const Yaml& a, Description& d) {
  check_known(a, "Normalize", {"type", "mean", "std"});
  const std::array<double, 3> half = {0.5, 0.5, 0.5};
  d.steps.emplace_back(normalise(1.0 / 255, triple(a.find("mean"), half), triple(a.find("std"), half)));
}

void seg_resize_by(const Yaml& a, Description& d, const char* key, Resize::To to) {
  check_known(a, a.at("type").text(), {"type", key, "interp"});
  d.steps.emplace_back(Resize{
      .to = to, .width = side(a.at(key)), .interpolation = interpolation(a.find("interp"), Interpolation::kLinear)});
}

constexpr NamedReader kSegmentation[] = {
    {"Normalize", seg_normalise},
    {"Resize", [](const Yaml& a, Description& d) { seg_resize(a, d, false); }},
    {"ResizeByLong", [](const Yaml& a, Description& d) { seg_resize_by(a, d, "long_size", Resize::To::kLong); }},
    {"ResizeByShort", [](const Yaml& a, Description& d) { seg_resize_by(a, d, "short_size", Resize::To::kShort); }},
};

void read_segmentation(const Yaml& root, Description& d) {
  d.task = Task::kSegmentation;
  const Yaml* global = root.find("Global");
  const bool paddlex = global != nullptr && global->find("model_name") != nullptr;
  // The picture is brought to size before it is normalised, whatever the order of the steps.
  std::vector<Step> later;
  for (const Yaml::Pointer& step : root.at("Deploy").at("transforms").items()) {
    const std::string& type = step->at("type").text();
    if (type == "Resize" && paddlex) {
      seg_resize(*step, d, true);
    } else {
      read_step(kSegmentation, *step, type, *step, d);
    }
    if (!d.steps.empty() && std::holds_alternative<Normalise>(d.steps.back())) {
      later.push_back(d.steps.back());
      d.steps.pop_back();
    }
  }
  d.steps.insert(d.steps.end(), later.begin(), later.end());
  if (const Yaml* list = root.find("label_list")) d.labels = names(*list);
}

}  // namespace

Normalise normalise(double scale, const std::array<double, 3>& mean, const std::array<double, 3>& deviation) {
  Normalise n{};
  for (std::size_t c = 0; c < 3; ++c) {
    n.factor[c] = static_cast<float>(scale / deviation[c]);
    n.term[c] = static_cast<float>(-mean[c] / deviation[c]);
  }
  return n;
}

std::string find_description(const std::string& model) {
  std::error_code error;
  std::filesystem::path folder = model;
  if (!std::filesystem::is_directory(folder, error)) folder = folder.parent_path();
  for (const char* name : {"inference.yml", "inference.yaml", "infer_cfg.yml", "deploy.yaml"}) {
    if (std::filesystem::exists(folder / name, error)) return (folder / name).string();
  }
  return {};
}

Description read_description(const std::string& path) {
  const Yaml::Pointer root = Yaml::read(path);
  Description d;
  d.file = path;
  if (root->find("PreProcess") != nullptr) {
    read_with_ops(*root, d);
  } else if (root->find("Preprocess") != nullptr) {
    read_detection(*root, d);
  } else if (root->find("Deploy") != nullptr) {
    read_segmentation(*root, d);
  } else {
    unsupported(*root,
                "has none of PreProcess (PaddleX, PaddleClas, PaddleOCR), Preprocess (PaddleDetection) and Deploy "
                "(PaddleSeg), so how pictures are prepared is not said");
  }
  const bool sized =
      std::any_of(d.steps.begin(), d.steps.end(), [](const Step& s) { return std::holds_alternative<LineResize>(s); });
  const bool normalised =
      std::any_of(d.steps.begin(), d.steps.end(), [](const Step& s) { return std::holds_alternative<Normalise>(s); });
  if (d.task == Task::kTextRecognition && !sized) root->fail("text recognition needs the step RecResizeImg");
  if (sized == normalised)
    root->fail(sized ? "RecResizeImg normalises already, NormalizeImage cannot follow"
                     : "a step that normalises is missing");
  return d;
}

Description usual_description(Task task, const std::vector<std::int64_t>& input) {
  const auto length = [&](std::size_t axis, int otherwise) {
    return input.size() == 4 && input[axis] > 0 && input[axis] <= kMaxSide ? static_cast<int>(input[axis]) : otherwise;
  };
  Description d;
  d.task = task;
  const Normalise usual = normalise(1.0 / 255, kMean, kDeviation);
  switch (task) {
    case Task::kClassification:
    case Task::kMultilabel: {
      const CentreCrop crop{length(3, 224), length(2, 224)};
      d.steps = {Resize{.to = Resize::To::kShort, .width = std::max(crop.width, crop.height) * 8 / 7}, crop, usual};
      d.threshold = task == Task::kMultilabel ? 0.5F : 0;
      break;
    }
    case Task::kTextDetection:
      d.rgb = false;
      d.steps = {TextResize{.limit = TextResize::Limit::kLongAtMost, .length = 960}, usual};
      break;
    case Task::kTextRecognition:
      d.rgb = false;
      d.steps = {LineResize{.height = length(2, 48), .width = length(3, 320)}};
      break;
    case Task::kSegmentation: {
      if (length(2, 0) != 0 && length(3, 0) != 0)
        d.steps.emplace_back(Resize{.width = length(3, 0), .height = length(2, 0)});
      d.steps.emplace_back(normalise(1.0 / 255, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}));
      break;
    }
    case Task::kObjectDetection:
      throw Error(Problem::kUsage,
                  "object detectors differ in how they take pictures: one needs its inference.yml (or infer_cfg.yml), "
                  "which was exported with it");
  }
  return d;
}

std::vector<std::string> read_labels(const std::string& path) {
  const std::string content = read_file(path, Problem::kFile, std::size_t{16} << 20);
  std::vector<std::string> labels;
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    std::string line = content.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) labels.push_back(line);
    begin = end + 1;
  }
  return labels;
}

}  // namespace coracle::vision
