// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <set>

#include "serve/failure.h"
#include "serve/pipeline.h"
#include "serve/yaml_json.h"

namespace coracle::serve {
namespace {

using internal::JsonValue;

[[noreturn]] void refuse_config(const std::string& message) { throw Failure(Code::kInvalidArgument, message); }

const JsonValue* member_of(const JsonValue& object, const std::string& name) {
  if (!object.IsObject()) return nullptr;
  const auto found = object.FindMember(name.c_str());
  return found == object.MemberEnd() || found->value.IsNull() ? nullptr : &found->value;
}

std::string text_of(const JsonValue& value) { return {value.GetString(), value.GetStringLength()}; }

/// PaddleX's files write null so too.
bool is_nothing(const JsonValue& value) { return value.IsNull() || (value.IsString() && text_of(value) == "None"); }

bool is_among(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Settings on which answers do not depend.
bool is_no_matter(std::string_view key) {
  return is_among(key, {"batch_size", "device", "engine", "engine_config", "use_hpip", "hpi_config", "pp_option",
                        "module_name", "model_name"});
}

/// The parts of a text between separators, none of them empty.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// A file of PaddleX.
class PipelineFile {
 public:
  PipelineFile(const std::string& path, const JsonValue& root) : path_(path), root_(root) {}

  PipelineConfig read() {
    const JsonValue* const name = member_of(root_, "pipeline_name");
    if (name == nullptr || !name->IsString())
      refuse_config(path_ + ": there is no pipeline_name; a file of PaddleX's pipelines has one");
    config_.name = text_of(*name);
    const PipelineKind& kind = pipeline_kind(config_.name);
    // Where nothing is said of them, PaddleX's pipelines take these.
    config_.detection = {.side = vision::TextDetection::Side::kLongAtMost,
                         .length = 960,
                         .most = 4000,
                         .threshold = 0.3,
                         .box_threshold = 0.6,
                         .unclip_ratio = 2.0};
    for (const PipelineStage& stage : kind.stages) {
      for (const std::string& name : split(stage.switches, ' ')) switches_.insert(name);
    }
    check_pipeline(root_, "");
    for (const PipelineStage& stage : kind.stages) {
      if (stage.module.empty() || !is_on(stage)) continue;
      if (module_of(stage.module) == nullptr && (stage.if_there || module_of(stage.stand_in) != nullptr)) continue;
      read_stage(stage);
    }
    read_serving();
    return std::move(config_);
  }

 private:
  [[noreturn]] void fail(const std::string& where, const std::string& what) const {
    refuse_config(path_ + ": " + where + " " + what);
  }

  /// The pipeline below the root: "GeneralOCR"; the root itself: "".
  const JsonValue* pipeline(const std::string& name) const {
    if (name.empty()) return &root_;
    const JsonValue* const all = member_of(root_, "SubPipelines");
    return all == nullptr ? nullptr : member_of(*all, name);
  }

  /// "GeneralOCR/TextDetection" to its parts; the first is empty for what is in the root.
  static std::pair<std::string, std::string> parts(std::string_view path) {
    const size_t slash = path.find('/');
    if (slash == std::string_view::npos) return {std::string(), std::string(path)};
    return {std::string(path.substr(0, slash)), std::string(path.substr(slash + 1))};
  }

  /// Null where the file has no such module: "GeneralOCR/TextDetection".
  const JsonValue* module_of(std::string_view path) const {
    const auto [where, name] = parts(path);
    const JsonValue* const node = pipeline(where);
    const JsonValue* const modules = node == nullptr ? nullptr : member_of(*node, "SubModules");
    return modules == nullptr ? nullptr : member_of(*modules, name);
  }

  bool is_on(const PipelineStage& stage) const {
    const std::vector<std::string> all = split(stage.switches, ' ');
    return std::all_of(all.begin(), all.end(), [&](const std::string& name) {
      const auto [where, flag] = parts(name);
      const JsonValue* const node = pipeline(where);
      const JsonValue* const value = node == nullptr ? nullptr : member_of(*node, flag);
      return value == nullptr || !value->IsFalse();
    });
  }

  /// Refuses what a pipeline would do that is not done here.
  void check_pipeline(const JsonValue& node, const std::string& name) {
    if (!node.IsObject()) fail(name, "is not a mapping");
    const std::string prefix = name.empty() ? "" : "SubPipelines." + name + ".";
    for (const auto& [key, value] : node.GetObject()) {
      const std::string word = text_of(key);
      const std::string place = prefix + word;
      if (is_nothing(value) || value.IsFalse() || is_no_matter(word) ||
          is_among(word, {"pipeline_name", "SubModules", "SubPipelines", "Serving"}))
        continue;
      if (switches_.contains(name.empty() ? word : name + "/" + word)) {
        if (!value.IsBool()) fail(place, "is not True or False");
        continue;
      }
      if (word == "text_type" && value.IsString() && text_of(value) == "general") continue;
      if (word == "markdown_ignore_labels") continue;
      fail(place, value.IsTrue() ? "cannot be done here: set it to False" : "is not known here: leave it out");
    }
  }

  void read_stage(const PipelineStage& stage) {
    const auto [where, name] = parts(stage.module);
    const std::string place = (where.empty() ? "" : "SubPipelines." + where + ".") + "SubModules." + name;
    const JsonValue* const node = pipeline(where);
    if (node != nullptr && !where.empty() && checked_.insert(where).second) check_pipeline(*node, where);
    const JsonValue* const module = module_of(stage.module);
    const JsonValue* const folder = module == nullptr ? nullptr : member_of(*module, "model_dir");
    if (folder == nullptr || !folder->IsString()) {
      std::string advice = "; give the folder of the model, nothing is downloaded";
      for (const std::string& flag : split(stage.switches, ' ')) advice += ", or set " + parts(flag).second + ": False";
      fail(place + ".model_dir", "is not given" + advice);
    }
    config_.models.emplace(stage.name, text_of(*folder));
    for (const auto& [key, value] : module->GetObject()) {
      const std::string word = text_of(key);
      if (word == "model_dir" || is_nothing(value) || value.IsFalse() || is_no_matter(word)) continue;
      if (!read_setting(stage.name, word, value)) fail(place + "." + word, "is not known here: leave it out");
    }
  }

  /// False where there is no such setting of such a value.
  bool read_setting(std::string_view stage, const std::string& key, const JsonValue& value) {
    if (stage == "det") {
      if (key == "limit_type" && value.IsString()) {
        config_.detection.side = side_of(text_of(value));
        return config_.detection.side.has_value();
      }
      if (!value.IsNumber()) return false;
      const double number = value.GetDouble();
      if (!(number >= 0 && number < 1e6)) return false;
      if (key == "limit_side_len") config_.detection.length = static_cast<int>(number);
      if (key == "max_side_limit") config_.detection.most = static_cast<int>(number);
      if (key == "thresh") config_.detection.threshold = number;
      if (key == "box_thresh") config_.detection.box_threshold = number;
      if (key == "unclip_ratio") config_.detection.unclip_ratio = number;
      return is_among(key, {"limit_side_len", "max_side_limit", "thresh", "box_thresh", "unclip_ratio"});
    }
    if (!value.IsNumber()) return false;
    if (stage == "rec" && key == "score_thresh") {
      config_.min_score = value.GetDouble();
      return true;
    }
    if (stage == "model" && key == "topk" && value.IsInt() && value.GetInt() > 0) {
      config_.topk = value.GetInt();
      return true;
    }
    if ((stage == "model" || stage == "layout") && key == "threshold") {
      config_.threshold = static_cast<float>(value.GetDouble());
      return true;
    }
    return false;
  }

  void read_serving() {
    const JsonValue* const serving = member_of(root_, "Serving");
    if (serving == nullptr) return;
    if (const JsonValue* visualize = member_of(*serving, "visualize"); visualize != nullptr && visualize->IsBool())
      config_.visualize = visualize->GetBool();
    for (const char* name : {"return_urls", "extra"}) {
      const JsonValue* const value = member_of(*serving, name);
      if (value != nullptr && !value->IsFalse())
        config_.notes.push_back(path_ + ": Serving." + name + " does nothing here: pictures are sent in base64");
    }
  }

  const std::string& path_;
  const JsonValue& root_;
  std::set<std::string> switches_;
  std::set<std::string> checked_;
  PipelineConfig config_;
};

/// "OCR:det=FOLDER,rec=FOLDER": settings are those of PaddleX's own files.
PipelineConfig read_short(const std::string& argument) {
  const size_t colon = argument.find(':');
  PipelineConfig config;
  config.name = argument.substr(0, colon);
  const PipelineKind& kind = pipeline_kind(config.name);
  config.detection = {.side = vision::TextDetection::Side::kShortAtLeast,
                      .length = kind.name == "OCR" ? 64 : 736,
                      .most = 4000,
                      .threshold = 0.3,
                      .box_threshold = 0.6,
                      .unclip_ratio = 1.5};
  std::string known;
  for (const PipelineStage& stage : kind.stages) known.append(known.empty() ? "" : ", ").append(stage.name);
  const std::string rest = colon == std::string::npos ? std::string() : argument.substr(colon + 1);
  for (const std::string& part : split(rest, ',')) {
    const size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const bool stage =
        std::any_of(kind.stages.begin(), kind.stages.end(), [&](const auto& s) { return s.name == name; });
    if (equals == std::string::npos || !stage)
      refuse_config("--pipeline " + argument + ": '" + part + "' is not STAGE=FOLDER of a stage among " + known);
    if (!config.models.emplace(name, part.substr(equals + 1)).second)
      refuse_config("--pipeline " + argument + ": '" + name + "' is there twice");
  }
  if (config.models.empty())
    refuse_config("--pipeline " + argument + ": no stage has a model; the stages are " + known);
  for (const PipelineStage& stage : kind.stages) {
    if (stage.needed && config.model(std::string(stage.name)).empty())
      refuse_config("--pipeline " + argument + ": the stage '" + std::string(stage.name) + "' has no model");
  }
  return config;
}

}  // namespace

std::optional<vision::TextDetection::Side> side_of(std::string_view limit_type) {
  if (limit_type == "min") return vision::TextDetection::Side::kShortAtLeast;
  if (limit_type == "max") return vision::TextDetection::Side::kLongAtMost;
  if (limit_type == "resize_long") return vision::TextDetection::Side::kLongIs;
  return std::nullopt;
}

PipelineConfig read_pipeline(const std::string& argument) {
  const std::string extension = std::filesystem::path(argument).extension();
  if (extension != ".yaml" && extension != ".yml") return read_short(argument);
  const internal::JsonDocument document = read_yaml(argument);
  return PipelineFile(argument, document).read();
}

}  // namespace coracle::serve
