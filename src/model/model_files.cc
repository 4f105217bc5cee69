// SPDX-License-Identifier: Apache-2.0
#include "model/model_files.h"

#include <algorithm>
#include <array>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/system/path.h"
#include "model/archive.h"
#include "model/foreign.h"
#include "model/paddle_lite.h"
#include "saved/read.h"

namespace coracle::internal {
namespace {

constexpr std::string_view kProgram = ".pdmodel";
constexpr std::string_view kParams = ".pdiparams";
constexpr std::string_view kJson = ".json";
constexpr std::string_view kSaved = ".coracle";
constexpr std::string_view kLiteFile = ".nb";

/// Names of the two buffers of a model in memory.
constexpr const char* kMemoryProgram = "program in memory";
constexpr const char* kMemoryParams = "parameters in memory";

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, std::max<size_t>(slash, 1));
}

std::string_view file_of(const std::string& path) { return std::string_view(path).substr(path.rfind('/') + 1); }

std::string without_suffix(const std::string& path, std::string_view suffix) {
  return path.substr(0, path.size() - suffix.size());
}

/// Programs of a folder that are taken before others, in this order.
constexpr std::array<std::string_view, 6> kFirst{"__model__.json",    "__model__",  "inference.json",
                                                 "inference.pdmodel", "model.json", "model.pdmodel"};

bool is_usual(std::string_view name) { return std::find(kFirst.begin(), kFirst.end(), name) != kFirst.end(); }

/// Those of the first exports, which have no suffix.
constexpr std::string_view kBareProgram = "model";
constexpr std::string_view kBareParams = "params";

/// What is saved beside a model, and taken where there is no other.
bool is_saved_name(std::string_view name) {
  return name.ends_with(kSaved) || name.ends_with(kLiteFile) || name.starts_with("_optimized.");
}

bool starts_as_json(std::span<const uint8_t> bytes) {
  for (uint8_t b : bytes) {
    if (b == ' ' || b == '\t' || b == '\r' || b == '\n') continue;
    return b == '{';
  }
  return false;
}

/// True if the file is a PIR program and not some other JSON: "base_code" is its first key.
bool is_pir_program(const File& file) {
  std::array<uint8_t, 4096> bytes;
  const std::span<const uint8_t> head(bytes.data(), file.read(0, bytes));
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return starts_as_json(head) && text.find("\"base_code\"") != std::string_view::npos;
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out.append(out.empty() ? "" : ", ").append(name);
  return out;
}

std::string joined_names(std::vector<std::string> names) {
  for (std::string& name : names) name = in_quotes(name);
  return listed(names);
}

/// "; it holds 'net.onnx', which is an ONNX model (what to do)" of files without a program among them; else nothing.
std::string foreign_models(const ByteSource& files, const std::string& folder, const std::vector<std::string>& names) {
  constexpr size_t kMost = 16;  // that are looked at
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    try {
      const std::optional<File> file = files.open(join_path(folder, names[i]));
      const ForeignKind* kind = file ? foreign_kind(*file) : nullptr;
      if (kind == nullptr || !kind->is_model) continue;
      return text("; it holds ", in_quotes(names[i]), ", which is ", kind->what, ": ", kind->advice);
    } catch (const Error&) {  // cannot be read: what it is stays unsaid
    }
  }
  return {};
}

/// Names of the programs in a folder that holds `names`: X.json of PIR, X.pdmodel, __model__. Without any `model`, or
/// saved models, or what is named as a program and is none: reading it says why.
std::vector<std::string> programs_among(const ByteSource& files, const std::string& folder,
                                        const std::vector<std::string>& names) {
  const auto has = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  std::vector<std::string> programs;
  std::vector<std::string> broken;
  std::vector<std::string> saved;
  for (const std::string& name : names) {
    const bool is_json = name.ends_with(kJson) && name != kFirst[0];
    if (is_saved_name(name)) {
      if (!name.ends_with(kParams)) saved.push_back(name);
    } else if (is_json) {
      const std::optional<File> file = files.open(join_path(folder, name));
      if (file && is_pir_program(*file)) {
        programs.push_back(name);
      } else if (is_usual(name) || has(without_suffix(name, kJson).append(kParams))) {
        broken.push_back(name);
      }
    } else if (name.ends_with(kProgram) || is_usual(name)) {
      programs.push_back(name);
    }
  }
  if (programs.empty() && has(kBareProgram)) programs.emplace_back(kBareProgram);
  if (programs.empty()) programs = saved;
  return programs.empty() ? broken : programs;
}

/// The program of a folder, and the names of others there.
struct FoundProgram {
  std::string path;
  std::vector<std::string> others;
};

/// The first of kFirst, or else the only program there is.
FoundProgram program_in(const ByteSource& files, const std::string& folder) {
  const std::vector<std::string> names = files.list(folder);
  FoundProgram found{.path = {}, .others = programs_among(files, folder, names)};
  std::vector<std::string>& programs = found.others;
  require(!programs.empty(), ErrorCode::kIo, "no model in the folder ", in_quotes(folder),
          ": looked for __model__, __model__.json, *.pdmodel and *.json with a PIR program",
          programs.empty() ? foreign_models(files, folder, names) : "");
  auto taken = programs.end();
  for (std::string_view first : kFirst) {
    if (taken == programs.end()) taken = std::find(programs.begin(), programs.end(), first);
  }
  if (taken == programs.end()) {
    require(programs.size() == 1, ErrorCode::kInvalidArgument, "the folder ", in_quotes(folder),
            " holds several models (", listed(programs), "): name one of them");
    taken = programs.begin();
  }
  found.path = join_path(folder, *taken);
  programs.erase(taken);
  return found;
}

/// The folder of the archive that has a model.
std::string model_folder(const ArchiveSource& archive, const File& file) {
  std::vector<std::string> found;
  for (const std::string& folder : archive.folders()) {
    if (!programs_among(archive, folder, archive.list(folder)).empty()) found.push_back(folder);
  }
  require(found.size() < 2, ErrorCode::kInvalidArgument, "the archive ", in_quotes(file.name()),
          " holds several models (", joined_names(found), "): name one of them");
  if (found.size() == 1) return found.front();
  const std::string none = text("no model in the archive ", in_quotes(file.name()),
                                ": looked in its folders for __model__, __model__.json, *.pdmodel and *.json with a "
                                "PIR program",
                                foreign_models(archive, file.name(), archive.files()));
  const ForeignKind* kind = foreign_kind(file);
  if (kind != nullptr && kind->is_model) fail_reading(file, Error(ErrorCode::kInvalidModel, none));
  fail(ErrorCode::kIo, none);
}

/// The file as an archive, or null. A damaged one may be another's, which are archives too.
std::shared_ptr<const ArchiveSource> opened(const File& file, const std::shared_ptr<const ByteSource>& outer) {
  try {
    return ArchiveSource::of(file, outer);
  } catch (const Error& error) {
    const ForeignKind* kind = foreign_kind(file);
    if (kind != nullptr && kind->is_model) fail_reading(file, error);
    throw;
  }
}

/// Takes the archive that the model is, or is in, for the folder of its files.
void enter_archive(ModelSource& source) {
  std::string& model = source.model;
  use_slashes(model);
  use_slashes(source.params);
  while (model.size() > 1 && model.back() == '/') model.pop_back();
  require(!model.empty(), ErrorCode::kInvalidArgument, "no model was named");
  if (source.files->is_folder(source.model)) return;
  std::string path = source.model;
  std::optional<File> file = source.files->open(path);
  while (!file && !path.empty()) {  // "x.tar/folder"
    path = path.find('/') == std::string::npos ? std::string() : folder_of(path);
    if (path == "/") return;
    if (is_archive_name(path)) file = source.files->open(path);
  }
  if (!file) return;
  const std::shared_ptr<const ArchiveSource> archive = opened(*file, source.files);
  if (archive == nullptr) return;
  source.files = archive;
  if (source.model == path) source.model = model_folder(*archive, *file);
}

/// Programs that belong to a parameter file, in the order they are tried.
std::vector<std::string> programs_for(const std::string& params) {
  const std::string folder = folder_of(params);
  if (params.ends_with(kParams)) {
    const std::string stem = without_suffix(params, kParams);
    return {text(stem, kJson), text(stem, kProgram), join_path(folder, "__model__")};
  }
  if (file_of(params) == kBareParams) return {join_path(folder, kBareProgram)};
  return {join_path(folder, "__model__"), join_path(folder, "__model__.json")};
}

/// Combined parameter files that belong to a program, in the order they are tried.
std::vector<std::string> params_for(const std::string& program) {
  std::vector<std::string> names;
  for (std::string_view suffix : {kProgram, kJson}) {
    if (program.ends_with(suffix)) names.push_back(text(without_suffix(program, suffix), kParams));
  }
  if (names.empty()) names.push_back(text(program, kParams));
  const std::string folder = folder_of(program);
  if (file_of(program) == kBareProgram) names.push_back(join_path(folder, kBareParams));
  names.push_back(join_path(folder, "__params__"));
  return names;
}

bool is_params_name(const std::string& path) {
  return path.ends_with(kParams) || file_of(path) == "__params__" || file_of(path) == kBareParams;
}

File open_program(const ByteSource& files, const std::vector<std::string>& names, std::string_view why) {
  for (const std::string& name : names) {
    if (std::optional<File> file = files.open(name)) return *std::move(file);
  }
  fail(ErrorCode::kIo, "no program file", why, ": looked for ", joined_names(names));
}

}  // namespace

ModelSource ModelSource::in_memory(FileBytes program, FileBytes params) {
  program.name = kMemoryProgram;
  params.name = kMemoryParams;
  const bool has_params = !params.bytes.empty();
  return by_callback(
      [program = std::move(program), params = std::move(params)](const std::string& name) -> std::optional<FileBytes> {
        if (name == kMemoryProgram) return program;
        if (name == kMemoryParams) return params;
        return std::nullopt;
      },
      kMemoryProgram, has_params ? kMemoryParams : "");
}

std::optional<File> ModelFiles::open_combined() const {
  if (combined.empty()) return std::nullopt;
  std::optional<File> file = files->open_weights(combined, weights);
  require(file.has_value(), ErrorCode::kIo, "no parameter file ", in_quotes(combined));
  return file;
}

std::optional<File> ModelFiles::open_single(std::string_view parameter) const {
  return files->open_weights_inside(folder, parameter, weights, outside_links);
}

void ModelFiles::read_program(const File& file) {
  if (is_saved_model(file)) {
    program = {.name = file.name(), .owner = nullptr, .bytes = {}};
    saved = file;
    return;
  }
  if (paddle_lite::is_model(file)) {
    program = {.name = file.name(), .owner = nullptr, .bytes = {}};
    program_stamp = file.stamp();
    paddle_lite = file;
    return;
  }
  constexpr size_t kMost = size_t{1} << 31U;  // bytes of a message of Protocol Buffers
  if (file.size() >= kMost) {
    fail_reading(file, Error(ErrorCode::kInvalidModel,
                             text("the program ", in_quotes(file.name()), " has ", counted(file.size(), "byte"),
                                  ", expected fewer than ", kMost, ": is this the parameter file?")));
  }
  program = file.read_all();
  program_stamp = file.stamp();
  is_pir = starts_as_json(program.bytes) || file.name().ends_with(kJson);
}

ModelFiles find_model_files(ModelSource source) {
  std::string& model = source.model;
  std::string& params = source.params;
  enter_archive(source);
  const ByteSource& files = *source.files;

  ModelFiles found;
  found.files = source.files;
  if (files.is_folder(model)) {
    FoundProgram program = program_in(files, model);
    found.read_program(open_program(files, {program.path}, ""));
    found.passed_over = std::move(program.others);
    // As in Paddle's own interface, a parameter file may be named relative to the model's folder.
    const bool relative = !params.empty() && !is_absolute(params);
    if (relative && !files.is_folder(params) && !files.open(params)) params = join_path(model, params);
  } else if (params.empty() && is_params_name(model)) {
    require(files.open(model).has_value(), ErrorCode::kIo, "no such file: ", in_quotes(model));
    found.read_program(open_program(files, programs_for(model), text(" for the parameters ", in_quotes(model))));
    params = model;
  } else {
    const std::optional<File> program = files.open(model);
    require(program.has_value(), ErrorCode::kIo, "no such model: ", in_quotes(model));
    found.read_program(*program);
  }
  if (found.saved || found.paddle_lite) {
    // Programs for Paddle name a parameter file with every model: what stands there then is empty.
    const std::optional<File> file = params.empty() ? std::nullopt : files.open(params);
    require(params.empty() || (file && file->size() == 0), ErrorCode::kInvalidArgument,
            found.saved ? "the saved model " : "the file of Paddle Lite ", in_quotes(found.program.name),
            " contains its weights: it does not take the parameter file ", in_quotes(params));
    return found;
  }
  found.folder = folder_of(found.program.name);

  if (!params.empty() && files.is_folder(params)) {
    found.folder = params;
    found.looked_for = text("one file per parameter in ", in_quotes(params));
  } else if (!params.empty()) {
    require(files.open(params).has_value(), ErrorCode::kIo, "no such parameter file: ", in_quotes(params));
    found.combined = params;
    found.looked_for = in_quotes(params);
  } else {
    const std::vector<std::string> names = params_for(found.program.name);
    for (const std::string& name : names) {
      if (!files.open(name)) continue;
      found.combined = name;
      break;
    }
    found.looked_for = text(joined_names(names), " and one file per parameter in ",
                            in_quotes(found.folder.empty() ? "." : found.folder));
  }
  return found;
}

std::optional<File> find_beside(ModelSource source, std::string_view name) {
  require(stays_below(name), ErrorCode::kInvalidArgument, in_quotes(name), " is not the name of a file beside a model");
  enter_archive(source);
  const ByteSource& files = *source.files;
  const bool is_folder = files.is_folder(source.model);
  require(is_folder || files.open(source.model).has_value(), ErrorCode::kIo,
          "no such model: ", in_quotes(source.model));
  return files.open(join_path(is_folder ? source.model : folder_of(source.model), name));
}

}  // namespace coracle::internal
