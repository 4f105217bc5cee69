// SPDX-License-Identifier: Apache-2.0
// Writes what the fuzz targets start from: DIR/<target>/ with seeds, DIR/<target>.dict with words of the format.
//   write_seeds DIR
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "cli/files.h"
#include "fuzz/model_bytes.h"
#include "graph/op.h"
#include "graph/text.h"
#include "loading/model.h"
#include "loading/write_saved.h"
#include "model/load.h"
#include "run/session.h"
#include "support/archive_writer.h"
#include "support/memory_file.h"
#include "support/program_writer.h"
#include "support/small_models.h"

namespace {

namespace fs = std::filesystem;
using namespace coracle::internal;

void write(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Names of attributes, as a visitor.
class Names : public AttributeVisitor {
 public:
  Names(std::set<std::string>& names, bool legacy) : names_(names), legacy_(legacy) {}

 protected:
  void visit(std::string_view name, std::string_view legacy, AttributeRef /*field*/) override {
    names_.emplace(legacy_ ? legacy : name);
  }

 private:
  std::set<std::string>& names_;
  bool legacy_;
};

/// The formats whose words differ.
enum class Format { kProgramDesc, kPir, kText };

/// Names of operators, ports and attributes, one a line in libFuzzer's form.
std::string dictionary(Format format) {
  const bool legacy = format == Format::kProgramDesc;
  std::set<std::string> words;
  for (const OpSchema* schema : all_ops()) {
    if (!legacy) words.insert(std::string(format == Format::kPir ? "1." : "") + schema->name);
    for (const char* type : schema->legacy) {
      if (legacy) words.insert(type);
    }
    for (const Port& p : schema->inputs) words.insert(legacy ? p.slot.c_str() : "");
    for (const Port& p : schema->outputs) words.insert(legacy ? p.slot.c_str() : "");
    Names names(words, legacy);
    const std::shared_ptr<void> attributes = schema->make(nullptr);
    schema->visit(attributes.get(), names);
  }
  words.erase("");
  std::string text;
  for (const std::string& w : words) {
    // In a ProgramDesc a text stands behind its length.
    char length[8] = "";
    if (legacy) std::snprintf(length, sizeof(length), "\\x%02X", static_cast<unsigned>(w.size()) & 0x7FU);
    text.append("\"").append(length).append(w).append("\"\n");
  }
  return text;
}

std::string text_of(const test::ModelBytes& m) {
  const ModelSource source = ModelSource::in_memory(test::memory_file(m.program), test::memory_file(m.params));
  return print(load_model(source).graph);
}

/// A header of NumPy's first version and what follows.
std::string npy(const std::string& dictionary, const std::string& data) {
  const std::string header = dictionary + "\n";
  std::string content("\x93NUMPY\x01\x00", 8);
  content.push_back(static_cast<char>(header.size()));
  content.push_back('\0');
  return content + header + data;
}

void write_inputs(const fs::path& folder) {
  const std::string six(24, '\1');
  write(folder / "npy_fuzzer" / "rows", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", six));
  write(folder / "npy_fuzzer" / "columns", npy("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }", six));
  write(folder / "npy_fuzzer" / "scalar",
        npy("{'descr': '<c16', 'fortran_order': False, 'shape': (), }", six.substr(8)));
  write(folder / "npy_fuzzer" / "empty", npy("{'descr': '|b1', 'fortran_order': True, 'shape': (0, 5), }", ""));
  write(
      folder / "npy_fuzzer.dict",
      "\"\\x93NUMPY\"\n\"'descr': \"\n\"'fortran_order': \"\n\"'shape': \"\n\"False\"\n\"True\"\n\"(\"\n\")\"\n\",\"\n"
      "\"'<f4'\"\n\"'<f8'\"\n\"'<f2'\"\n\"'<i8'\"\n\"'<i4'\"\n\"'<i2'\"\n\"'|i1'\"\n\"'|u1'\"\n\"'|b1'\"\n\"'<c8'"
      "\"\n\"'<c16'\"\n");
  // The last byte is what data_fuzzer takes them for.
  const std::string rows = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", six);
  write(folder / "data_fuzzer" / "npz", test::zip_archive({{"x.npy", rows}}, /*deflated=*/false) + '\x00');
  write(folder / "data_fuzzer" / "npz_deflated", test::zip_archive({{"x.npy", rows}}, /*deflated=*/true) + '\x00');
  write(folder / "data_fuzzer" / "json", std::string("[[1, -2.5], [1e3, 4]]") + '\x01');
  write(folder / "data_fuzzer" / "json_object", std::string(R"({"y": null, "x": [[true, 0], [1, 4]]})") + '\x05');
  write(folder / "data_fuzzer" / "json_request",
        std::string(R"({"datatype": "FP32", "shape": [2, 2], "data": [[1, 2], [3, 4]]})") + '\x81');
  write(folder / "data_fuzzer" / "raw", six + '\x32');
  write(folder / "data_fuzzer" / "raw_half", six + '\x07');
  write(
      folder / "data_fuzzer.dict",
      "\"PK\\x03\\x04\"\n\"PK\\x01\\x02\"\n\"PK\\x05\\x06\"\n\"x.npy\"\n\"\\x93NUMPY\"\n\"[\"\n\"]\"\n\"{\"\n\"}\"\n\","
      "\"\n\"NaN\"\n\"true\"\n\"\\\"x\\\":\"\n");
  // The last byte is what image_fuzzer makes of them.
  const fs::path picture = folder / "picture";
  test::write_png(picture, 3, 5, {10, 20, 30});
  write(folder / "image_fuzzer" / "png", read(picture) + '\x02');
  write(folder / "image_fuzzer" / "png_resized", read(picture) + '\x11');
  test::write_jpeg(picture, 9, 17, {200, 20, 30});
  write(folder / "image_fuzzer" / "jpeg", read(picture) + '\x02');
  test::write_cmyk_jpeg(picture, 8, 8, {200, 20, 30});
  write(folder / "image_fuzzer" / "cmyk", read(picture) + '\x02');
  for (int bits : {8, 24, 32}) {
    test::write_bmp(picture, 3, 5, {10, 20, 30}, bits);
    write(folder / "image_fuzzer" / ("bmp" + std::to_string(bits)), read(picture) + '\x1D');
  }
  test::write_oriented_png(picture, 2, 3, 6);
  write(folder / "image_fuzzer" / "oriented", read(picture) + '\x02');
  if (test::write_webp(picture, 3, 5, {10, 20, 30})) write(folder / "image_fuzzer" / "webp", read(picture) + '\x19');
  fs::remove(picture);
}

void write_archives(const fs::path& folder) {
  const test::ModelBytes model = test::product_model();
  const test::ArchivedFiles files{{"net/inference.pdmodel", model.program}, {"net/inference.pdiparams", model.params}};
  const test::ArchivedFiles long_name{{std::string(120, 'n') + "/model", "content"}};
  write(folder / "tar", test::tar_archive(files));
  write(folder / "tar_pax", test::tar_archive(long_name));
  write(folder / "tar_gnu", test::tar_archive(long_name, test::LongNames::kGnu));
  write(folder / "tar_gz", test::gzipped(test::tar_archive(files)));
  write(folder / "zip_stored", test::zip_archive(files, false));
  write(folder / "zip_deflated", test::zip_archive(files, true));
  write(folder / "zip_large", test::zip_archive(files, true, true));
}

void write_saved(const fs::path& path, const test::ModelBytes& m) {
  fs::create_directories(path.parent_path());
  const auto model = Model::load(ModelSource::in_memory(test::memory_file(m.program), test::memory_file(m.params)), {});
  Session session(model, {.threads = 1});
  for (size_t i = 0; i < m.inputs.size(); ++i) {
    session.set_input(i, m.inputs[i]);
    if (!m.inputs[i].lod().empty()) session.set_input_lod(i, m.inputs[i].lod());
  }
  session.run();
  model->save(path, /*with_packed=*/true);
}

/// Two blocks of an engine that nobody has, one of them with what is no compiled block.
void write_with_blocks(const fs::path& path, const test::ModelBytes& m) {
  const LoadedModel loaded =
      load_model(ModelSource::in_memory(test::memory_file(m.program), test::memory_file(m.params)), {});
  const auto bytes = std::make_shared<const std::string>(100, 'b');
  const SavedCompiled compiled{.version = "1",
                               .processor = "p",
                               .key = {1, 2, 3},
                               .checksum = 4,
                               .data = std::shared_ptr<const void>(bytes, bytes->data()),
                               .bytes = bytes->size()};
  SavedBlocks blocks{.blocks = {{.engine = "nobody", .graph = 0, .nodes = {0}, .compiled = {compiled}}}, .ranges = {}};
  if (loaded.graph.order().size() > 2) {
    blocks.blocks.push_back({.engine = "openvino:GPU", .graph = 0, .nodes = {1, 2}, .compiled = {}});
  }
  write_saved_model(path, loaded.graph, loaded.info, {}, {}, blocks);
}

void write_all(const fs::path& folder) {
  fs::create_directories(folder);
  write_inputs(folder);
  write_archives(folder / "archive_fuzzer");
  for (const test::ModelBytes& m : test::small_program_models()) {
    write(folder / "programdesc_fuzzer" / m.name, test::join_model(m.program, m.params));
    write(folder / "text_fuzzer" / m.name, text_of(m));
    write_saved(folder / "saved_fuzzer" / m.name, m);
    write_with_blocks(folder / "saved_fuzzer" / ("blocks_" + m.name), m);
  }
  for (const test::ModelBytes& m : test::small_pir_models()) {
    write(folder / "pir_fuzzer" / m.name, test::join_model(m.program, m.params));
    write(folder / "text_fuzzer" / ("pir_" + m.name), text_of(m));
    write_saved(folder / "saved_fuzzer" / ("pir_" + m.name), m);
  }
  write(folder / "programdesc_fuzzer.dict", dictionary(Format::kProgramDesc));
  write(folder / "pir_fuzzer.dict", dictionary(Format::kPir));
  write(folder / "text_fuzzer.dict", dictionary(Format::kText));
  const std::string a = test::record<float>(test::kFloat32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const std::string b = test::record<int8_t>(test::kInt8, {4}, {1, 2, 3, 4});
  const std::string c = test::record<int64_t>(test::kInt64, {}, {7});
  write(folder / "params_fuzzer" / "three", a + b + c);
  write(folder / "params_fuzzer" / "empty", test::record<float>(test::kFloat32, {0, 3}, {}) + b + c);
  std::string ramp;
  for (int i = 0; i < 512; ++i) ramp.push_back(static_cast<char>(i * 37));
  write(folder / "operator_fuzzer" / "ramp", ramp);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_seeds DIR\n");
    return 2;
  }
  try {
    write_all(argv[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "write_seeds: %s\n", e.what());
    return 1;
  }
  return 0;
}
