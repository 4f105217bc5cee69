// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "paddle/paddle_inference_api.h"
#include "paddle/pd_inference_api.h"
#include "paddle_c/guard.h"

/// What is behind the opaque handles of pd_inference_api.h.
struct PD_Config {
  paddle_infer::Config config;
  std::string custom_device_type;  ///< what PD_ConfigCustomDeviceType gave
};

struct PD_Predictor {
  std::unique_ptr<paddle_infer::Predictor> predictor;
};

struct PD_Tensor {
  std::unique_ptr<paddle_infer::Tensor> tensor;
};

namespace coracle::paddle_c {

inline PD_Bool boolean(bool value) { return value ? TRUE : FALSE; }

/// Calls f with the Config behind a handle.
template <class F>
void with_config(const char* call, PD_Config* handle, const F& f) noexcept {
  guard(call, [&] { f(given(handle, "pd_config").config); });
}
/// The same for what a Config says; `failed` where there is none.
template <class Value, class F>
Value ask_config(const char* call, PD_Config* handle, Value failed, const F& f) noexcept {
  return guard(call, failed, [&] { return static_cast<Value>(f(given(handle, "pd_config").config)); });
}
template <class F>
PD_Bool ask_config(const char* call, PD_Config* handle, const F& f) noexcept {
  return guard(call, PD_Bool{FALSE}, [&] { return boolean(f(given(handle, "pd_config").config)); });
}

}  // namespace coracle::paddle_c
