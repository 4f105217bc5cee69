// SPDX-License-Identifier: Apache-2.0
#include "paddle_c/arrays.h"
#include "paddle_c/handles.h"

namespace coracle::paddle_c {
namespace {

template <class Value, class F>
Value ask_predictor(const char* call, PD_Predictor* handle, Value failed, const F& f) noexcept {
  return guard(call, failed, [&] { return static_cast<Value>(f(*given(handle, "pd_predictor").predictor)); });
}

using Shapes = std::map<std::string, std::vector<int64_t>>;
using Types = std::map<std::string, paddle_infer::DataType>;

PD_IOInfos* infos_of(const std::vector<std::string>& names, const Shapes& shapes, const Types& types) {
  Owned<PD_IOInfos> infos(new PD_IOInfos{names.size(), nullptr});
  infos->io_info = new PD_IOInfo*[names.size()]();
  for (size_t i = 0; i < names.size(); ++i) {
    Owned<PD_IOInfo> info(new PD_IOInfo{nullptr, nullptr, data_type_of(types.at(names[i]))});
    info->name = cstr_of(names[i]);
    info->shape = array_of<PD_OneDimArrayInt64, int64_t>(shapes.at(names[i]));
    infos->io_info[i] = info.release();
  }
  return infos.release();
}

}  // namespace
}  // namespace coracle::paddle_c

using coracle::paddle_c::array_of;
using coracle::paddle_c::ask_predictor;
using coracle::paddle_c::given;
using coracle::paddle_c::guard;
using coracle::paddle_c::text;
using paddle_infer::Predictor;

extern "C" {

PD_Predictor* PD_PredictorCreate(PD_Config* pd_config) {
  return guard(__func__, static_cast<PD_Predictor*>(nullptr),
               [&] { return new PD_Predictor{std::make_unique<Predictor>(given(pd_config, "pd_config").config)}; });
}

PD_Predictor* PD_PredictorClone(PD_Predictor* pd_predictor) {
  return ask_predictor(__func__, pd_predictor, static_cast<PD_Predictor*>(nullptr),
                       [](Predictor& p) { return new PD_Predictor{p.Clone()}; });
}

PD_OneDimArrayCstr* PD_PredictorGetInputNames(PD_Predictor* pd_predictor) {
  return ask_predictor(__func__, pd_predictor, static_cast<PD_OneDimArrayCstr*>(nullptr),
                       [](Predictor& p) { return coracle::paddle_c::cstrs_of(p.GetInputNames()); });
}

PD_IOInfos* PD_PredictorGetInputInfos(PD_Predictor* pd_predictor) {
  return ask_predictor(__func__, pd_predictor, static_cast<PD_IOInfos*>(nullptr), [](Predictor& p) {
    return coracle::paddle_c::infos_of(p.GetInputNames(), p.GetInputTensorShape(), p.GetInputTypes());
  });
}

PD_OneDimArrayCstr* PD_PredictorGetOutputNames(PD_Predictor* pd_predictor) {
  return ask_predictor(__func__, pd_predictor, static_cast<PD_OneDimArrayCstr*>(nullptr),
                       [](Predictor& p) { return coracle::paddle_c::cstrs_of(p.GetOutputNames()); });
}

PD_IOInfos* PD_PredictorGetOutputInfos(PD_Predictor* pd_predictor) {
  return ask_predictor(__func__, pd_predictor, static_cast<PD_IOInfos*>(nullptr), [](Predictor& p) {
    return coracle::paddle_c::infos_of(p.GetOutputNames(), p.GetOutputTensorShape(), p.GetOutputTypes());
  });
}

size_t PD_PredictorGetInputNum(PD_Predictor* pd_predictor) {
  return ask_predictor(__func__, pd_predictor, size_t{0}, [](Predictor& p) { return p.GetInputNames().size(); });
}

size_t PD_PredictorGetOutputNum(PD_Predictor* pd_predictor) {
  return ask_predictor(__func__, pd_predictor, size_t{0}, [](Predictor& p) { return p.GetOutputNames().size(); });
}

PD_Tensor* PD_PredictorGetInputHandle(PD_Predictor* pd_predictor, const char* name) {
  return ask_predictor(__func__, pd_predictor, static_cast<PD_Tensor*>(nullptr),
                       [&](Predictor& p) { return new PD_Tensor{p.GetInputHandle(text(name, "name"))}; });
}

PD_Tensor* PD_PredictorGetOutputHandle(PD_Predictor* pd_predictor, const char* name) {
  return ask_predictor(__func__, pd_predictor, static_cast<PD_Tensor*>(nullptr),
                       [&](Predictor& p) { return new PD_Tensor{p.GetOutputHandle(text(name, "name"))}; });
}

PD_Bool PD_PredictorRun(PD_Predictor* pd_predictor) {
  return ask_predictor(__func__, pd_predictor, PD_Bool{FALSE}, [](Predictor& p) { return p.Run(); });
}

void PD_PredictorClearIntermediateTensor(PD_Predictor* pd_predictor) {
  ask_predictor(__func__, pd_predictor, 0, [](Predictor& p) {
    p.ClearIntermediateTensor();
    return 0;
  });
}

uint64_t PD_PredictorTryShrinkMemory(PD_Predictor* pd_predictor) {
  return ask_predictor(__func__, pd_predictor, uint64_t{0}, [](Predictor& p) { return p.TryShrinkMemory(); });
}

void PD_PredictorDestroy(PD_Predictor* pd_predictor) { delete pd_predictor; }

const char* PD_GetVersion(void) {
  return guard(__func__, "", [] {
    static const std::string version = paddle_infer::GetVersion();
    return version.c_str();
  });
}

}  // extern "C"
