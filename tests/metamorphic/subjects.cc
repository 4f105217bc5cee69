// SPDX-License-Identifier: Apache-2.0
#include "metamorphic/subjects.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "oracle/archive.h"
#include "support/memory_file.h"
#include "support/reference_cases.h"

namespace coracle::internal::test {
namespace {

/// Networks halve their images up to five times and join the halves again.
constexpr int64_t kHalvings = 32;

int64_t larger(int64_t size) { return size % kHalvings == 0 && size > 0 ? size + kHalvings : size + 1; }
int64_t smaller(int64_t size) {
  if (size % kHalvings == 0 && size > kHalvings) return size - kHalvings;
  return size > 1 ? size - 1 : 3;
}

/// A tensor of another shape with the elements of `from`, over and over.
Tensor resized(const Tensor& from, const Shape& shape) {
  Tensor to = Tensor::make(from.dtype(), shape);
  const size_t element = size_of(from.dtype());
  for (int64_t i = 0; i < to.count(); ++i) {
    auto* at = static_cast<std::byte*>(to.raw()) + static_cast<size_t>(i) * element;
    if (from.count() == 0) {
      std::memset(at, 0, element);
    } else {
      std::memcpy(at, static_cast<const std::byte*>(from.raw()) + static_cast<size_t>(i % from.count()) * element,
                  element);
    }
  }
  return to;
}

/// The finest level with one sequence of two rows more.
Lod with_one_more(Lod lod) {
  lod.back().push_back(lod.back().back() + 2);
  for (size_t level = lod.size() - 1; level-- > 0;) ++lod[level].back();
  return lod;
}

/// The first sequence of the finest level gets two rows more.
Lod with_longer_first(Lod lod) {
  for (size_t i = 1; i < lod.back().size(); ++i) lod.back()[i] += 2;
  return lod;
}

bool is_free(const TensorInfo& info, int d) { return !info.shape.rank_known() || info.shape[d] < 0; }

const TensorInfo* info_of(const std::vector<TensorInfo>& infos, const std::string& name) {
  const auto found = std::find_if(infos.begin(), infos.end(), [&](const TensorInfo& i) { return i.name == name; });
  return found == infos.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Inputs> inputs_of_all_sizes(const Subject& subject, const std::vector<TensorInfo>& infos) {
  Inputs base(infos.size());
  for (size_t i = 0; i < subject.inputs.size(); ++i) {
    if (const TensorInfo* info = info_of(infos, subject.input_names[i])) {
      base[static_cast<size_t>(info - infos.data())] = subject.inputs[i];
    }
  }
  std::vector<Inputs> all{base};
  std::set<int64_t> sizes;
  for (size_t i = 0; i < base.size(); ++i) {
    for (int d = base[i].lod().empty() ? 0 : 1; d < base[i].shape().rank(); ++d) {
      if (is_free(infos[i], d)) sizes.insert(base[i].shape()[d]);
    }
  }
  for (int64_t size : sizes) {
    for (const auto change : {larger, smaller}) {
      Inputs other = base;
      for (size_t i = 0; i < base.size(); ++i) {
        Shape shape = base[i].shape();
        for (int d = base[i].lod().empty() ? 0 : 1; d < shape.rank(); ++d) {
          if (is_free(infos[i], d) && shape[d] == size) shape[d] = change(size);
        }
        if (shape == base[i].shape()) continue;
        other[i] = resized(base[i], shape);
        other[i].share_lod(base[i]);
      }
      all.push_back(std::move(other));
    }
  }
  // Inputs with equal offsets keep them equal.
  std::map<Lod, std::vector<size_t>> by_lod;
  for (size_t i = 0; i < base.size(); ++i) {
    if (!base[i].lod().empty() && is_free(infos[i], 0)) by_lod[base[i].lod()].push_back(i);
  }
  for (const auto& [lod, inputs] : by_lod) {
    for (const auto change : {with_one_more, with_longer_first}) {
      Inputs other = base;
      for (size_t i : inputs) {
        Shape shape = base[i].shape();
        shape[0] = static_cast<int64_t>(change(lod).back().back());
        other[i] = resized(base[i], shape);
        other[i].set_lod(change(lod));
      }
      all.push_back(std::move(other));
    }
  }
  return all;
}

std::vector<Subject> operator_subjects(const std::string& folder) {
  static const std::map<std::string, DType> kTypes{
      {"b1", DType::kBool},    {"i1", DType::kInt8},      {"u1", DType::kUint8},      {"i2", DType::kInt16},
      {"i4", DType::kInt32},   {"i8", DType::kInt64},     {"f2", DType::kFloat16},    {"f4", DType::kFloat32},
      {"f8", DType::kFloat64}, {"c8", DType::kComplex64}, {"c16", DType::kComplex128}};
  std::set<std::filesystem::path> archives;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".gz") archives.insert(entry.path());
  }
  std::vector<Subject> subjects;
  const auto file = [](const oracle::Bytes& bytes, const char* name) {
    return memory_file(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), name);
  };
  for (const std::filesystem::path& path : archives) {
    for (const oracle::Case& c : oracle::read_cases(path.string())) {
      Subject& subject = subjects.emplace_back();
      subject.name = c.name;
      subject.source = ModelSource::in_memory(file(c.model, "program"), file(c.params, "parameters"));
      for (const oracle::Input& input : c.runs.at(0).inputs) {
        const auto type = kTypes.find(input.array.type);
        if (type == kTypes.end()) continue;
        Shape shape;
        for (int64_t d : input.array.dims) shape.push_back(d);
        Tensor tensor = Tensor::make(type->second, shape);
        if (tensor.bytes() > 0) std::memcpy(tensor.raw(), input.array.data.data(), tensor.bytes());
        if (!input.lod.empty()) tensor.set_lod(input.lod);
        subject.input_names.push_back(input.name);
        subject.inputs.push_back(std::move(tensor));
      }
    }
  }
  return subjects;
}

std::vector<Subject> model_subjects(const std::string& shared, const std::string& filled) {
  std::map<std::pair<uintmax_t, std::string>, Subject> by_size;
  std::string last;
  for (const auto& [model, name] : reference_cases(shared)) {
    if (model == last) continue;
    last = model;
    ReferenceCase c = read_reference_case(shared, filled, model, name);
    std::error_code none;
    const uintmax_t size = c.params.empty() ? 0 : std::filesystem::file_size(c.params, none);
    by_size[{none ? 0 : size, model}] = {.name = model + "/" + name,
                                         .source = ModelSource::on_disk(c.program, c.params),
                                         .input_names = std::move(c.input_names),
                                         .inputs = std::move(c.inputs)};
  }
  std::vector<Subject> subjects;
  for (auto& [key, subject] : by_size) subjects.push_back(std::move(subject));
  return subjects;
}

}  // namespace coracle::internal::test
