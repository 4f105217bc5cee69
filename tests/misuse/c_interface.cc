// SPDX-License-Identifier: Apache-2.0
#include "api/loaded.h"
#include "misuse/interface.h"

namespace coracle::internal::test {
namespace {

constexpr int64_t kDims[] = {1, 2};
constexpr float kPair[] = {1, 2};

Answer answered(coracle_status status) { return {status_name(status), coracle_last_error()}; }

Answer load(const std::string& path, const char* params = nullptr, const coracle_model_options* options = nullptr) {
  coracle_model* model = nullptr;
  const Answer answer = answered(coracle_model_load(path.c_str(), params, options, &model));
  if (model != nullptr) coracle_model_free(model);
  return answer;
}

Answer load_with(const MisuseModels& models, const char* coracle_model_options::*field, const char* value) {
  coracle_model_options options;
  coracle_model_options_init(&options, sizeof(options));
  options.*field = value;
  return load(models.folder("product"), nullptr, &options);
}

/// A model and its session, with its inputs set if told so.
struct Open {
  explicit Open(const std::string& folder, bool ready = false, const coracle_session_options* options = nullptr) {
    coracle_model* m = nullptr;
    coracle_session* s = nullptr;
    EXPECT_EQ(coracle_model_load(folder.c_str(), nullptr, nullptr, &m), CORACLE_OK) << coracle_last_error();
    model.reset(m);
    EXPECT_EQ(coracle_session_create(m, options, &s), CORACLE_OK) << coracle_last_error();
    session.reset(s);
    EXPECT_TRUE(!ready || set(2, kDims) == CORACLE_OK);
  }
  coracle_status set(int32_t rank, const int64_t* dims, const void* data = kPair, coracle_dtype dtype = CORACLE_FLOAT32,
                     size_t index = 0) {
    return coracle_session_set_input(session.get(), index, dtype, rank, dims, data);
  }
  coracle_status run() { return coracle_session_run(session.get()); }

  ModelHandle model;
  SessionHandle session;
};

Answer set(const MisuseModels& models, const std::vector<int64_t>& dims, const void* data = kPair,
           coracle_dtype dtype = CORACLE_FLOAT32, size_t index = 0) {
  Open open(models.folder("product"));
  return answered(open.set(static_cast<int32_t>(dims.size()), dims.data(), data, dtype, index));
}

Answer set_lod(const MisuseModels& models, const std::vector<size_t>& offsets) {
  Open open(models.folder("product"), true);
  const size_t size = offsets.size();
  return answered(coracle_session_set_input_lod(open.session.get(), 0, 1, &size, offsets.data()));
}

Answer limited(const MisuseModels& models, size_t coracle_session_options::*field, size_t value) {
  coracle_session_options options;
  coracle_session_options_init(&options, sizeof(options));
  options.*field = value;
  Open open(models.folder("product"), false, &options);
  const std::vector<float> values(20000);
  const int64_t dims[] = {10000, 2};
  EXPECT_EQ(open.set(2, dims, values.data()), CORACLE_OK);
  return answered(open.run());
}

}  // namespace

Interface c_interface() {
  using M = const MisuseModels&;
  Interface i;
  i.cases = {
      {"no_such_model", [](M m) { return load(m.folder("nowhere")); }},
      {"no_such_params", [](M m) { return load(m.program("product"), m.params("nowhere").c_str()); }},
      {"empty_folder", [](M m) { return load(m.folder("empty")); }},
      {"damaged_program", [](M m) { return load(m.folder("bad_program")); }},
      {"damaged_params", [](M m) { return load(m.folder("bad_params")); }},
      {"unknown_operator", [](M m) { return load(m.folder("unknown_operator")); }},
      {"null_path",
       [](M) {
         coracle_model* model = nullptr;
         return answered(coracle_model_load(nullptr, nullptr, nullptr, &model));
       }},
      {"null_program",
       [](M) {
         coracle_model* model = nullptr;
         return answered(coracle_model_load_memory(nullptr, 3, nullptr, 0, nullptr, &model));
       }},
      {"null_handle", [](M) { return answered(coracle_session_run(nullptr)); }},
      {"null_data",
       [](M m) {
         return set(m, {1, 2}, nullptr);
       }},
      {"null_result",
       [](M m) {
         Open open(m.folder("product"), true);
         open.run();
         return answered(coracle_session_copy_output(open.session.get(), 0, nullptr, 8));
       }},
      {"unknown_input",
       [](M m) {
         return set(m, {1, 2}, kPair, CORACLE_FLOAT32, 7);
       }},
      {"unknown_output",
       [](M m) {
         Open open(m.folder("product"), true);
         open.run();
         coracle_tensor_view view;
         return answered(coracle_session_output(open.session.get(), 7, &view));
       }},
      {"unknown_variable",
       [](M m) {
         Open open(m.folder("product"), true);
         open.run();
         coracle_tensor_view view;
         return answered(coracle_session_tensor(open.session.get(), "nothing", &view));
       }},
      {"run_without_input", [](M m) { return answered(Open(m.folder("product")).run()); }},
      {"result_before_a_run",
       [](M m) {
         coracle_tensor_view view;
         return answered(coracle_session_output(Open(m.folder("product")).session.get(), 1, &view));
       }},
      {"input_of_another_type",
       [](M m) {
         return set(m, {1, 2}, kPair, CORACLE_INT64);
       }},
      {"no_element_type",
       [](M m) {
         return set(m, {1, 2}, kPair, static_cast<coracle_dtype>(15));
       }},
      {"another_rank", [](M m) { return set(m, {2}); }},
      {"another_dimension",
       [](M m) {
         Open open(m.folder("product"));
         const int64_t dims[] = {2, 1};
         open.set(2, dims);
         return answered(open.run());
       }},
      {"negative_dimension",
       [](M m) {
         return set(m, {1, -2});
       }},
      {"too_large_shape",
       [](M m) {
         return set(m, {INT32_MAX, INT32_MAX, INT32_MAX});
       }},
      {"too_many_dimensions", [](M m) { return set(m, std::vector<int64_t>(10, 1)); }},
      {"room_of_another_size",
       [](M m) {
         Open open(m.folder("product"), true);
         open.run();
         float room[1];
         return answered(coracle_session_copy_output(open.session.get(), 1, room, 4));
       }},
      {"offsets_do_not_begin_at_0",
       [](M m) {
         return set_lod(m, {1, 1});
       }},
      {"offsets_decrease",
       [](M m) {
         return set_lod(m, {0, 1, 0, 1});
       }},
      {"offsets_do_not_end_at_the_rows",
       [](M m) {
         return set_lod(m, {0, 3});
       }},
      {"threads_out_of_range",
       [](M m) {
         coracle_session_options options;
         coracle_session_options_init(&options, sizeof(options));
         options.threads = -2;
         coracle_session* session = nullptr;
         return answered(coracle_session_create(Open(m.folder("product")).model.get(), &options, &session));
       }},
      {"unknown_pass", [](M m) { return load_with(m, &coracle_model_options::disable_passes, "wishing"); }},
      {"unknown_instruction_set", [](M m) { return load_with(m, &coracle_model_options::cpu_isa, "abacus"); }},
      {"unknown_form_of_mark", [](M m) { return load_with(m, &coracle_model_options::marks, "matmul"); }},
      {"too_few_operators_of_an_engine",
       [](M m) {
         coracle_model_options options;
         coracle_model_options_init(&options, sizeof(options));
         options.min_ops = 0;
         return load(m.folder("product"), nullptr, &options);
       }},
      {"unknown_way_of_loading_weights", [](M m) { return load_with(m, &coracle_model_options::weights, "borrowed"); }},
      {"files_of_a_model_from_memory",
       [](M) {
         const ModelBytes bytes = product_model();
         return answered(coracle_model_check(load(bytes).get()));
       }},
      {"memory_limit", [](M m) { return limited(m, &coracle_session_options::memory_limit, 1024); }},
      {"index_out_of_range",
       [](M m) {
         Open open(m.folder("reader"));
         const int64_t words[] = {3, 100};
         for (size_t input : {0U, 1U}) EXPECT_EQ(open.set(2, kDims, words, CORACLE_INT64, input), CORACLE_OK);
         return answered(open.run());
       }},
      {"used_while_it_runs",
       [](M m) {
         Open open(m.folder("product"), true);
         Answer inside;
         struct Seen {
           coracle_session* session;
           Answer* answer;
         } seen{open.session.get(), &inside};
         const coracle_observe_function observe = [](void* user, const coracle_node_value*) {
           const auto* s = static_cast<Seen*>(user);
           *s->answer = answered(coracle_session_release_memory(s->session, nullptr));
           return 0;
         };
         coracle_session_set_observer(open.session.get(), observe, &seen);
         EXPECT_EQ(open.run(), CORACLE_OK);
         return inside;
       }},
      {"options_not_initialised",
       [](M m) {
         coracle_session_options options{};
         coracle_session* session = nullptr;
         return answered(coracle_session_create(Open(m.folder("product")).model.get(), &options, &session));
       }},
  };
  i.still_answers = [](M m) {
    Open open(m.folder("product"), true);
    const int64_t wrong[] = {2, 1};
    open.set(2, wrong);
    if (open.run() == CORACLE_OK || open.set(2, kDims) != CORACLE_OK || open.run() != CORACLE_OK) return false;
    float product[2];
    return coracle_session_copy_output(open.session.get(), 1, product, 8) == CORACLE_OK && product[1] == 10;
  };
  return i;
}

}  // namespace coracle::internal::test
