// SPDX-License-Identifier: Apache-2.0
#include "cli/quantize/parameters.h"

#include <fmt/core.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <string_view>

#include "base/dtype_table.h"
#include "cli/failure.h"

namespace coracle::cli {
namespace {

namespace fs = std::filesystem;

/// Bytes of an element by VarType number; 0 for what parameters are not.
size_t element_bytes(int64_t dtype) {
  for (const DTypeRow& row : kDTypeTable) {
    if (row.var_type == dtype) return row.size;
  }
  return 0;
}

/// Takes records off a file's content. The library has read the same file before, so damage is a file that changed.
class Records {
 public:
  Records(const std::string& file, std::string_view content) : file_(file), left_(content) {}

  Parameter next(const std::string& name) {
    take<uint32_t>(name);  // version
    const auto levels = take<uint64_t>(name);
    for (uint64_t i = 0; i < levels; ++i) bytes(take<uint64_t>(name), name);
    take<uint32_t>(name);  // version
    Parameter p = described(bytes(take<uint32_t>(name), name));
    size_t size = element_bytes(p.dtype);
    for (int64_t d : p.dims) {
      if (size == 0 || d < 0 || (d != 0 && size > left_.size() / static_cast<size_t>(d))) damaged(name);
      size *= static_cast<size_t>(d);
    }
    p.content = bytes(size, name);
    return p;
  }
  bool empty() const { return left_.empty(); }
  [[noreturn]] void damaged(const std::string& name) const {
    throw Failure(ExitCode::kInvalidModel, fmt::format("{}: the record of the parameter '{}' is damaged, or the file "
                                                       "is of another model",
                                                       file_, name));
  }

 private:
  std::string_view bytes(uint64_t count, const std::string& name) {
    if (count > left_.size()) damaged(name);
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }
  template <class T>
  T take(const std::string& name) {
    T value;
    std::memcpy(&value, bytes(sizeof(T), name).data(), sizeof(T));
    return value;
  }
  static Parameter described(std::string_view desc) {
    Parameter p;
    protozero::pbf_reader m(desc.data(), desc.size());
    while (m.next()) {
      if (m.tag_and_type() == protozero::tag_and_type(1, protozero::pbf_wire_type::varint)) {
        p.dtype = m.get_int64();
      } else if (m.tag() == 2 && m.has_wire_type(protozero::pbf_wire_type::varint)) {
        p.dims.push_back(m.get_int64());
      } else if (m.tag_and_type() == protozero::tag_and_type(2, protozero::pbf_wire_type::length_delimited)) {
        for (int64_t d : m.get_packed_int64()) p.dims.push_back(d);
      } else {
        m.skip();
      }
    }
    return p;
  }

  const std::string& file_;
  std::string_view left_;
};

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace

Parameter float_parameter(const std::vector<int64_t>& dims, const std::vector<float>& values) {
  return {static_cast<int64_t>(VarDtype::kFloat32), dims,
          std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float))};
}

std::vector<float> floats_of(const Parameter& p) {
  std::vector<float> values(p.content.size() / sizeof(float));
  std::memcpy(values.data(), p.content.data(), values.size() * sizeof(float));
  return values;
}

std::string parameters_path(const std::string& program, const std::string& given,
                            const std::function<bool(const std::string&)>& is_file) {
  if (!given.empty()) return given;
  const fs::path path(program);
  const std::string extension = path.extension().string();
  std::vector<fs::path> candidates;
  if (extension == ".pdmodel" || extension == ".json") {
    candidates.push_back(fs::path(path).replace_extension(".pdiparams"));
  } else {
    candidates.emplace_back(program + ".pdiparams");
  }
  if (path.filename() == "model") candidates.push_back(path.parent_path() / "params");
  candidates.push_back(path.parent_path() / "__params__");
  for (const fs::path& candidate : candidates) {
    if (is_file(candidate.string())) return candidate.string();
  }
  return path.parent_path().empty() ? "." : path.parent_path().string();
}

ParameterMap read_parameter_files(const std::string& path, bool is_folder, const std::vector<std::string>& names,
                                  const std::function<std::string(const std::string&)>& read) try {
  ParameterMap parameters;
  if (names.empty()) return parameters;
  if (is_folder) {
    for (const std::string& name : names) {
      const std::string file = (fs::path(path) / name).string();
      const std::string content = read(file);
      parameters[name] = Records(file, content).next(name);
    }
    return parameters;
  }
  const std::string content = read(path);
  Records records(path, content);
  for (const std::string& name : names) parameters[name] = records.next(name);
  if (!records.empty()) records.damaged(names.back());
  return parameters;
} catch (const protozero::exception&) {
  throw Failure(ExitCode::kInvalidModel, path + ": a record of a parameter is damaged");
}

std::string bytes_of(const ParameterMap& parameters) {
  std::string out;
  for (const auto& [name, p] : parameters) {
    std::string desc;
    protozero::pbf_writer m(desc);
    m.add_int64(1, p.dtype);
    for (int64_t d : p.dims) m.add_int64(2, d);
    put(out, uint32_t{0});
    put(out, uint64_t{0});
    put(out, uint32_t{0});
    put(out, static_cast<uint32_t>(desc.size()));
    out.append(desc).append(p.content);
  }
  return out;
}

}  // namespace coracle::cli
