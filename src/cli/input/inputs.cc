// SPDX-License-Identifier: Apache-2.0
#include "cli/input/inputs.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>

#include "base/system/native_path.h"
#include "cli/failure.h"
#include "cli/file.h"
#include "cli/note.h"
#include "cli/text.h"
#include "client/element.h"
#include "client/image.h"
#include "client/npy.h"
#include "client/tensor_json.h"

namespace coracle::cli {
namespace {

using Named = std::map<std::string, std::string>;

template <class T>
void add(std::map<std::string, T>& to, const std::string& name, T value, const std::string& entry) {
  if (!to.emplace(name, std::move(value)).second) {
    throw Failure(ExitCode::kUsage, entry + ": given twice for the input '" + name + "'");
  }
}

/// "NAME=VALUE" entries by name; every name must be an input and stand once.
Named by_name(const std::vector<std::string>& entries, const std::vector<coracle::TensorInfo>& inputs,
              const char* option) {
  Named out;
  for (const std::string& e : entries) {
    auto [index, value] = split_entry(e, inputs, option);
    add(out, inputs[index].name, std::move(value), std::string(option) + " " + e);
  }
  return out;
}

bool ends(const std::string& path, const char* ending) { return lower_case(path).ends_with(ending); }

/// What --input gives an input: a file, or what was in one for all inputs.
struct Given {
  std::string path;
  std::optional<client::Tensor> array;
};

using GivenByName = std::map<std::string, Given>;

/// Takes every array of a file without an input's name for the input of its name.
void take_all(const std::string& path, const std::vector<coracle::TensorInfo>& inputs, GivenByName& given) {
  const std::string option = "--input " + path;
  const auto known = [&](const std::string& name) {
    if (std::any_of(inputs.begin(), inputs.end(), [&](const coracle::TensorInfo& i) { return i.name == name; })) return;
    throw Failure(ExitCode::kUsage,
                  option + ": the model has no input '" + name + "'; its inputs are: " + names_of(inputs));
  };
  if (ends(path, ".npz")) {
    for (auto& [name, array] : client::parse_npz(path, read_file(path))) {
      known(name);
      add<Given>(given, name, {path, std::move(array)}, option);
    }
    return;
  }
  const std::vector<std::string> names = client::json_names(read_file(path));
  if (names.empty()) {
    throw Failure(ExitCode::kUsage,
                  option + ": expected an object with values by the names of inputs, or NAME=" + path);
  }
  for (const std::string& name : names) {
    known(name);
    add<Given>(given, name, {path, std::nullopt}, option);
  }
}

GivenByName files_by_name(const std::vector<std::string>& entries, const std::vector<coracle::TensorInfo>& inputs) {
  GivenByName given;
  for (const std::string& e : entries) {
    if (e.find('=') == std::string::npos && (ends(e, ".npz") || ends(e, ".json"))) {
      take_all(e, inputs, given);
      continue;
    }
    auto [index, path] = split_entry(e, inputs, "--input");
    add<Given>(given, inputs[index].name, {std::move(path), std::nullopt}, "--input " + e);
  }
  return given;
}

/// "0,3,7"
std::vector<int64_t> numbers(const std::string& list, const std::string& option) {
  if (list.find_first_not_of("0123456789,") != std::string::npos) {
    throw Failure(ExitCode::kUsage, option + "=" + list + ": expected offsets like 0,3,7/0,1,2");
  }
  return parse_dims(list, option);
}

/// "0,3,7/0,1,2,5,6,8,9,10": levels from the coarsest.
coracle::Lod offsets(const std::string& levels, const std::string& option) {
  coracle::Lod out;
  for (size_t start = 0; start <= levels.size();) {
    const size_t slash = std::min(levels.find('/', start), levels.size());
    const std::vector<int64_t> level = numbers(levels.substr(start, slash - start), option);
    if (level.empty()) throw Failure(ExitCode::kUsage, option + "=" + levels + ": expected offsets like 0,3,7/0,1,2");
    out.emplace_back(level.begin(), level.end());
    start = slash + 1;
  }
  return out;
}

/// splitmix64 started at the FNV-1a hash of a text: the same numbers on every machine.
class Generator {
 public:
  explicit Generator(const std::string& seed) {
    for (char c : seed) state_ = (state_ ^ static_cast<uint8_t>(c)) * 0x100000001B3ULL;
  }
  uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }
  /// In [0, 1).
  double uniform() { return static_cast<double>(next() >> 40U) / 16777216.0; }

 private:
  uint64_t state_ = 0xCBF29CE484222325ULL;
};

template <class T, class F>
void fill(client::Tensor& a, const F& next) {
  const size_t count = client::element_count(a.dims);
  for (size_t i = 0; i < count; ++i) {
    const T value = static_cast<T>(next());
    std::memcpy(a.bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
}

client::Tensor made_up(const coracle::TensorInfo& info, const coracle::Dims& dims, const std::string& seed) {
  client::Tensor a = client::zeros(info.dtype, dims);
  Generator g(seed + "#" + info.name);
  const auto real = [&] { return 2.0 * g.uniform() - 1.0; };
  const auto bit = [&] { return g.next() >> 63U; };
  switch (info.dtype) {
    case CORACLE_FLOAT32: fill<float>(a, real); break;
    case CORACLE_FLOAT64: fill<double>(a, real); break;
    case CORACLE_INT64: fill<int64_t>(a, bit); break;
    case CORACLE_INT32: fill<int32_t>(a, bit); break;
    case CORACLE_INT16: fill<int16_t>(a, bit); break;
    case CORACLE_BOOL:
    case CORACLE_INT8:
    case CORACLE_UINT8: fill<uint8_t>(a, bit); break;
    default: break;  // zeros
  }
  return a;
}

/// Dimensions of a made-up input: those given, else the model's with 1 for a free first one.
coracle::Dims run_dims(const coracle::TensorInfo& info, const Named& shapes) {
  if (const auto it = shapes.find(info.name); it != shapes.end()) return parse_dims(it->second, "--shape " + info.name);
  coracle::Dims dims = info.dims;
  if (!dims.empty() && dims[0] < 0) dims[0] = 1;
  if (!info.rank_known || std::any_of(dims.begin(), dims.end(), [](int64_t d) { return d < 0; })) {
    throw Failure(ExitCode::kUsage, "input '" + info.name + "' is missing: it is " + client::type_text(info) +
                                        "; give --input " + info.name + "=FILE.npy, or --shape " + info.name +
                                        "=... for made-up values");
  }
  return dims;
}

/// What is said of all inputs, by their names.
struct Stated {
  GivenByName files;
  Named shapes;
  Named lods;
  Named dtypes;
  const ImageOptions& image;
};

Input from_picture(const coracle::TensorInfo& info, const std::string& path, const Stated& stated) {
  const bool sized = stated.shapes.find(info.name) != stated.shapes.end();
  const coracle::Dims dims = sized ? run_dims(info, stated.shapes) : info.dims;
  const ImageOptions& o = stated.image;
  Input input{client::image_input(path, read_picture(path), info.dtype, dims, o), {}, {}};
  if (!o.normalised && info.dtype == CORACLE_FLOAT32) {
    input.note = "input '" + info.name + "': no normalisation is stated, assumed " +
                 client::image_text(input.array, o) + " (--mean, --std, --scale, --bgr and --resize change it)";
  }
  return input;
}

/// The array of a .npz file for an input: that of its name, or the only one.
client::Tensor from_npz(const coracle::TensorInfo& info, const std::string& path) {
  client::NamedTensors arrays = client::parse_npz(path, read_file(path));
  std::string names;
  for (auto& [name, array] : arrays) {
    if (name == info.name || arrays.size() == 1) return std::move(array);
    names.append(names.empty() ? "" : ", ").append(name);
  }
  throw Failure(ExitCode::kUsage, "--input " + info.name + "=" + path + ": there is no array '" + info.name +
                                      "' in it; it has: " + (names.empty() ? "none" : names));
}

client::Tensor from_raw(const coracle::TensorInfo& info, const std::string& path, const Stated& stated) {
  const std::string option = "--input " + info.name + "=" + path;
  const bool sized = stated.shapes.find(info.name) != stated.shapes.end();
  if (!sized && !info.rank_known) {
    throw Failure(ExitCode::kUsage,
                  option + ": the input is " + client::type_text(info) + ": give --shape " + info.name + "=...");
  }
  coracle_dtype dtype = info.dtype;
  if (const auto it = stated.dtypes.find(info.name); it != stated.dtypes.end()) {
    const std::optional<coracle_dtype> named = client::dtype_named(it->second);
    if (!named) {
      throw Failure(ExitCode::kUsage, "--dtype " + info.name + "=" + it->second + ": no such element type; there are " +
                                          client::dtype_names());
    }
    dtype = *named;
  }
  client::Tensor array =
      client::tensor_of_bytes(option, read_file(path), dtype, sized ? run_dims(info, stated.shapes) : info.dims);
  return dtype == info.dtype ? std::move(array) : client::converted(option, array, info.dtype);
}

/// Failure if an array of a file cannot be the input.
void check(const coracle::TensorInfo& info, const std::string& path, const client::Tensor& array) {
  const std::string differs = "--input " + info.name + "=" + path + ": the file has " +
                              client::type_text(array.dtype, array.dims) + ", the input takes " +
                              client::type_text(info);
  if (array.dtype != info.dtype) {
    const std::string name = coracle_dtype_name(info.dtype);
    const char* bits = client::npy_bits(info.dtype);
    throw Failure(ExitCode::kUsage,
                  differs + "; convert it (NumPy: x.astype(" +
                      (bits == nullptr ? "'" + name + "')" : "ml_dtypes." + name + ").view('" + bits + "')") + ")");
  }
  if (info.rank_known && array.dims.size() != info.dims.size()) {
    throw Failure(ExitCode::kUsage, differs + ", with another number of dimensions; reshape it");
  }
}

/// The content of a file as an input; Failure if it cannot be one.
Input from_file(const coracle::TensorInfo& info, const Given& given, const Stated& stated) {
  const std::string& path = given.path;
  const std::string option = "--input " + info.name + "=" + path;
  const bool raw = ends(path, ".bin") || ends(path, ".raw");
  if (!raw && stated.dtypes.find(info.name) != stated.dtypes.end()) {
    throw Failure(ExitCode::kUsage,
                  "--dtype " + info.name + ": " + path + " says its type itself; it is for .bin files");
  }
  Input input;
  if (given.array.has_value()) {
    input.array = *given.array;
  } else if (std::error_code error; std::filesystem::is_directory(internal::native_path(path), error)) {
    throw Failure(ExitCode::kIo, option + ": it is a directory, which only 'coracle run' takes as an input");
  } else if (names_picture(path)) {
    input = from_picture(info, path, stated);
  } else if (raw) {
    input.array = from_raw(info, path, stated);
  } else if (ends(path, ".json")) {
    input.array = client::parse_json(path, read_file(path), info.dtype, info.name);
  } else if (ends(path, ".npz")) {
    input.array = from_npz(info, path);
  } else if (ends(path, ".npy")) {
    input.array = read_npy(path);
  } else {
    throw Failure(ExitCode::kUsage, option + ": expected a .npy, .npz, .json, .bin, .png, .jpg, .bmp or .webp file");
  }
  // NumPy has no float8: the codes are in a file as uint8.
  const char* bits = client::npy_bits(info.dtype);
  if (bits != nullptr && coracle_dtype_name(input.array.dtype) == std::string_view(bits))
    input.array.dtype = info.dtype;
  check(info, path, input.array);
  return input;
}

/// What inputs take of the limit.
class Budget {
 public:
  explicit Budget(size_t limit) : limit_(limit), left_(limit) {}
  void charge(const coracle::TensorInfo& info, size_t bytes, const std::string& what) {
    if (limit_ == 0) return;
    if (bytes > left_) {
      throw Failure(ExitCode::kOutOfMemory,
                    fmt::format("input '{}': {} takes {} bytes, and inputs have {} in use; the memory limit is {}: use "
                                "smaller inputs or a higher limit",
                                info.name, what, bytes, limit_ - left_, limit_));
    }
    left_ -= bytes;
  }

 private:
  const size_t limit_;
  size_t left_;
};

Input read_input(const coracle::TensorInfo& info, const Stated& stated, const std::string& seed, Budget& budget) {
  const auto file = stated.files.find(info.name);
  if (file == stated.files.end()) {
    const coracle::Dims dims = run_dims(info, stated.shapes);
    // More than can be counted is refused where it is made.
    if (const auto bytes = client::byte_count(info.dtype, dims))
      budget.charge(info, *bytes, client::type_text(info.dtype, dims));
    return {made_up(info, dims, seed), {}, {}};
  }
  // What a file holds is rarely less than what it makes, except of packed ones and pictures.
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(internal::native_path(file->second.path), error);
  const size_t before = error ? 0 : static_cast<size_t>(size);
  budget.charge(info, before, "file " + file->second.path);
  Input input = from_file(info, file->second, stated);
  const client::Tensor& array = input.array;
  if (array.bytes.size() > before) {
    budget.charge(info, array.bytes.size() - before, client::type_text(array.dtype, array.dims));
  }
  return input;
}

}  // namespace

bool names_input(const std::string& path) {
  constexpr const char* kEndings[] = {".npy", ".npz", ".json", ".bin", ".raw"};
  return names_picture(path) ||
         std::any_of(std::begin(kEndings), std::end(kEndings), [&](const char* e) { return ends(path, e); });
}

std::pair<size_t, std::string> split_entry(const std::string& entry, const std::vector<coracle::TensorInfo>& inputs,
                                           const char* option) {
  // A name may hold an equals sign itself: the longest input name that fits is meant.
  std::optional<size_t> found;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!entry.starts_with(inputs[i].name + "=")) continue;
    if (!found || inputs[i].name.size() > inputs[*found].name.size()) found = i;
  }
  if (found) return {*found, entry.substr(inputs[*found].name.size() + 1)};
  const size_t equals = entry.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Failure(ExitCode::kUsage, std::string(option) + " " + entry + ": expected NAME=VALUE");
  }
  throw Failure(ExitCode::kUsage, std::string(option) + " " + entry + ": the model has no input '" +
                                      entry.substr(0, equals) + "'; its inputs are: " + names_of(inputs));
}

namespace {

/// Whether a fixed size that the model declares is another one. Rows of sequences are what their offsets say.
bool other_size(const coracle::TensorInfo& info, const coracle::Dims& dims) {
  if (!info.rank_known || info.dims.size() != dims.size()) return false;
  for (size_t i = info.lod_levels > 0 ? 1 : 0; i < dims.size(); ++i) {
    if (info.dims[i] >= 0 && info.dims[i] != dims[i]) return true;
  }
  return false;
}

std::mutex other_sizes_mutex;  // sessions of --jobs read inputs at once
std::string other_sizes;       ///< guarded by it

void note_other_sizes(const std::vector<coracle::TensorInfo>& infos, const std::vector<Input>& inputs) {
  std::string text;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (!other_size(infos[i], inputs[i].array.dims)) continue;
    text.append(fmt::format("{}input '{}' is {}, the model declares {}", text.empty() ? "" : "; ",
                            printable(infos[i].name), client::type_text(inputs[i].array.dtype, inputs[i].array.dims),
                            client::type_text(infos[i])));
  }
  const std::lock_guard lock(other_sizes_mutex);
  if (other_sizes.empty()) other_sizes = std::move(text);
}

}  // namespace

std::vector<Input> read_inputs(const coracle::Model& model, const InputOptions& options) {
  const std::vector<coracle::TensorInfo> infos = model.inputs();
  const Stated stated{files_by_name(options.files, infos), by_name(options.shapes, infos, "--shape"),
                      by_name(options.lods, infos, "--lod"), by_name(options.dtypes, infos, "--dtype"), options.image};
  std::vector<Input> inputs;
  Budget budget(options.memory_limit);
  for (const coracle::TensorInfo& info : infos) {
    Input input = read_input(info, stated, options.seed, budget);
    if (const auto lod = stated.lods.find(info.name); lod != stated.lods.end()) {
      input.lod = offsets(lod->second, "--lod " + info.name);
    }
    inputs.push_back(std::move(input));
  }
  note_other_sizes(infos, inputs);
  return inputs;
}

void set_input(coracle::Session& session, size_t index, const Input& input) {
  session.set_input(index, input.array.dtype, input.array.dims, input.array.bytes.data());
  if (!input.lod.empty()) session.set_lod(index, input.lod);
}

void set_inputs(const coracle::Model& model, const InputOptions& options, coracle::Session& session) {
  const std::vector<Input> inputs = read_inputs(model, options);
  for (size_t i = 0; i < inputs.size(); ++i) {
    set_input(session, i, inputs[i]);
    if (!inputs[i].note.empty()) note("coracle: {}\n", inputs[i].note);
  }
}

void print_other_sizes() {
  const std::lock_guard lock(other_sizes_mutex);
  if (!other_sizes.empty()) note("coracle: note: {}\n", other_sizes);
}

}  // namespace coracle::cli
