// SPDX-License-Identifier: Apache-2.0
#include "archive.h"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace coracle::oracle {
namespace {

constexpr size_t kBlock = 512;  // tar's unit

using Files = std::map<std::string, Bytes>;

struct CloseGz {
  void operator()(gzFile_s* file) const { gzclose(file); }
};

// Fills `bytes` as far as the file goes; returns how far.
size_t read(gzFile_s* file, Bytes& bytes) {
  size_t at = 0;
  while (at < bytes.size()) {
    const int n = gzread(file, bytes.data() + at, static_cast<unsigned>(bytes.size() - at));
    if (n <= 0) break;
    at += static_cast<size_t>(n);
  }
  return at;
}

// (folder, file name, bytes) of each entry, to `take`.
template <class Take>
void read_tar(const std::string& path, Take take) {
  const std::unique_ptr<gzFile_s, CloseGz> file(gzopen(path.c_str(), "rb"));
  if (!file) throw std::runtime_error("cannot open " + path);
  Bytes header(kBlock);
  while (read(file.get(), header) == kBlock && header[0] != std::byte{0}) {
    const char* text = reinterpret_cast<const char*>(header.data());
    const std::string name(text, strnlen(text, 100));
    const size_t size = std::strtoull(text + 124, nullptr, 8);
    Bytes data((size + kBlock - 1) / kBlock * kBlock);
    if (read(file.get(), data) != data.size()) throw std::runtime_error(path + " ends within " + name);
    data.resize(size);
    const size_t slash = name.rfind('/');
    take(name.substr(0, slash), name.substr(slash + 1), std::move(data));
  }
}

// The value of a key of the dictionary in a .npy header, up to its end.
std::string header_value(const std::string& header, const std::string& key, char end) {
  const size_t at = header.find("'" + key + "': ");
  if (at == std::string::npos) throw std::runtime_error("no " + key + " in a .npy header");
  const size_t from = at + key.size() + 4;
  return header.substr(from, header.find(end, from) - from);
}

Array parse_npy(const Bytes& bytes) {
  const auto at = [&](size_t i) { return static_cast<size_t>(bytes.at(i)); };
  const size_t size = at(8) | at(9) << 8;
  const std::string header(reinterpret_cast<const char*>(bytes.data()) + 10, size);
  Array array;
  const std::string type = header_value(header, "descr", ',');  // '<f4'
  array.type = type.substr(2, type.size() - 3);
  if (header_value(header, "fortran_order", ',') != "False") throw std::runtime_error("a .npy file in column order");
  std::stringstream dims(header_value(header, "shape", ')').substr(1));
  for (std::string d; std::getline(dims, d, ',');) {
    if (d.find_first_of("0123456789") != std::string::npos) array.dims.push_back(std::stoll(d));
  }
  array.data.assign(bytes.begin() + static_cast<std::ptrdiff_t>(10 + size), bytes.end());
  return array;
}

Lod parse_lod(const std::string& text) {
  Lod lod;
  std::stringstream levels(text);
  for (std::string level; std::getline(levels, level, ';');) {
    std::stringstream offsets(level);
    lod.emplace_back();
    for (std::string offset; std::getline(offsets, offset, ',');) lod.back().push_back(std::stoull(offset));
  }
  return lod;
}

Case parse_case(const std::string& name, const Files& files) {
  Case result;
  result.name = name;
  const Bytes& text = files.at("case.txt");
  std::stringstream lines(std::string(reinterpret_cast<const char*>(text.data()), text.size()));
  for (std::string line; std::getline(lines, line);) {
    std::stringstream words(line);
    std::string key, first, file, lod;
    words >> key >> first;
    if (key == "op") result.op = first;
    if (key == "run" || ((key == "input" || key == "output") && result.runs.empty())) result.runs.emplace_back();
    if (key == "model") result.model = files.at(first);
    if (key == "params") result.params = files.at(first);
    if (key == "input") {
      words >> file >> lod;
      result.runs.back().inputs.push_back({first, parse_npy(files.at(file)), parse_lod(lod)});
    }
    if (key == "output") {
      Output output;
      words >> output.absolute >> output.relative >> lod;
      output.array = parse_npy(files.at(first));
      output.lod = parse_lod(lod);
      result.runs.back().outputs.push_back(std::move(output));
    }
  }
  return result;
}

}  // namespace

std::vector<Case> read_cases(const std::string& path) {
  std::vector<Case> cases;
  std::string current;
  Files files;
  const auto finish = [&] {
    if (!files.empty()) cases.push_back(parse_case(current, files));
    files.clear();
  };
  read_tar(path, [&](const std::string& folder, const std::string& file, Bytes data) {
    if (folder != current) finish();
    current = folder;
    files[file] = std::move(data);
  });
  finish();
  return cases;
}

}  // namespace coracle::oracle
