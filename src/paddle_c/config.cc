// SPDX-License-Identifier: Apache-2.0
#include "paddle_c/arrays.h"
#include "paddle_c/handles.h"

using coracle::paddle_c::ask_config;
using coracle::paddle_c::guard;
using coracle::paddle_c::text;
using coracle::paddle_c::with_config;
using paddle_infer::Config;

extern "C" {

PD_Config* PD_ConfigCreate(void) {
  return guard(__func__, static_cast<PD_Config*>(nullptr), [] { return new PD_Config{}; });
}

void PD_ConfigDestroy(PD_Config* pd_config) { delete pd_config; }

void PD_ConfigSetModel(PD_Config* pd_config, const char* prog_file_path, const char* params_file_path) {
  with_config(__func__, pd_config, [&](Config& c) {
    c.SetModel(text(prog_file_path, "prog_file_path"), text(params_file_path, "params_file_path"));
  });
}
void PD_ConfigSetProgFile(PD_Config* pd_config, const char* prog_file_path) {
  with_config(__func__, pd_config, [&](Config& c) { c.SetProgFile(text(prog_file_path, "prog_file_path")); });
}
void PD_ConfigSetParamsFile(PD_Config* pd_config, const char* params_file_path) {
  with_config(__func__, pd_config, [&](Config& c) { c.SetParamsFile(text(params_file_path, "params_file_path")); });
}
void PD_ConfigSetOptimCacheDir(PD_Config* pd_config, const char* opt_cache_dir) {
  with_config(__func__, pd_config, [&](Config& c) { c.SetOptimCacheDir(text(opt_cache_dir, "opt_cache_dir")); });
}
void PD_ConfigSetModelDir(PD_Config* pd_config, const char* model_dir) {
  with_config(__func__, pd_config, [&](Config& c) { c.SetModel(text(model_dir, "model_dir")); });
}
const char* PD_ConfigGetModelDir(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, static_cast<const char*>(nullptr),
                    [](Config& c) { return c.model_dir().c_str(); });
}
const char* PD_ConfigGetProgFile(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, static_cast<const char*>(nullptr),
                    [](Config& c) { return c.prog_file().c_str(); });
}
const char* PD_ConfigGetParamsFile(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, static_cast<const char*>(nullptr),
                    [](Config& c) { return c.params_file().c_str(); });
}

void PD_ConfigSetModelBuffer(PD_Config* pd_config, const char* prog_buffer, size_t prog_buffer_size,
                             const char* params_buffer, size_t params_buffer_size) {
  with_config(__func__, pd_config,
              [&](Config& c) { c.SetModelBuffer(prog_buffer, prog_buffer_size, params_buffer, params_buffer_size); });
}
PD_Bool PD_ConfigModelFromMemory(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.model_from_memory(); });
}

void PD_ConfigSwitchIrOptim(PD_Config* pd_config, PD_Bool x) {
  with_config(__func__, pd_config, [&](Config& c) { c.SwitchIrOptim(x); });
}
PD_Bool PD_ConfigIrOptim(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.ir_optim(); });
}
void PD_ConfigSwitchIrDebug(PD_Config* pd_config, PD_Bool x) {
  with_config(__func__, pd_config, [&](Config& c) { c.SwitchIrDebug(x); });
}
void PD_ConfigEnableMemoryOptim(PD_Config* pd_config, PD_Bool x) {
  with_config(__func__, pd_config, [&](Config& c) { c.EnableMemoryOptim(x != FALSE); });
}
PD_Bool PD_ConfigMemoryOptimEnabled(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.enable_memory_optim(); });
}
void PD_ConfigEnableProfile(PD_Config* pd_config) {
  with_config(__func__, pd_config, [](Config& c) { c.EnableProfile(); });
}
PD_Bool PD_ConfigProfileEnabled(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.profile_enabled(); });
}
void PD_ConfigDisableGlogInfo(PD_Config* pd_config) {
  with_config(__func__, pd_config, [](Config& c) { c.DisableGlogInfo(); });
}
PD_Bool PD_ConfigGlogInfoDisabled(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.glog_info_disabled(); });
}
void PD_ConfigSetInvalid(PD_Config* pd_config) {
  with_config(__func__, pd_config, [](Config& c) { c.SetInValid(); });
}
PD_Bool PD_ConfigIsValid(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.is_valid(); });
}
void PD_ConfigEnableNewExecutor(PD_Config* pd_config, PD_Bool x) {
  with_config(__func__, pd_config, [&](Config& c) { c.EnableNewExecutor(x != FALSE); });
}
PD_Bool PD_ConfigNewExecutorEnabled(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.new_executor_enabled(); });
}
void PD_ConfigEnableNewIR(PD_Config* pd_config, PD_Bool x) {
  with_config(__func__, pd_config, [&](Config& c) { c.EnableNewIR(x != FALSE); });
}
PD_Bool PD_ConfigNewIREnabled(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, [](Config& c) { return c.new_ir_enabled(); });
}
void PD_ConfigUseOptimizedModel(PD_Config* pd_config, PD_Bool x) {
  with_config(__func__, pd_config, [&](Config& c) { c.UseOptimizedModel(x != FALSE); });
}
void PD_ConfigPartiallyRelease(PD_Config* pd_config) {
  with_config(__func__, pd_config, [](Config& c) { c.PartiallyRelease(); });
}

void PD_ConfigDeletePass(PD_Config* pd_config, const char* pass) {
  with_config(__func__, pd_config, [&](Config& c) { c.pass_builder()->DeletePass(std::string(text(pass, "pass"))); });
}
void PD_ConfigInsertPass(PD_Config* pd_config, size_t idx, const char* pass) {
  with_config(__func__, pd_config, [&](Config& c) { c.pass_builder()->InsertPass(idx, text(pass, "pass")); });
}
void PD_ConfigAppendPass(PD_Config* pd_config, const char* pass) {
  with_config(__func__, pd_config, [&](Config& c) { c.pass_builder()->AppendPass(text(pass, "pass")); });
}
PD_OneDimArrayCstr* PD_ConfigAllPasses(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, static_cast<PD_OneDimArrayCstr*>(nullptr),
                    [](Config& c) { return coracle::paddle_c::cstrs_of(c.pass_builder()->AllPasses()); });
}
PD_Cstr* PD_ConfigSummary(PD_Config* pd_config) {
  return ask_config(__func__, pd_config, static_cast<PD_Cstr*>(nullptr),
                    [](Config& c) { return coracle::paddle_c::cstr_of(c.Summary()); });
}

}  // extern "C"
