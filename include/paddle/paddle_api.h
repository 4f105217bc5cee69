// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>  // programs use assert and rely on this header for it, as Paddle's has it
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "detail/paddle_buf.h"
#include "paddle_infer_declare.h"
#include "paddle_tensor.h"

/// Paddle's interface of before 2.0; paddle_inference_api.h has that of today.
namespace paddle {

using PaddleInferTensor = paddle_infer::Tensor;

/// paddle_infer::Tensor with the names it had before.
class PD_INFER_DECL ZeroCopyTensor : public paddle_infer::Tensor {
 public:
  using paddle_infer::Tensor::Tensor;

  template <typename T>
  void copy_from_cpu(const T* data) {
    CopyFromCpu(data);
  }
  template <typename T>
  void copy_to_cpu(T* data) {
    CopyToCpu(data);
  }
  void copy_strings_from_cpu(const paddle_infer::Strings* data) { CopyStringsFromCpu(data); }
};

/// What both interfaces run: one thread at a time, its clones in other threads at the same time.
class PD_INFER_DECL PaddlePredictor {
 public:
  struct Config {
    std::string model_dir;
  };
  PaddlePredictor() = default;
  PaddlePredictor(const PaddlePredictor&) = delete;
  PaddlePredictor& operator=(const PaddlePredictor&) = delete;
  virtual ~PaddlePredictor() = default;

  /// Inputs in the order of GetInputNames, or by name after SwitchSpecifyInputNames; they are copied. `batch_size` is
  /// not needed.
  virtual bool Run(const std::vector<PaddleTensor>& inputs, std::vector<PaddleTensor>* output_data,
                   int batch_size = -1) = 0;
  virtual bool Run(const std::vector<paddle::Tensor>& inputs, std::vector<paddle::Tensor>* outputs) = 0;
  virtual std::vector<std::string> GetInputNames() = 0;
  virtual std::vector<std::string> GetOutputNames() = 0;
  virtual std::map<std::string, std::vector<int64_t>> GetInputTensorShape() = 0;
  virtual std::map<std::string, paddle_infer::DataType> GetInputTypes() = 0;
  virtual std::map<std::string, std::vector<int64_t>> GetOutputTensorShape() = 0;
  virtual std::map<std::string, paddle_infer::DataType> GetOutputTypes() = 0;
  virtual std::unique_ptr<ZeroCopyTensor> GetInputTensor(const std::string& name) = 0;
  virtual std::unique_ptr<ZeroCopyTensor> GetOutputTensor(const std::string& name) = 0;
  virtual bool ZeroCopyRun(bool switch_stream = false) = 0;
  virtual void ClearIntermediateTensor() = 0;
  virtual uint64_t TryShrinkMemory() = 0;
  virtual void RegisterOutputHook(const paddle_infer::OutputTensorHookFunc& hookfunc) = 0;
  virtual void RegisterInputHook(const paddle_infer::InputTensorHookFunc& hookfunc) = 0;
  virtual std::unique_ptr<PaddlePredictor> Clone(void* stream = nullptr) = 0;
  /// The bytes of the program as it was given.
  virtual std::string GetSerializedProgram() const = 0;
  virtual void* GetExecStream() const { return nullptr; }
  /// Not Paddle's: a run on that stream, and those after it.
  virtual bool run_on(void* /*stream*/) { return ZeroCopyRun(); }
};

/// Settings of before AnalysisConfig. Devices are recorded only: the model runs on the CPU.
struct PD_INFER_DECL NativeConfig : public PaddlePredictor::Config {
  bool use_xpu = false;
  bool use_gpu = false;
  int device = 0;
  float fraction_of_gpu_memory = -1.F;
  std::string prog_file;
  std::string param_file;
  bool specify_input_name = false;

  void SetCpuMathLibraryNumThreads(int cpu_math_library_num_threads) {
    cpu_math_library_num_threads_ = cpu_math_library_num_threads;
  }
  int cpu_math_library_num_threads() const { return cpu_math_library_num_threads_; }

 protected:
  int cpu_math_library_num_threads_ = 1;
};

enum class PaddleEngineKind { kNative = 0, kAutoMixedTensorRT, kAnalysis, kONNXRuntime };

struct AnalysisConfig;

/// Makes a predictor from an AnalysisConfig or a NativeConfig. Throws if the model cannot be loaded.
template <typename ConfigT>
std::unique_ptr<PaddlePredictor> CreatePaddlePredictor(const ConfigT& config);
template <typename ConfigT, PaddleEngineKind engine>
std::unique_ptr<PaddlePredictor> CreatePaddlePredictor(const ConfigT& config);

/// "version: ...", "commit: ...", "branch: ...", a line each.
inline std::string get_version() {
  return std::string("version: 3.0.0 (coracle ") + coracle_version() + ")\ncommit: none\nbranch: none\n";
}
/// Flags of Paddle's that were set by name; none of them exists here.
inline void UpdateDllFlag(const char* name, const char* value) {
  (void)name;
  (void)value;
}

namespace framework {

class Cipher {
 public:
  virtual ~Cipher() = default;
  virtual std::string Encrypt(const std::string& plaintext, const std::string& key) = 0;
  virtual std::string Decrypt(const std::string& ciphertext, const std::string& key) = 0;
  virtual void EncryptToFile(const std::string& plaintext, const std::string& key, const std::string& filename) = 0;
  virtual std::string DecryptFromFile(const std::string& key, const std::string& filename) = 0;
};

}  // namespace framework

/// There is no encryption here: decrypt a model with your own code and give it to SetModelBuffer.
inline std::shared_ptr<framework::Cipher> MakeCipher(const std::string& config_file) {
  detail::fail("MakeCipher('", config_file,
               "'): encrypted models are not supported; decrypt the model and give it to SetModelBuffer");
}

}  // namespace paddle

#include "paddle_analysis_config.h"
