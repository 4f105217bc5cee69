// SPDX-License-Identifier: Apache-2.0
#include <climits>
#include <memory>

#include "coracle/coracle.h"
#include "misuse/interface.h"
#include "pd_inference_api.h"

namespace coracle::internal::test {
namespace {

constexpr float kPair[] = {1, 2};

/// What the calls since the last answer left behind.
Answer answered() {
  Answer answer{"ok", coracle_last_error()};
  if (!answer.text.empty()) answer.status = "error";
  coracle_set_last_error("");
  return answer;
}

PD_Predictor* load(const std::string& program, const std::string& params) {
  PD_Config* config = PD_ConfigCreate();
  PD_ConfigSetModel(config, program.c_str(), params.c_str());
  PD_Predictor* predictor = PD_PredictorCreate(config);
  PD_ConfigDestroy(config);
  return predictor;
}

PD_Predictor* load(const MisuseModels& models, const std::string& folder) {
  return load(models.program(folder), models.params(folder));
}

Interface::Case loading(const std::string& folder) {
  return [=](const MisuseModels& m) {
    PD_PredictorDestroy(load(m, folder));
    return answered();
  };
}

/// A predictor of the product model, its input and its output.
struct Open {
  explicit Open(const MisuseModels& models, bool run_once = false) : predictor(load(models, "product")) {
    in = PD_PredictorGetInputHandle(predictor, "x");
    out = PD_PredictorGetOutputHandle(predictor, "product");
    if (run_once) {
      set({1, 2});
      PD_PredictorRun(predictor);
    }
  }
  ~Open() {
    PD_TensorDestroy(in);
    PD_TensorDestroy(out);
    PD_PredictorDestroy(predictor);
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;

  void reshape(std::vector<int32_t> dims) const { PD_TensorReshape(in, dims.size(), dims.data()); }
  void set(const std::vector<int32_t>& dims) const {
    reshape(dims);
    PD_TensorCopyFromCpuFloat(in, kPair);
  }

  PD_Predictor* predictor;
  PD_Tensor* in = nullptr;
  PD_Tensor* out = nullptr;
};

template <class F>
Interface::Case in_predictor(const F& call, bool run = false) {
  return [=](const MisuseModels& models) {
    const Open open(models, run);
    call(open);
    return answered();
  };
}

Interface::Case shaped(const std::vector<int32_t>& dims) {
  return in_predictor([=](const Open& o) {
    o.reshape(dims);
    const std::vector<float> values(16);
    PD_TensorCopyFromCpuFloat(o.in, values.data());
    PD_PredictorRun(o.predictor);
  });
}

Interface::Case offsets(std::vector<size_t> level) {
  return in_predictor(
      [=](const Open& o) {
        std::vector<size_t> copy = level;
        PD_OneDimArraySize one{copy.size(), copy.data()};
        PD_OneDimArraySize* levels[] = {&one};
        PD_TwoDimArraySize lod{1, levels};
        PD_TensorSetLod(o.in, &lod);
        PD_PredictorRun(o.predictor);
      },
      true);
}

/// A case that is refused by a Config.
template <class F>
Interface::Case in_config(const F& call) {
  return [=](const MisuseModels& models) {
    PD_Config* config = PD_ConfigCreate();
    PD_ConfigSetModel(config, models.program("product").c_str(), models.params("product").c_str());
    call(config);
    PD_ConfigDestroy(config);
    return answered();
  };
}

}  // namespace

Interface paddle_c_interface() {
  using M = const MisuseModels&;
  using O = const Open&;
  Interface i;
  i.cases = {
      {"no_such_model", loading("nowhere")},
      {"no_such_params",
       [](M m) {
         PD_PredictorDestroy(load(m.program("product"), m.params("nowhere")));
         return answered();
       }},
      {"empty_folder", in_config([](PD_Config* config) {
         const TemporaryFolder empty;
         PD_ConfigSetModelDir(config, empty.path().c_str());
         PD_PredictorDestroy(PD_PredictorCreate(config));
       })},
      {"damaged_program", loading("bad_program")},
      {"damaged_params", loading("bad_params")},
      {"unknown_operator", loading("unknown_operator")},
      {"null_program", in_config([](PD_Config* c) { PD_ConfigSetModelBuffer(c, nullptr, 3, nullptr, 0); })},
      {"null_path", in_config([](PD_Config* c) { PD_ConfigSetModel(c, nullptr, "params"); })},
      {"null_handle",
       [](M) {
         PD_PredictorRun(nullptr);
         return answered();
       }},
      {"null_data", in_predictor([](O o) {
         o.reshape({1, 2});
         PD_TensorCopyFromCpuFloat(o.in, nullptr);
       })},
      {"null_result", in_predictor([](O o) { PD_TensorCopyToCpuFloat(o.out, nullptr); }, true)},
      {"unknown_input", in_predictor([](O o) { PD_PredictorGetInputHandle(o.predictor, "y"); })},
      {"unknown_output", in_predictor([](O o) { PD_PredictorGetOutputHandle(o.predictor, "y"); })},
      {"run_without_input", in_predictor([](O o) { PD_PredictorRun(o.predictor); })},
      {"result_before_a_run", in_predictor([](O o) {
         float y[2];
         PD_TensorCopyToCpuFloat(o.out, y);
       })},
      {"input_of_another_type", in_predictor([](O o) {
         const int64_t whole[] = {1, 2};
         o.reshape({1, 2});
         PD_TensorCopyFromCpuInt64(o.in, whole);
       })},
      {"result_as_another_type", in_predictor(
                                     [](O o) {
                                       int32_t whole[2];
                                       PD_TensorCopyToCpuInt32(o.out, whole);
                                     },
                                     true)},
      {"another_rank", shaped({2})},
      {"another_dimension", shaped({2, 1})},
      {"another_count", in_predictor([](O o) {
         const float more[] = {1, 2, 3, 4};
         o.reshape({2, 2});
         PD_TensorCopyFromCpuFloat(o.in, more);
         o.reshape({1, 2});
         PD_PredictorRun(o.predictor);
       })},
      {"negative_dimension", in_predictor([](O o) {
         o.reshape({1, -2});
       })},
      {"too_large_shape", in_predictor([](O o) {
         o.reshape({INT_MAX, INT_MAX, INT_MAX});
       })},
      {"too_many_dimensions", shaped(std::vector<int32_t>(10, 1))},
      {"elements_before_the_shape", in_predictor([](O o) { PD_TensorCopyFromCpuFloat(o.in, kPair); })},
      {"output_is_set", in_predictor([](O o) { PD_TensorCopyFromCpuFloat(o.out, kPair); })},
      {"offsets_do_not_begin_at_0", offsets({1, 1})},
      {"offsets_decrease", offsets({0, 1, 0, 1})},
      {"offsets_do_not_end_at_the_rows", offsets({0, 3})},
      {"threads_out_of_range", in_config([](PD_Config* c) { PD_ConfigSetCpuMathLibraryNumThreads(c, -2); })},
      {"unknown_pass", in_config([](PD_Config* c) {
         PD_ConfigAppendPass(c, "wishing");
         PD_PredictorDestroy(PD_PredictorCreate(c));
       })},
      {"index_out_of_range",
       [](M m) {
         PD_Predictor* predictor = load(m, "reader");
         for (const char* name : {"words", "positions"}) {
           int32_t dims[] = {1, 2};
           const int64_t words[] = {3, 100};
           PD_Tensor* in = PD_PredictorGetInputHandle(predictor, name);
           PD_TensorReshape(in, 2, dims);
           PD_TensorCopyFromCpuInt64(in, words);
           PD_TensorDestroy(in);
         }
         PD_PredictorRun(predictor);
         PD_PredictorDestroy(predictor);
         return answered();
       }},
      {"config_used_twice", in_config([](PD_Config* c) {
         PD_PredictorDestroy(PD_PredictorCreate(c));
         PD_PredictorCreate(c);
       })},
  };
  i.still_answers = [](M m) {
    const Open open(m);
    open.set({2, 1});
    if (PD_PredictorRun(open.predictor) == TRUE) return false;
    open.set({1, 2});
    float product[2] = {0, 0};
    if (PD_PredictorRun(open.predictor) != TRUE) return false;
    PD_TensorCopyToCpuFloat(open.out, product);
    coracle_set_last_error("");
    return product[0] == 7 && product[1] == 10;
  };
  return i;
}

}  // namespace coracle::internal::test
