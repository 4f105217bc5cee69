// SPDX-License-Identifier: Apache-2.0
#include "serve/warm_up.h"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include "client/size_ranges.h"
#include "client/tensor.h"

namespace coracle::serve {
namespace {

WarmUpTensor read_warm_up_tensor(const ConfigReader& reader, const TextField& field) {
  WarmUpTensor tensor;
  bool filled = false;
  reader.message(field, [&](const ConfigReader& r, const TextField& part) {
    if (part.name == "data_type") {
      tensor.dtype = r.data_type(part);
    } else if (part.name == "dims") {
      tensor.dims.push_back(r.integer(part, 0));
    } else if (part.name == "zero_data" || part.name == "random_data") {
      filled = r.boolean(part);
      tensor.random = filled && part.name == "random_data";
    } else {
      r.fail(part, "is not supported, expected data_type, dims, and zero_data or random_data", Code::kUnsupported);
    }
  });
  if (!filled) reader.fail(field, "has no data, expected 'zero_data: true' or 'random_data: true'");
  return tensor;
}

template <class T>
void fill(client::Tensor& tensor, std::mt19937& random) {
  auto* const elements = reinterpret_cast<T*>(tensor.bytes.data());
  const size_t count = tensor.bytes.size() / sizeof(T);
  if constexpr (std::is_floating_point_v<T>) {
    std::uniform_real_distribution<T> numbers(0, 1);
    std::generate_n(elements, count, [&] { return numbers(random); });
  } else {
    std::generate_n(elements, count, [&] { return static_cast<T>(random() & 1U); });
  }
}

void randomise(client::Tensor& tensor, std::mt19937& random) {
  switch (tensor.dtype) {
    case CORACLE_FLOAT32: return fill<float>(tensor, random);
    case CORACLE_FLOAT64: return fill<double>(tensor, random);
    case CORACLE_INT64: return fill<int64_t>(tensor, random);
    case CORACLE_INT32: return fill<int32_t>(tensor, random);
    case CORACLE_INT16: return fill<int16_t>(tensor, random);
    case CORACLE_INT8:
    case CORACLE_UINT8:
    case CORACLE_BOOL: return fill<uint8_t>(tensor, random);
    default: return;  // zeros
  }
}

/// All rows as one sequence.
coracle::Lod one_sequence(int levels, int64_t rows) {
  coracle::Lod lod;
  for (int level = 0; level < levels; ++level)
    lod.push_back({0, level + 1 == levels ? static_cast<size_t>(rows) : size_t{1}});
  return lod;
}

[[noreturn]] void refuse_shapes(std::string_view shapes) {
  throw Failure(Code::kInvalidArgument,
                "'" + std::string(shapes.substr(0, 255)) + "' is not a shape, expected sizes as in x:1x3x48x320");
}

}  // namespace

WarmUpSample read_warm_up(const ConfigReader& reader, const TextField& field) {
  WarmUpSample sample;
  reader.message(field, [&](const ConfigReader& r, const TextField& part) {
    if (part.name == "name") {
      sample.name = r.text(part);
    } else if (part.name == "batch_size") {
      sample.batch_size = r.integer(part, 0, INT32_MAX);
    } else if (part.name == "count") {
      sample.count = static_cast<int>(r.integer(part, 0, 1'000'000));
    } else if (part.name == "inputs") {
      std::string key;
      WarmUpTensor tensor;
      r.message(part, [&](const ConfigReader& inner, const TextField& entry) {
        if (entry.name == "key") {
          key = inner.text(entry);
        } else if (entry.name == "value") {
          tensor = read_warm_up_tensor(inner, entry);
        } else {
          inner.unknown(entry);
        }
      });
      sample.inputs[key] = tensor;
    } else {
      r.unknown(part);
    }
  });
  if (sample.count == 0) sample.count = 1;
  return sample;
}

WarmUpSample parse_warm_up(std::string_view shapes) {
  WarmUpSample sample;
  sample.name = shapes;
  for (size_t begin = 0; begin <= shapes.size();) {
    const size_t end = std::min(shapes.find(',', begin), shapes.size());
    std::string_view shape = shapes.substr(begin, end - begin);
    begin = end + 1;
    std::string name;
    if (const size_t colon = shape.rfind(':'); colon != std::string_view::npos) {
      name = shape.substr(0, colon);
      shape.remove_prefix(colon + 1);
    }
    WarmUpTensor tensor;
    while (true) {
      int64_t size = 0;
      const auto [rest, error] = std::from_chars(shape.data(), shape.data() + shape.size(), size);
      if (error != std::errc() || size < 0) refuse_shapes(shapes);
      tensor.dims.push_back(size);
      shape.remove_prefix(static_cast<size_t>(rest - shape.data()));
      if (shape.empty()) break;
      if (shape.front() != 'x') refuse_shapes(shapes);
      shape.remove_prefix(1);
    }
    if (!sample.inputs.emplace(name, std::move(tensor)).second) refuse_shapes(shapes);
  }
  return sample;
}

std::vector<WarmUpSample> parse_warm_ups(std::string_view shapes) try {
  std::vector<std::string> inputs;
  for (size_t begin = 0; begin <= shapes.size();) {
    const size_t end = std::min(shapes.find(',', begin), shapes.size());
    inputs.emplace_back(shapes.substr(begin, end - begin));
    begin = end + 1;
  }
  std::vector<WarmUpSample> samples;
  for (const std::vector<std::string>& sizes : client::each_size(inputs)) {
    std::string joined;
    for (const std::string& input : sizes) joined.append(joined.empty() ? "" : ",").append(input);
    samples.push_back(parse_warm_up(joined));
  }
  return samples;
} catch (const client::Error& e) {
  throw Failure(Code::kInvalidArgument, e.what());
}

std::optional<WarmUpSample> sample_of(const std::vector<coracle::TensorInfo>& inputs) {
  WarmUpSample sample;
  for (const coracle::TensorInfo& info : inputs) {
    coracle::Dims dims = info.dims;
    if (!info.rank_known) return std::nullopt;
    if (!dims.empty() && dims.front() < 0) dims.front() = 1;
    if (std::any_of(dims.begin(), dims.end(), [](int64_t d) { return d < 0; })) return std::nullopt;
    sample.inputs[info.name] = {.dtype = std::nullopt, .dims = std::move(dims)};
  }
  return sample;
}

std::vector<Tensor> inputs_of(const WarmUpSample& sample, const std::vector<coracle::TensorInfo>& inputs) {
  std::mt19937 random(1);
  std::vector<Tensor> tensors;
  for (const coracle::TensorInfo& info : inputs) {
    auto given = sample.inputs.find(info.name);
    if (given == sample.inputs.end() && inputs.size() == 1 && sample.inputs.size() == 1) given = sample.inputs.find("");
    if (given == sample.inputs.end())
      throw Failure(Code::kInvalidArgument, "it has no shape for the input '" + info.name + "'");
    coracle::Dims dims = given->second.dims;
    if (sample.batch_size > 0) dims.insert(dims.begin(), sample.batch_size);
    const coracle_dtype dtype = given->second.dtype.value_or(info.dtype);
    if (!client::byte_count(dtype, dims).has_value())
      throw Failure(Code::kInvalidArgument, "the shape " + shape_text(dims) + " is larger than memory");
    const auto kept = std::make_shared<client::Tensor>(client::zeros(dtype, dims));
    if (given->second.random) randomise(*kept, random);
    tensors.push_back({.dtype = kept->dtype,
                       .dims = kept->dims,
                       .lod = dims.empty() ? coracle::Lod() : one_sequence(info.lod_levels, dims.front()),
                       .owner = kept,
                       .data = kept->bytes.data(),
                       .bytes = kept->bytes.size()});
  }
  if (sample.inputs.size() > inputs.size())
    throw Failure(Code::kInvalidArgument, "it has shapes for " + std::to_string(sample.inputs.size()) +
                                              " inputs, the model has " + std::to_string(inputs.size()));
  return tensors;
}

}  // namespace coracle::serve
