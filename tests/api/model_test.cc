// SPDX-License-Identifier: Apache-2.0
#include <rapidjson/document.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "api/loaded.h"
#include "support/pir_writer.h"
#include "support/program_writer.h"
#include "support/temporary_folder.h"

// Loading by path, memory and callback in every form of file, and what a model says about itself.
namespace coracle::internal {
namespace {

using test::expect_error;

/// y = x w + b, with parameters b and w; `params` has both records in order.
struct TwoParameters {
  std::string program;
  std::string b = test::record<float>(test::kFloat32, {2}, {10, 20});
  std::string w = test::record<float>(test::kFloat32, {2, 2}, {1, 2, 3, 4});
};

TwoParameters program_desc() {
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {-1, 2}, 0);
  main.variables.push_back(test::variable("w", test::kFloat32, {2, 2}, true));
  main.variables.push_back(test::variable("b", test::kFloat32, {2}, true));
  main.operators.push_back(test::OpWriter("matmul_v2").in("X", {"x"}).in("Y", {"w"}).out("Out", {"p"}));
  main.operators.push_back(
      test::OpWriter("elementwise_add").in("X", {"p"}).in("Y", {"b"}).out("Out", {"y"}).integer("axis", -1));
  test::add_fetch(main, "y", 0);
  return {.program = test::program_file({main})};
}

TwoParameters pir_program() {
  using namespace test::pir;  // NOLINT(google-build-using-namespace): the writer's vocabulary
  const std::string rows = tensor("t_f32", {-1, 2});
  return {.program = program_file({parameter(1, "b", tensor("t_f32", {2})), parameter(2, "w", tensor("t_f32", {2, 2})),
                                   data(3, "x", rows), operation("1.matmul", {3, 2}, {{4, rows}}),
                                   operation("1.add", {4, 1}, {{5, rows}}), fetch(5, 6, 0, rows)})};
}

/// Runs the model on 1 2 and expects what both programs give.
void expect_right(const test::ModelHandle& model) {
  ASSERT_NE(model, nullptr);
  const test::SessionHandle session = test::open(model);
  const int64_t dims[] = {1, 2};
  const float x[] = {1, 2};
  ASSERT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 2, dims, x), CORACLE_OK);
  ASSERT_EQ(coracle_session_run(session.get()), CORACLE_OK) << coracle_last_error();
  float y[2] = {};
  ASSERT_EQ(coracle_session_copy_output(session.get(), 0, y, sizeof(y)), CORACLE_OK);
  EXPECT_EQ(y[0], 17);
  EXPECT_EQ(y[1], 30);
}

/// Loads and runs it with its weights copied and mapped.
void expect_right(const std::string& path, const char* params = nullptr) {
  for (const char* weights : {"copied", "mapped"}) {
    coracle_model_options options;
    coracle_model_options_init(&options, sizeof(options));
    options.weights = weights;
    coracle_model* model = nullptr;
    EXPECT_EQ(coracle_model_load(path.c_str(), params, &options, &model), CORACLE_OK) << coracle_last_error();
    expect_right(test::ModelHandle(model));
  }
}

TEST(LoadModel, FromPaths) {
  const test::TemporaryFolder folder;
  const TwoParameters old = program_desc();
  const TwoParameters pir = pir_program();
  folder.write("a/m.pdmodel", old.program);
  folder.write("a/m.pdiparams", old.b + old.w);
  folder.write("b/__model__", old.program);
  folder.write("b/__params__", old.b + old.w);
  folder.write("c/__model__", old.program);
  folder.write("c/b", old.b);
  folder.write("c/w", old.w);
  folder.write("d/inference.json", pir.program);
  folder.write("d/inference.pdiparams", pir.b + pir.w);
  folder.write("e/__model__.json", pir.program);
  folder.write("e/b", pir.b);
  folder.write("e/w", pir.w);
  for (const char* path : {"a", "a/m.pdmodel", "a/m.pdiparams", "b", "b/__model__", "b/__params__", "c", "c/__model__",
                           "d", "d/inference.json", "d/inference.pdiparams", "e", "e/__model__.json"}) {
    SCOPED_TRACE(path);
    expect_right(folder.path(path));
  }
  expect_right(folder.path("c/__model__"), folder.path("b/__params__").c_str());
  expect_right(folder.path("a/m.pdmodel"), folder.path("c").c_str());
}

TEST(LoadModel, ParametersThatAreLinksOutOfTheFolder) {
  const test::TemporaryFolder folder;
  for (const TwoParameters& files : {program_desc(), pir_program()}) {
    const bool is_pir = files.program.starts_with('{');
    const std::string model = is_pir ? "pir" : "desc";
    folder.write(model + (is_pir ? "/__model__.json" : "/__model__"), files.program);
    for (const auto& [name, record] : {std::pair("b", files.b), std::pair("w", files.w)}) {
      std::filesystem::create_symlink(folder.write("store/" + model + name, record), folder.path(model + "/" + name));
    }
    const std::string path = folder.path(model);
    coracle_model* none = nullptr;
    expect_error(coracle_model_load(path.c_str(), nullptr, nullptr, &none), CORACLE_INVALID_MODEL,
                 "set the option 'allow_outside_links'");
    for (const char* weights : {"copied", "mapped"}) {
      coracle_model_options options;
      coracle_model_options_init(&options, sizeof(options));
      EXPECT_EQ(options.allow_outside_links, 0);
      options.allow_outside_links = 1;
      options.weights = weights;
      coracle_model* loaded = nullptr;
      EXPECT_EQ(coracle_model_load(path.c_str(), nullptr, &options, &loaded), CORACLE_OK) << coracle_last_error();
      expect_right(test::ModelHandle(loaded));
    }
  }
}

TEST(LoadModel, FromMemory) {
  for (const TwoParameters& files : {program_desc(), pir_program()}) {
    const std::string params = files.b + files.w;
    coracle_model* model = nullptr;
    ASSERT_EQ(coracle_model_load_memory(files.program.data(), files.program.size(), params.data(), params.size(),
                                        nullptr, &model),
              CORACLE_OK)
        << coracle_last_error();
    expect_right(test::ModelHandle(model));
    // Parameters that are misaligned in memory are as good.
    const std::string shifted = "?" + params;
    ASSERT_EQ(coracle_model_load_memory(files.program.data(), files.program.size(), shifted.data() + 1, params.size(),
                                        nullptr, &model),
              CORACLE_OK)
        << coracle_last_error();
    expect_right(test::ModelHandle(model));
    expect_error(coracle_model_load_memory(files.program.data(), files.program.size(), nullptr, 0, nullptr, &model),
                 CORACLE_IO, "parameter");
    expect_error(coracle_model_load_memory(files.program.data(), files.program.size(), params.data(), params.size() - 1,
                                           nullptr, &model),
                 CORACLE_INVALID_MODEL, "'w'");
    expect_error(coracle_model_load_memory("", 0, nullptr, 0, nullptr, &model), CORACLE_INVALID_MODEL, "");
  }
}

using Archive = std::map<std::string, std::string>;

int read_archive(void* user, const char* name, const void** data, size_t* size) {
  const auto& archive = *static_cast<const Archive*>(user);
  const auto it = archive.find(name);
  if (it == archive.end()) return 1;
  *data = it->second.data();
  *size = it->second.size();
  return 0;
}

TEST(LoadModel, ByCallback) {
  const TwoParameters old = program_desc();
  const TwoParameters pir = pir_program();
  Archive archive{{"m/a.pdmodel", old.program},
                  {"m/a.pdiparams", old.b + old.w},
                  {"s/__model__", old.program},
                  {"s/b", old.b},
                  {"s/w", old.w},
                  {"p/i.json", pir.program},
                  {"p/i.pdiparams", pir.b + pir.w},
                  {"weights", old.b + old.w}};
  const auto load = [&](const char* path, const char* params = nullptr) {
    coracle_model* model = nullptr;
    EXPECT_EQ(coracle_model_load_callback(path, params, read_archive, &archive, nullptr, &model), CORACLE_OK)
        << path << ": " << coracle_last_error();
    return test::ModelHandle(model);
  };
  for (const char* path : {"m/a.pdmodel", "m/a.pdiparams", "s/__model__", "p/i.json"}) {
    SCOPED_TRACE(path);
    expect_right(load(path));
  }
  expect_right(load("s/__model__", "weights"));
  coracle_model* model = nullptr;
  expect_error(coracle_model_load_callback("none", nullptr, read_archive, &archive, nullptr, &model), CORACLE_IO,
               "'none'");
  const auto nowhere = [](void*, const char*, const void** data, size_t* size) {
    *data = nullptr;
    *size = 100;
    return 0;
  };
  expect_error(coracle_model_load_callback("m/a.pdmodel", nullptr, nowhere, nullptr, nullptr, &model), CORACLE_IO,
               "'m/a.pdmodel' has 100 bytes and a null address");
  const auto endless = [](void*, const char*, const void** data, size_t* size) {
    *data = size;
    *size = SIZE_MAX;
    return 0;
  };
  expect_error(coracle_model_load_callback("m/a.pdmodel", nullptr, endless, nullptr, nullptr, &model), CORACLE_IO,
               "an address at which so many bytes cannot lie");
  archive.erase("s/w");
  expect_error(coracle_model_load_callback("s/__model__", nullptr, read_archive, &archive, nullptr, &model), CORACLE_IO,
               "'w'");
}

/// What a program decrypts, say: what a callback gives of a saved model is the model, or an error that names the file.
TEST(LoadModel, SavedByCallback) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("model.coracle");
  ASSERT_EQ(coracle_model_save(test::load(test::product_model()).get(), path.c_str()), CORACLE_OK);
  std::ifstream file(path, std::ios::binary);
  const std::string saved(std::istreambuf_iterator<char>(file), {});
  Archive archive{{"m.coracle", saved}};
  coracle_model* model = nullptr;
  ASSERT_EQ(coracle_model_load_callback("m.coracle", nullptr, read_archive, &archive, nullptr, &model), CORACLE_OK)
      << coracle_last_error();
  const test::ModelHandle loaded(model);
  EXPECT_EQ(coracle_model_output_count(model), 2U);

  const auto fails = [](void*, const char*, const void**, size_t*) { return -1; };
  coracle_model* none = nullptr;
  expect_error(coracle_model_load_callback("m.coracle", nullptr, fails, nullptr, nullptr, &none), CORACLE_IO,
               "'m.coracle'");
  archive["m.coracle"].resize(saved.size() / 2);
  expect_error(coracle_model_load_callback("m.coracle", nullptr, read_archive, &archive, nullptr, &none),
               CORACLE_INVALID_MODEL, "'m.coracle'");
  archive["m.coracle"] = saved;
  for (char& byte : archive["m.coracle"]) byte = static_cast<char>(byte ^ 0x5a);  // by another key
  EXPECT_NE(coracle_model_load_callback("m.coracle", nullptr, read_archive, &archive, nullptr, &none), CORACLE_OK);
  EXPECT_NE(std::string(coracle_last_error()).find("'m.coracle'"), std::string::npos) << coracle_last_error();
  EXPECT_EQ(none, nullptr);
}

TEST(ModelDescription, SaysWhatIsInTheModel) {
  const test::ModelBytes bytes = test::product_model();
  const test::ModelHandle model = test::load(bytes);
  ASSERT_EQ(coracle_model_input_count(model.get()), 1U);
  ASSERT_EQ(coracle_model_output_count(model.get()), 2U);
  coracle_tensor_info info;
  ASSERT_EQ(coracle_model_input(model.get(), 0, &info), CORACLE_OK);
  EXPECT_STREQ(info.name, "x");
  EXPECT_EQ(info.dtype, CORACLE_FLOAT32);
  ASSERT_EQ(info.rank, 2);
  EXPECT_EQ(info.dims[0], -1);
  EXPECT_EQ(info.dims[1], 2);
  EXPECT_EQ(info.lod_levels, 0);
  ASSERT_EQ(coracle_model_output(model.get(), 0, &info), CORACLE_OK);
  EXPECT_STREQ(info.name, "twice");
  EXPECT_EQ(coracle_model_find_input(model.get(), "x"), 0);

  rapidjson::Document d;
  d.Parse(coracle_model_description(model.get()));
  ASSERT_FALSE(d.HasParseError());
  EXPECT_STREQ(d["format"].GetString(), "ProgramDesc");
  EXPECT_STREQ(d["producer"].GetString(), "2.6.2");
  EXPECT_EQ(d["operators"]["matmul_v2"].GetInt(), 1);
  EXPECT_EQ(d["parameters"]["bytes"].GetInt(), 16);
  EXPECT_GE(d["nodes"].GetInt(), 2);
  EXPECT_STREQ(d["isa"].GetString(), coracle_cpu_isa());

  char* text = nullptr;
  ASSERT_EQ(coracle_model_graph_text(model.get(), &text), CORACLE_OK);
  const std::unique_ptr<char, test::FreeHandle> owner(text);
  EXPECT_NE(std::strstr(text, "product"), nullptr) << text;
}

TEST(ModelDescription, LevelsOfSequenceOffsets) {
  const test::ModelBytes bytes = test::small_program_models()[2];
  const test::ModelHandle model = test::load(bytes);
  coracle_tensor_info info;
  ASSERT_EQ(coracle_model_input(model.get(), 0, &info), CORACLE_OK);
  EXPECT_EQ(info.dtype, CORACLE_INT64);
  EXPECT_EQ(info.lod_levels, 1);
}

TEST(ModelDescription, ElementTypes) {
  EXPECT_EQ(coracle_dtype_size(CORACLE_FLOAT16), 2U);
  EXPECT_EQ(coracle_dtype_size(CORACLE_COMPLEX128), 16U);
  EXPECT_STREQ(coracle_dtype_name(CORACLE_BFLOAT16), "bfloat16");
  EXPECT_EQ(coracle_dtype_size(CORACLE_FLOAT8_E4M3), 1U);
  EXPECT_STREQ(coracle_dtype_name(CORACLE_FLOAT8_E4M3), "float8_e4m3fn");
  EXPECT_STREQ(coracle_dtype_name(CORACLE_FLOAT8_E5M2), "float8_e5m2");
  EXPECT_EQ(coracle_dtype_size(static_cast<coracle_dtype>(14)), 0U);
  EXPECT_STREQ(coracle_dtype_name(static_cast<coracle_dtype>(14)), "unknown");
  EXPECT_NE(std::string(coracle_version()).find('.'), std::string::npos);
}

}  // namespace
}  // namespace coracle::internal
