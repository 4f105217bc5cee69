// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <new>

#include "cli/failure.h"
#include "cli/image.h"
#include "cli/npy.h"

namespace coracle::cli {
namespace {

using Named = std::map<std::string, std::string>;

/// "NAME=VALUE" entries by name; every name must be an input and stand once.
Named by_name(const std::vector<std::string>& entries, const std::vector<api::TensorInfo>& inputs, const char* option) {
  Named out;
  for (const std::string& e : entries) {
    // A name may hold an equals sign itself: the longest input name that fits is meant.
    const api::TensorInfo* input = nullptr;
    for (const api::TensorInfo& i : inputs) {
      if (e.starts_with(i.name + "=") && (input == nullptr || i.name.size() > input->name.size())) input = &i;
    }
    if (input == nullptr) {
      const size_t equals = e.find('=');
      if (equals == std::string::npos || equals == 0) {
        throw Failure(ExitCode::kUsage, std::string(option) + " " + e + ": expected NAME=VALUE");
      }
      std::string names;
      for (const api::TensorInfo& i : inputs) names.append(names.empty() ? "" : ", ").append(i.name);
      throw Failure(ExitCode::kUsage, std::string(option) + " " + e + ": the model has no input '" +
                                          e.substr(0, equals) + "'; its inputs are: " + names);
    }
    if (!out.emplace(input->name, e.substr(input->name.size() + 1)).second) {
      throw Failure(ExitCode::kUsage,
                    std::string(option) + " " + e + ": given twice for the input '" + input->name + "'");
    }
  }
  return out;
}

/// "1,3,224,224"; nothing for an empty text, the shape of a single number.
std::vector<int64_t> numbers(const std::string& list, const std::string& option) {
  std::vector<int64_t> out;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (at != end) {
    int64_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    const bool more = next != end && *next == ',';
    if (error != std::errc() || value < 0 || (next != end && !more) || (more && next + 1 == end)) {
      throw Failure(ExitCode::kUsage, option + "=" + list + ": expected whole numbers like 1,3,224,224");
    }
    out.push_back(value);
    at = more ? next + 1 : next;
  }
  return out;
}

/// "0,3,7/0,1,2,5,6,8,9,10": levels from the coarsest.
api::Lod offsets(const std::string& levels, const std::string& option) {
  api::Lod out;
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
void fill(Array& a, const F& next) {
  const size_t count = element_count(a.dims);
  for (size_t i = 0; i < count; ++i) {
    const T value = static_cast<T>(next());
    std::memcpy(a.bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
}

Array made_up(const api::TensorInfo& info, const api::Dims& dims, const std::string& seed) {
  Array a = make_array(info.dtype, dims);
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
api::Dims run_dims(const api::TensorInfo& info, const Named& shapes) {
  if (const auto it = shapes.find(info.name); it != shapes.end()) return numbers(it->second, "--shape " + info.name);
  api::Dims dims = info.dims;
  if (!dims.empty() && dims[0] < 0) dims[0] = 1;
  if (!info.rank_known || std::any_of(dims.begin(), dims.end(), [](int64_t d) { return d < 0; })) {
    throw Failure(ExitCode::kUsage, "input '" + info.name + "' is missing: it is " + type_text(info) +
                                        "; give --input " + info.name + "=FILE.npy, or --shape " + info.name +
                                        "=... for made-up values");
  }
  return dims;
}

/// The content of a file as an input; Failure if it cannot be one.
Array from_file(const api::TensorInfo& info, const std::string& path, const Named& shapes) {
  const std::string option = "--input " + info.name + "=" + path;
  if (path.ends_with(".png") || path.ends_with(".jpg") || path.ends_with(".jpeg")) {
    const bool sized = shapes.find(info.name) != shapes.end();
    return read_image(path, info.dtype, sized ? run_dims(info, shapes) : info.dims);
  }
  if (!path.ends_with(".npy")) throw Failure(ExitCode::kUsage, option + ": expected a .npy, .png or .jpg file");
  Array array = read_npy(path);
  const std::string differs =
      option + ": the file has " + type_text(array.dtype, array.dims) + ", the input takes " + type_text(info);
  if (array.dtype != info.dtype) {
    throw Failure(ExitCode::kUsage,
                  differs + "; convert it (NumPy: x.astype('" + coracle_dtype_name(info.dtype) + "'))");
  }
  if (info.rank_known && array.dims.size() != info.dims.size()) {
    throw Failure(ExitCode::kUsage, differs + ", with another number of dimensions; reshape it");
  }
  return array;
}

}  // namespace

std::vector<Input> read_inputs(const api::Model& model, const InputOptions& options) {
  const std::vector<api::TensorInfo> infos = model.inputs();
  const Named files = by_name(options.files, infos, "--input");
  const Named shapes = by_name(options.shapes, infos, "--shape");
  const Named lods = by_name(options.lods, infos, "--lod");
  std::vector<Input> inputs;
  for (const api::TensorInfo& info : infos) {
    const auto file = files.find(info.name);
    Input input{file != files.end() ? from_file(info, file->second, shapes)
                                    : made_up(info, run_dims(info, shapes), options.seed),
                {}};
    if (const auto lod = lods.find(info.name); lod != lods.end()) {
      input.lod = offsets(lod->second, "--lod " + info.name);
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

void set_input(api::Session& session, size_t index, const Input& input) {
  session.set_input(index, input.array.dtype, input.array.dims, input.array.bytes.data());
  if (!input.lod.empty()) session.set_lod(index, input.lod);
}

void set_inputs(const api::Model& model, const InputOptions& options, api::Session& session) {
  const std::vector<Input> inputs = read_inputs(model, options);
  for (size_t i = 0; i < inputs.size(); ++i) set_input(session, i, inputs[i]);
}

}  // namespace coracle::cli
