// SPDX-License-Identifier: Apache-2.0
#include "quantize/given_inputs.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/nearest_name.h"
#include "base/printable.h"
#include "quantize/error.h"

namespace coracle::internal::quantize {
namespace {

/// Bytes of a tensor. Throws Error where its dimensions are none.
size_t bytes_of_shape(const std::string& set, coracle_dtype dtype, int32_t rank, const int64_t* dims) {
  require(coracle_dtype_size(dtype) != 0, ErrorCode::kInvalidArgument, printable(set), ": ", static_cast<int>(dtype),
          " is not an element type");
  require(rank >= 0 && rank <= CORACLE_MAX_RANK && (rank == 0 || dims != nullptr), ErrorCode::kInvalidArgument,
          printable(set), ": a tensor has 0 to ", CORACLE_MAX_RANK, " dimensions, given ", rank);
  size_t bytes = coracle_dtype_size(dtype);
  for (int32_t i = 0; i < rank; ++i) {
    const bool fits = dims[i] >= 0 && !__builtin_mul_overflow(bytes, static_cast<size_t>(dims[i]), &bytes);
    require(fits && bytes <= PTRDIFF_MAX, ErrorCode::kInvalidArgument, printable(set), ": dimension ", i,
            " of an input is ", dims[i], ", which no tensor can have");
  }
  return bytes;
}

std::string names_of_inputs(const std::vector<coracle::TensorInfo>& infos) {
  std::string out;
  for (const coracle::TensorInfo& info : infos) out += (out.empty() ? "'" : ", '") + printable(info.name) + "'";
  return out.empty() ? "none" : out;
}

}  // namespace

InputSet GivenSets::read(size_t index, const std::vector<coracle::TensorInfo>& inputs) const {
  coracle_quantize_inputs given(inputs, "data[" + std::to_string(index) + "]");
  coracle::check(data_(user_, index, &given));
  given.require_whole();
  return std::move(given.set);
}

}  // namespace coracle::internal::quantize

using coracle::internal::ErrorCode;
using coracle::internal::fail;
using coracle::internal::printable;
using coracle::internal::require;
namespace quantize = coracle::internal::quantize;

coracle_quantize_inputs::coracle_quantize_inputs(const std::vector<coracle::TensorInfo>& of_model, std::string name)
    : infos(of_model), set{std::move(name), std::vector<quantize::InputValue>(infos.size())}, given(infos.size()) {}

size_t coracle_quantize_inputs::first_missing() const {
  return static_cast<size_t>(std::find(given.begin(), given.end(), false) - given.begin());
}

size_t coracle_quantize_inputs::index_of(const char* name) const {
  const auto found =
      std::find_if(infos.begin(), infos.end(), [&](const coracle::TensorInfo& info) { return info.name == name; });
  if (found != infos.end()) return static_cast<size_t>(found - infos.begin());
  std::vector<std::string_view> names;
  for (const coracle::TensorInfo& info : infos) names.push_back(info.name);
  fail(ErrorCode::kInvalidArgument, printable(set.name), ": the model has no input '", printable(name), "'; it has ",
       quantize::names_of_inputs(infos), coracle::internal::suggestion(name, names));
}

void coracle_quantize_inputs::set_input(const char* name, coracle_dtype dtype, int32_t rank, const int64_t* dims,
                                        const void* data) {
  const size_t index = name == nullptr ? first_missing() : index_of(name);
  require(index < infos.size(), ErrorCode::kInvalidArgument, printable(set.name), ": there are more inputs than the ",
          infos.size(), " of the model: ", quantize::names_of_inputs(infos));
  require(!given[index], ErrorCode::kInvalidArgument, printable(set.name), ": the input '",
          printable(infos[index].name), "' is given twice");
  const size_t bytes = quantize::bytes_of_shape(set.name, dtype, rank, dims);
  require(bytes == 0 || data != nullptr, ErrorCode::kInvalidArgument, printable(set.name), ": the elements of input '",
          printable(infos[index].name), "' are null");
  quantize::InputValue& value = set.values[index];
  value.dtype = dtype;
  value.dims.assign(dims, dims + rank);
  value.bytes.resize(bytes);
  if (bytes != 0) std::memcpy(value.bytes.data(), data, bytes);
  given[index] = true;
  last = index;
}

void coracle_quantize_inputs::set_lod(const char* name, size_t levels, const size_t* sizes, const size_t* offsets) {
  const size_t index = name == nullptr ? last : index_of(name);
  require(index < infos.size() && given[index], ErrorCode::kInvalidArgument, printable(set.name),
          ": sequence offsets are for an input that was set before");
  require(levels == 0 || (sizes != nullptr && offsets != nullptr), ErrorCode::kInvalidArgument, printable(set.name),
          ": the sequence offsets are null");
  coracle::Lod lod;
  for (size_t level = 0; level < levels; ++level) {
    lod.emplace_back(offsets, offsets + sizes[level]);
    offsets += sizes[level];
  }
  set.values[index].lod = std::move(lod);
}

void coracle_quantize_inputs::require_whole() const {
  const size_t missing = first_missing();
  if (missing == infos.size()) return;
  fail(ErrorCode::kInvalidArgument, printable(set.name), ": the input '", printable(infos[missing].name),
       "' is not given; the model has ", quantize::names_of_inputs(infos));
}
