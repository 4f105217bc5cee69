// SPDX-License-Identifier: Apache-2.0
#include <climits>

#include "misuse/interface.h"
#include "paddle/paddle_models.h"

namespace coracle::internal::test {
namespace {

using Floats = std::vector<float>;
using paddle_infer::Config;
using paddle_infer::Predictor;
using paddle_infer::Tensor;
const Floats kPair = {1, 2};

template <class F>
Answer refused(const F& call) {
  try {
    call();
  } catch (const paddle::platform::EnforceNotMet& e) {
    return {"error", e.what()};
  }
  return {"ok", ""};
}

Interface::Case load(const std::string& folder) {
  return [=](const MisuseModels& m) {
    return refused([&] { paddle_infer::CreatePredictor(Config(m.program(folder), m.params(folder))); });
  };
}

Config config(const MisuseModels& models, const std::string& folder = "product") {
  return Config(models.program(folder), models.params(folder));
}

/// A case with a predictor of the product model, its input and its output.
template <class F>
Interface::Case in_predictor(const F& call, bool run = false) {
  return [=](const MisuseModels& models) {
    const std::shared_ptr<Predictor> predictor = paddle_infer::CreatePredictor(config(models));
    if (run) {
      fill<float>(*predictor, "x", {1, 2}, kPair);
      predictor->Run();
    }
    const std::unique_ptr<Tensor> in = predictor->GetInputHandle("x");
    const std::unique_ptr<Tensor> out = predictor->GetOutputHandle("product");
    return refused([&] { call(*predictor, *in, *out); });
  };
}

Interface::Case offsets(const std::vector<size_t>& level) {
  return in_predictor(
      [=](Predictor& p, Tensor& in, Tensor&) {
        in.SetLoD({level});
        p.Run();
      },
      true);
}

Interface::Case shaped(const std::vector<int>& dims) {
  return in_predictor([=](Predictor& p, Tensor& in, Tensor&) {
    in.Reshape(dims);
    in.CopyFromCpu(Floats(16).data());
    p.Run();
  });
}

}  // namespace

Interface paddle_interface() {
  using M = const MisuseModels&;
  using P = Predictor;
  using T = Tensor;
  Interface i;
  i.cases = {
      {"no_such_model", load("nowhere")},
      {"no_such_params",
       [](M m) {
         return refused([&] { paddle_infer::CreatePredictor(Config(m.program("product"), m.params("nowhere"))); });
       }},
      {"empty_folder", [](M m) { return refused([&] { paddle_infer::CreatePredictor(Config(m.folder("empty"))); }); }},
      {"damaged_program", load("bad_program")},
      {"damaged_params", load("bad_params")},
      {"unknown_operator", load("unknown_operator")},
      {"null_program", [](M) { return refused([] { Config().SetModelBuffer(nullptr, 3, nullptr, 0); }); }},
      {"null_handle", [](M) { return refused([] { Predictor(std::unique_ptr<paddle::PaddlePredictor>()); }); }},
      {"null_data", in_predictor([](P&, T& in, T&) {
         in.Reshape({1, 2});
         in.CopyFromCpu(static_cast<const float*>(nullptr));
       })},
      {"null_result", in_predictor([](P&, T&, T& out) { out.CopyToCpu(static_cast<float*>(nullptr)); }, true)},
      {"unknown_input", in_predictor([](P& p, T&, T&) { p.GetInputHandle("y"); })},
      {"unknown_output", in_predictor([](P& p, T&, T&) { p.GetOutputHandle("y"); })},
      {"run_without_input", in_predictor([](P& p, T&, T&) { p.Run(); })},
      {"result_before_a_run", in_predictor([](P&, T&, T& out) { out.CopyToCpu(Floats(2).data()); })},
      {"input_of_another_type", in_predictor([](P&, T& in, T&) {
         in.Reshape({1, 2});
         in.CopyFromCpu(std::vector<int64_t>{1, 2}.data());
       })},
      {"result_as_another_type",
       in_predictor([](P&, T&, T& out) { out.CopyToCpu(std::vector<int32_t>(2).data()); }, true)},
      {"another_rank", shaped({2})},
      {"another_dimension", shaped({2, 1})},
      {"another_count", in_predictor([](P& p, T& in, T&) {
         in.Reshape({2, 2});
         in.CopyFromCpu(Floats(4).data());
         in.Reshape({1, 2});
         p.Run();
       })},
      {"negative_dimension", in_predictor([](P&, T& in, T&) {
         in.Reshape({1, -2});
       })},
      {"too_large_shape", in_predictor([](P&, T& in, T&) {
         in.Reshape({INT_MAX, INT_MAX, INT_MAX});
       })},
      {"too_many_dimensions", shaped(std::vector<int>(10, 1))},
      {"elements_before_the_shape", in_predictor([](P&, T& in, T&) { in.CopyFromCpu(kPair.data()); })},
      {"room_of_another_size", in_predictor([](P& p, T& in, T& out) {
         float room[1];
         out.ShareExternalData(room, {1, 1}, paddle_infer::PlaceType::kCPU);
         in.Reshape({1, 2});
         in.CopyFromCpu(kPair.data());
         p.Run();
       })},
      {"output_is_set", in_predictor([](P&, T&, T& out) {
         out.Reshape({1, 2});
       })},
      {"offsets_do_not_begin_at_0", offsets({1, 1})},
      {"offsets_decrease", offsets({0, 1, 0, 1})},
      {"offsets_do_not_end_at_the_rows", offsets({0, 3})},
      {"threads_out_of_range", [](M) { return refused([] { Config().SetCpuMathLibraryNumThreads(-2); }); }},
      {"unknown_pass",
       [](M m) {
         return refused([&] {
           Config wishing = config(m);
           wishing.pass_builder()->AppendPass("wishing");
           paddle_infer::CreatePredictor(wishing);
         });
       }},
      {"index_out_of_range",
       [](M m) {
         const std::shared_ptr<Predictor> p = paddle_infer::CreatePredictor(config(m, "reader"));
         for (const char* name : {"words", "positions"}) fill<int64_t>(*p, name, {1, 2}, {3, 100});
         return refused([&] { p->Run(); });
       }},
      {"used_while_it_runs",
       [](M m) {
         const std::shared_ptr<Predictor> p = paddle_infer::CreatePredictor(config(m));
         fill<float>(*p, "x", {1, 2}, kPair);
         Answer inside;
         p->RegisterInputHook([&](const std::string&, const std::string&, const paddle::Tensor&) {
           inside = refused([&] { p->TryShrinkMemory(); });
         });
         p->Run();
         return inside;
       }},
      {"config_used_twice",
       [](M m) {
         Config once = config(m);
         paddle_infer::CreatePredictor(once);
         return refused([&] { paddle_infer::CreatePredictor(once); });
       }},
  };
  i.still_answers = [](M m) {
    const std::shared_ptr<Predictor> p = paddle_infer::CreatePredictor(config(m));
    fill<float>(*p, "x", {2, 1}, kPair);
    if (refused([&] { p->Run(); }).status == "ok") return false;
    fill<float>(*p, "x", {1, 2}, kPair);
    p->Run();
    return result<float>(*p, "product") == Floats{7, 10};
  };
  return i;
}

}  // namespace coracle::internal::test
