// SPDX-License-Identifier: Apache-2.0
#include "model/model_files.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/printable.h"

namespace coracle {
namespace {

constexpr std::string_view kProgram = ".pdmodel";
constexpr std::string_view kParams = ".pdiparams";
constexpr std::string_view kJson = ".json";

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

/// The program of a folder: __model__.json, __model__, or the only X.json / X.pdmodel. Of several, "inference" and
/// "model" go first, and of the same name the newer format.
std::string program_in(const ByteSource& files, const std::string& folder) {
  const std::vector<std::string> names = files.list(folder);
  const auto has = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  for (std::string_view fixed : {"__model__.json", "__model__"}) {
    if (has(fixed)) return join_path(folder, fixed);
  }
  std::vector<std::string> programs;
  for (const std::string& name : names) {
    if (name.ends_with(kProgram)) programs.push_back(name);
    if (name.ends_with(kJson)) {
      const std::optional<File> file = files.open(join_path(folder, name));
      if (file && is_pir_program(*file)) programs.push_back(name);
    }
  }
  require(!programs.empty(), ErrorCode::kIo, "no model in the folder ", in_quotes(folder),
          ": looked for __model__, __model__.json, *.pdmodel and *.json with a PIR program");
  if (programs.size() > 1) {
    for (std::string_view usual : {"inference.json", "inference.pdmodel", "model.json", "model.pdmodel"}) {
      if (std::find(programs.begin(), programs.end(), usual) != programs.end()) return join_path(folder, usual);
    }
  }
  std::string choices;
  for (const std::string& name : programs) choices.append(choices.empty() ? "" : ", ").append(name);
  require(programs.size() == 1, ErrorCode::kIo, "the folder ", in_quotes(folder), " holds several models (", choices,
          "): name one of them");
  return join_path(folder, programs.front());
}

/// Programs that belong to a parameter file, in the order they are tried.
std::vector<std::string> programs_for(const std::string& params) {
  const std::string folder = folder_of(params);
  if (params.ends_with(kParams)) {
    const std::string stem = without_suffix(params, kParams);
    return {text(stem, kJson), text(stem, kProgram), join_path(folder, "__model__")};
  }
  return {join_path(folder, "__model__"), join_path(folder, "__model__.json")};
}

/// Combined parameter files that belong to a program, in the order they are tried.
std::vector<std::string> params_for(const std::string& program) {
  std::vector<std::string> names;
  for (std::string_view suffix : {kProgram, kJson}) {
    if (program.ends_with(suffix)) names.push_back(text(without_suffix(program, suffix), kParams));
  }
  if (names.empty()) names.push_back(text(program, kParams));
  names.push_back(join_path(folder_of(program), "__params__"));
  return names;
}

bool is_params_name(const std::string& path) { return path.ends_with(kParams) || file_of(path) == "__params__"; }

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out.append(out.empty() ? "" : ", ").append(in_quotes(name));
  return out;
}

File open_program(const ByteSource& files, const std::vector<std::string>& names, std::string_view why) {
  for (const std::string& name : names) {
    if (std::optional<File> file = files.open(name)) return *std::move(file);
  }
  fail(ErrorCode::kIo, "no program file", why, ": looked for ", joined(names));
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
  return files->open_weights_inside(folder, parameter, weights);
}

void ModelFiles::read_program(const File& file) {
  constexpr size_t kMost = size_t{1} << 31U;  // bytes of a message of Protocol Buffers
  require(file.size() < kMost, ErrorCode::kInvalidModel, "the program ", in_quotes(file.name()), " has ", file.size(),
          " bytes, a program has less than ", kMost, ": are these the parameters?");
  program = file.read_all();
  program_stamp = file.stamp();
  is_pir = starts_as_json(program.bytes);
}

ModelFiles find_model_files(const ModelSource& source) {
  const ByteSource& files = *source.files;
  std::string model = source.model;
  std::string params = source.params;
  while (model.size() > 1 && model.back() == '/') model.pop_back();
  require(!model.empty(), ErrorCode::kInvalidArgument, "no model was named");

  ModelFiles found;
  found.files = source.files;
  if (files.is_folder(model)) {
    found.read_program(open_program(files, {program_in(files, model)}, ""));
    // As in Paddle's own interface, a parameter file may be named relative to the model's folder.
    const bool relative = !params.empty() && params.front() != '/';
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
    found.looked_for =
        text(joined(names), " and one file per parameter in ", in_quotes(found.folder.empty() ? "." : found.folder));
  }
  return found;
}

}  // namespace coracle
