// SPDX-License-Identifier: Apache-2.0
#include "quantize/original.h"

#include "model/params.h"

namespace coracle::internal::quantize {
namespace {

std::string_view content_of(const FileBytes& file) {
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

}  // namespace

Original::Original(const std::string& model, const std::string& params)
    : files_(find_model_files(ModelSource::on_disk(model, params))) {}

std::string_view Original::program_bytes() const { return content_of(files_.program); }

Program Original::program() const {
  return files_.is_pir ? parse_pir(files_.program) : parse_programdesc(files_.program);
}

ParameterMap Original::parameters(const Program& program) const {
  std::vector<TensorInfo> declared;
  for (const std::string& name : program.parameters())
    declared.push_back({.name = name, .shape = {}, .described = false});
  const std::vector<Tensor> tensors = read_parameters(files_, declared).tensors;
  ParameterMap parameters;
  for (size_t i = 0; i < tensors.size(); ++i) parameters[declared[i].name] = Parameter::of(tensors[i]);
  return parameters;
}

std::optional<std::string> Original::beside(const std::string& name) const {
  const std::optional<File> file = find_beside(ModelSource::on_disk(program_file()), name);
  if (!file) return std::nullopt;
  return std::string(content_of(file->read_all()));
}

}  // namespace coracle::internal::quantize
