// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "devices/cuda/driver.h"
#include "support/fake_cuda/calls.h"
#include "support/fake_cuda/device_memory.h"
#include "support/fake_cuda/handles.h"
#include "support/fake_cuda/kernels.h"
#include "support/fake_cuda/streams.h"

namespace coracle::internal::fake_cuda {

/// One that nobody has made.
inline const auto kOtherContext = reinterpret_cast<cuda::CUcontext>(uintptr_t{8});

struct Module;
/// A function of a module.
struct Function {
  std::shared_ptr<Module> module;
  std::unique_ptr<Kernel> kernel;
};
struct Module {
  explicit Module(cl_program built) : program(built) {}
  ~Module() { clReleaseProgram(program); }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  cl_program program;
  std::vector<cuda::CUfunction> functions;
};

/// What a kernel is launched with, copied when it is.
struct Launch {
  std::shared_ptr<Function> function;
  size_t blocks[3];
  size_t threads[3];
  std::vector<std::string> parameters;  ///< bytes of each
  cuda::CUfunction handle = nullptr;    ///< of the function
};

/// All that the driver knows.
struct Driver {
  Driver();
  static Driver& get();

  /// Whether a launch can be given; a code of the driver.
  static int check(const Launch& launch);
  /// Runs a kernel; a code of the driver.
  int run(const Launch& launch) const;
  /// Whether its function and the memory that it points to are there.
  bool can_run(const Launch& launch) const;
  /// What follows a failure of work: the context is spoilt.
  int done(int code);
  /// Nothing that is in the context stays.
  void end_context();
  int64_t live() const;
  /// Whether bytes are in memory of the host that the driver gave.
  bool is_pinned(const void* pointer, size_t bytes) const;
  /// Null where there is none. Those of the default streams, the legacy one and the thread's, are made at first use.
  std::shared_ptr<Stream> stream_of(cuda::CUstream handle);

  std::mutex mutex;
  Calls calls;
  Streams streams;
  std::unique_ptr<DeviceMemory> memory;  ///< made by cuInit
  std::map<const char*, size_t> pinned;  ///< memory of the host that the driver gave
  Handles<cuda::CUstream, Stream> stream_handles;
  std::map<uintptr_t, std::shared_ptr<Stream>> default_streams;  ///< by handle
  Handles<cuda::CUevent, Event> events;
  Handles<cuda::CUgraph, Graph> graphs;
  Handles<cuda::CUgraphExec, Graph> graph_execs;
  Handles<cuda::CUmodule, Module> modules;
  Handles<cuda::CUfunction, Function> functions;
  cuda::CUcontext context = nullptr;  ///< the primary one, while anybody holds it
  int holders = 0;
  int spoilt = 0;     ///< with what all calls fail
  int elsewhere = 0;  ///< device that addresses and streams are said to be of; negative: 0, of another context
  std::map<int64_t, double> takes_ms;  ///< by engines of cuDNN, and by blocks of algorithms of cuBLASLt, negative
  int described = 0;                   ///< what cuBLASLt and cuDNN have made and was not given back
};

/// What a function of the driver begins with: it is counted, and fails where it has to.
class Call {
 public:
  /// Of those that need a context kOutsideCapture may not be called by a thread that captures.
  enum class Needs : uint8_t { kNothing, kDevice, kContext, kOutsideCapture };
  Call(const char* function, Needs needs);
  /// With what it fails at once; 0 for nothing.
  int code() const { return code_; }

 private:
  std::lock_guard<std::mutex> lock_;
  int code_;
};

/// Counts the call, and returns where it fails.
#define ENTER(needs)                             \
  const Call call(__func__, Call::Needs::needs); \
  if (call.code() != 0) return call.code()

/// The contexts that this thread has pushed, the current one last.
std::vector<cuda::CUcontext>& context_stack();

}  // namespace coracle::internal::fake_cuda
