// SPDX-License-Identifier: Apache-2.0
#include "serve/text_reader_model.h"

#include <filesystem>
#include <utility>

#include "serve/repository.h"

namespace coracle::serve {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_reader(const std::string& name, const std::string& what) {
  throw Failure(Code::kInvalidArgument, "reader '" + name + "' " + what);
}

/// `path` is that of a version, or of the folder with config.pbtxt, from which a relative path of a file counts.
TextReaderModels models_of(const std::string& name, const std::string& path, const ModelConfig& config) {
  TextReaderModels models;
  models.name = name;
  const std::map<std::string, std::string*> fields = {{"detector", &models.detector},
                                                      {"recognizer", &models.recognizer},
                                                      {"classifier", &models.classifier},
                                                      {"dictionary", &models.dictionary}};
  for (const auto& [key, value] : config.parameters) {
    const auto field = fields.find(key);
    if (field == fields.end())
      refuse_reader(name, "has the parameter '" + key + "', expected detector, recognizer, classifier or dictionary");
    *field->second = value;
  }
  if (models.detector.empty() || models.recognizer.empty())
    refuse_reader(name, "needs the parameters detector and recognizer, which name models");
  if (!config.inputs.empty() || !config.outputs.empty() || config.dynamic_batching || config.instances != 0)
    refuse_reader(name, "has input, output, dynamic_batching or instance_group, which belong to its models");
  if (models.dictionary.empty()) return models;
  fs::path folder = path;
  if (!fs::exists(folder / "config.pbtxt")) folder = folder.parent_path();
  models.dictionary = folder / models.dictionary;
  if (!fs::is_regular_file(models.dictionary))
    refuse_reader(name, "needs the dictionary " + models.dictionary + ", which is not a file");
  return models;
}

}  // namespace

TextReaderModel::TextReaderModel(const std::string& name, int64_t version, const std::string& path, ModelConfig config,
                                 const FindModel& find)
    : ServedModel(name, version, path, MemoryBudget()), models_(models_of(name, path, config)) {
  for (const std::string& part : models_joined(config)) {
    try {
      if (find(part, "")->config().platform == kTextReaderPlatform)
        refuse_reader(name, "needs a model, '" + part + "' is a reader");
    } catch (const Failure& failure) {
      if (failure.code() == Code::kInvalidArgument) throw;
      refuse_reader(name, std::string("needs another model: ") + failure.what());
    }
  }
  config.name = name;
  describe(std::move(config), {}, {}, 0);
}

void TextReaderModel::submit(InferencePtr) {
  throw Failure(Code::kInvalidArgument, "'" + name() + "' is a reader of text: it takes pictures, at /v2/models/" +
                                            name() + "/predict, and no tensors");
}

std::vector<TextReaderModels> readers_of(const Repository& repository) {
  std::vector<TextReaderModels> readers;
  for (const std::shared_ptr<ServedModel>& model : repository.loaded()) {
    const auto* const reader = dynamic_cast<const TextReaderModel*>(model.get());
    if (reader != nullptr) readers.push_back(reader->models());
  }
  return readers;
}

}  // namespace coracle::serve
