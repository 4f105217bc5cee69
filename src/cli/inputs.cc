// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include "cli/failure.h"
#include "cli/image.h"
#include "cli/npy.h"

namespace coracle::cli {
namespace {

using Named = std::map<std::string, std::string>;

/// "NAME=VALUE" entries by name; every name must be an input.
Named by_name(const std::vector<std::string>& entries, const std::vector<api::TensorInfo>& inputs, const char* option) {
  Named out;
  for (const std::string& e : entries) {
    const size_t equals = e.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Failure(ExitCode::kUsage, std::string(option) + " " + e + ": expected NAME=VALUE");
    }
    const std::string name = e.substr(0, equals);
    const bool known =
        std::any_of(inputs.begin(), inputs.end(), [&](const api::TensorInfo& i) { return i.name == name; });
    if (!known) {
      std::string names;
      for (const api::TensorInfo& i : inputs) names.append(names.empty() ? "" : ", ").append(i.name);
      throw Failure(ExitCode::kUsage, std::string(option) + " " + e + ": the model has no input '" + name +
                                          "'; its inputs are: " + names);
    }
    out[name] = e.substr(equals + 1);
  }
  return out;
}

std::vector<int64_t> numbers(const std::string& list, const std::string& what) {
  std::vector<int64_t> out;
  const char* at = list.c_str();
  while (*at != '\0') {
    char* end = nullptr;
    const long long value = std::strtoll(at, &end, 10);
    if (end == at || value < 0 || (*end != '\0' && *end != ',')) {
      throw Failure(ExitCode::kUsage, what + ": '" + list + "' is not a list of whole numbers like 1,3,224,224");
    }
    out.push_back(value);
    at = *end == ',' ? end + 1 : end;
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
  Array a{info.dtype, dims, {}};
  a.bytes.resize(element_count(dims) * coracle_dtype_size(info.dtype));
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

api::Dims run_dims(const api::TensorInfo& info, const Named& shapes) {
  if (const auto it = shapes.find(info.name); it != shapes.end()) return numbers(it->second, "--shape " + info.name);
  api::Dims dims = info.dims;
  if (!dims.empty() && dims[0] < 0) dims[0] = 1;
  if (!info.rank_known || std::any_of(dims.begin(), dims.end(), [](int64_t d) { return d < 0; })) {
    throw Failure(ExitCode::kUsage, "input '" + info.name + "' is missing: it is " + type_text(info.dtype, info.dims) +
                                        "; give --input " + info.name + "=FILE.npy, or --shape " + info.name +
                                        "=... for made-up values");
  }
  return dims;
}

bool ends_with(const std::string& s, const char* end) { return s.ends_with(end); }

}  // namespace

void set_inputs(const api::Model& model, const InputOptions& options, api::Session& session) {
  const std::vector<api::TensorInfo> inputs = model.inputs();
  const Named files = by_name(options.files, inputs, "--input");
  const Named shapes = by_name(options.shapes, inputs, "--shape");
  const Named lods = by_name(options.lods, inputs, "--lod");
  for (size_t i = 0; i < inputs.size(); ++i) {
    const api::TensorInfo& info = inputs[i];
    Array array;
    if (const auto file = files.find(info.name); file != files.end()) {
      const std::string& path = file->second;
      if (ends_with(path, ".npy")) {
        array = read_npy(path);
      } else if (ends_with(path, ".png") || ends_with(path, ".jpg") || ends_with(path, ".jpeg")) {
        const bool sized = shapes.find(info.name) != shapes.end();
        array = read_image(path, info.dtype, sized ? run_dims(info, shapes) : info.dims);
      } else {
        throw Failure(ExitCode::kUsage, "--input " + info.name + "=" + path + ": expected a .npy, .png or .jpg file");
      }
    } else {
      array = made_up(info, run_dims(info, shapes), options.seed);
    }
    session.set_input(i, array.dtype, array.dims, array.bytes.data());
    if (const auto lod = lods.find(info.name); lod != lods.end()) {
      api::Lod levels;
      std::string rest = lod->second;
      while (!rest.empty()) {
        const size_t slash = rest.find('/');
        const std::vector<int64_t> offsets = numbers(rest.substr(0, slash), "--lod " + info.name);
        levels.emplace_back(offsets.begin(), offsets.end());
        rest = slash == std::string::npos ? std::string() : rest.substr(slash + 1);
      }
      session.set_lod(i, levels);
    }
  }
}

}  // namespace coracle::cli
