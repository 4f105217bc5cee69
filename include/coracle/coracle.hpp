// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Coracle's C++ interface: header-only over coracle.h, so any compiler and standard library can use the same binary.
/// C++17 or later; what is Span here is std::span from C++20 on. Threads: as in coracle.h.
///
/// Errors are exceptions of type coracle::Exception. Compiled with -fno-exceptions, an error prints its message on
/// standard error and aborts; programs that go on after errors call coracle.h, which handle() gives the handles for.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "coracle/coracle.h"
#include "coracle/operator.hpp"
#include "coracle/span.hpp"
#include "coracle/tensor.hpp"

namespace coracle {
#if !defined(__cpp_exceptions)
inline namespace without_exceptions {  // so that both kinds of objects may be in one program
#endif

/// Bytes that all models and sessions of this process hold; see coracle_memory_total.
inline std::size_t memory_total() { return coracle_memory_total(); }

/// What coracle_inspect says about a model that need not be runnable, as JSON.
inline std::string inspect(const std::string& path, const std::string& params = {}) {
  char* text = nullptr;
  check(coracle_inspect(path.c_str(), params.empty() ? nullptr : params.c_str(), &text));
  const std::unique_ptr<char, void (*)(char*)> owner(text, coracle_string_free);
  return text;
}

/// What coracle_devices says of the devices beside the CPU, as JSON.
inline std::string devices() {
  char* text = nullptr;
  check(coracle_devices(&text));
  const std::unique_ptr<char, void (*)(char*)> owner(text, coracle_string_free);
  return text;
}

/// What coracle_engines says, as JSON: of the engines `names`, separated by commas; empty: of all that are found.
inline std::string engines(const std::string& names = {}) {
  char* text = nullptr;
  check(coracle_engines(names.empty() ? nullptr : names.c_str(), &text));
  const std::unique_ptr<char, void (*)(char*)> owner(text, coracle_string_free);
  return text;
}

/// Sizes that an input of a model has: at least, mostly and at most.
struct ShapeRange {
  std::string input;
  Dims min, opt, max;
};

/// As ModelOptions::shapes has them.
inline std::string text_of(const std::vector<ShapeRange>& ranges) {
  std::string text;
  const auto append = [&](const char* before, const Dims& dims) {
    text += before;
    for (size_t i = 0; i < dims.size(); ++i) text += (i == 0 ? "" : "x") + std::to_string(dims[i]);
  };
  for (const ShapeRange& range : ranges) {
    text += (text.empty() ? "" : ",") + range.input;
    append("=", range.min);
    append("..", range.opt);
    append("..", range.max);
  }
  return text;
}

struct ModelOptions {
  std::string cpu_isa = {};         ///< empty: all the machine has
  std::string disable_passes = {};  ///< comma-separated, "all"
  int64_t max_rewrites = -1;
  std::string disable_kernels = {};  ///< comma-separated prefixes
  std::string keep_tensors = {};     ///< comma-separated, "*"
  std::string precision = {};        ///< "strict", "default", "int8", "high", "tf32", "bf16", "fp16"; empty: default
  bool emulate_tiles = false;        ///< see coracle_model_options
  std::int64_t time_limit_ms = 0;    ///< of loading; 0: none
  std::string weights = {};          ///< "copied", "mapped", "automatic"; empty: automatic
  /// What another thread or a signal handler sets to 1 to end loading with CORACLE_CANCELLED; null: nobody does.
  const std::atomic<std::uint32_t>* cancelled = nullptr;
  bool check_declared_sizes = false;           ///< inputs must have the fixed sizes that the model declares
  bool check_weights = false;                  ///< of a saved model, by their checksums
  std::size_t weights_cache_bytes = SIZE_MAX;  ///< bound on packed weights, see coracle_model_options
  std::string device = {};                     ///< "opencl", "opencl:1", "cpu"; empty: cpu
  std::string engines = {};                    ///< comma-separated, see coracle_model_options
  std::int64_t min_ops = 2;                    ///< operators of a block of an engine at least
  std::string marks = {};                      ///< comma-separated, "openvino=conv2d"
  std::string shapes = {};                     ///< text_of(ranges) for which engines compile once
  bool allow_outside_links = false;            ///< of parameter files, out of the model's folder
  std::vector<Operator> operators = {};        ///< that the model may name, beside those of the process
};

/// The options as the C interface takes them, for code that uses both; `options` outlives what is returned. Without the
/// operators, which GivenOperators has.
inline coracle_model_options c_options(const ModelOptions& options) {
  const auto or_null = [](const std::string& s) { return s.empty() ? nullptr : s.c_str(); };
  coracle_model_options c;
  coracle_model_options_init(&c, sizeof(c));
  c.cpu_isa = or_null(options.cpu_isa);
  c.disable_passes = or_null(options.disable_passes);
  c.max_rewrites = options.max_rewrites;
  c.disable_kernels = or_null(options.disable_kernels);
  c.keep_tensors = or_null(options.keep_tensors);
  c.precision = or_null(options.precision);
  c.emulate_tiles = options.emulate_tiles ? 1 : 0;
  c.check_declared_sizes = options.check_declared_sizes ? 1 : 0;
  c.check_weights = options.check_weights ? 1 : 0;
  c.weights_cache_bytes = options.weights_cache_bytes;
  c.device = or_null(options.device);
  c.engines = or_null(options.engines);
  c.min_ops = options.min_ops;
  c.marks = or_null(options.marks);
  c.shapes = or_null(options.shapes);
  c.allow_outside_links = options.allow_outside_links ? 1 : 0;
  c.time_limit_ms = options.time_limit_ms;
  c.weights = or_null(options.weights);
  static_assert(sizeof(*options.cancelled) == sizeof(*c.cancelled), "an atomic of the library");
  c.cancelled = reinterpret_cast<const std::uint32_t*>(options.cancelled);
  return c;
}

/// The same with operators, which outlive it, too.
inline coracle_model_options c_options(const ModelOptions& options, const GivenOperators& operators) {
  coracle_model_options c = c_options(options);
  c.operators = operators.data();
  c.operator_count = operators.size();
  return c;
}

/// The bytes of a file, which must stay while the model lives, or nothing if there is no such file. Must not throw.
using ReadFunction = std::function<std::optional<Span<const std::byte>>(const std::string& name)>;

/// What coracle_session_options_init sets.
inline coracle_session_options default_session_options() {
  coracle_session_options options;
  coracle_session_options_init(&options, sizeof(options));
  return options;
}

/// Threads that runs of several sessions share (coracle_pool_create). Copies are the same pool; sessions keep it alive.
class Pool {
 public:
  /// `threads` in all, each run's calling thread included; 0: coracle_default_threads().
  explicit Pool(int threads = 0) {
    coracle_pool* pool = nullptr;
    check(coracle_pool_create(threads, &pool));
    handle_.reset(pool, coracle_pool_free);
  }
  /// On the processors `cpus` only: coracle_pool_create_on.
  Pool(int threads, const std::string& cpus) {
    coracle_pool* pool = nullptr;
    check(coracle_pool_create_on(cpus.c_str(), threads, &pool));
    handle_.reset(pool, coracle_pool_free);
  }
  coracle_pool* handle() const { return handle_.get(); }

 private:
  std::shared_ptr<coracle_pool> handle_;
};

/// The calling thread, and threads that it starts, run on the processors `cpus` only: coracle_bind_thread.
inline void bind_thread(const std::string& cpus) { check(coracle_bind_thread(cpus.c_str())); }

/// A file and its content: coracle_new_file.
using NewFile = std::pair<std::string, std::string>;

/// Makes or replaces files, all or none: coracle_write_files.
inline void write_files(const std::vector<NewFile>& files) {
  std::vector<coracle_new_file> list;
  for (const NewFile& file : files) list.push_back({file.first.c_str(), file.second.data(), file.second.size()});
  check(coracle_write_files(list.data(), list.size()));
}
inline void write_file(const std::string& path, const std::string& content) {
  const coracle_new_file file{path.c_str(), content.data(), content.size()};
  check(coracle_write_files(&file, 1));
}

struct SessionOptions {
  int threads = 0;  ///< 0: those of the pool, or coracle_default_threads()
  size_t cache_bytes = default_session_options().cache_bytes;
  size_t memory_limit = 0;
  int64_t time_limit_ms = 0;
  std::optional<Pool> pool = std::nullopt;  ///< whose threads help; none: the session's own
  std::string cpus = {};                    ///< processors for these, "0-3" or "node1"; empty: any
  int parallel_engines = 1;                 ///< blocks on engines and native work at the same time; 1: in sequence
  std::string padding = {};                 ///< sizes that inputs are padded to, "x=1..8x3x48x32..320/32"; empty: none
};

/// The options as the C interface takes them, for code that uses both; `options` outlives what is returned.
inline coracle_session_options c_options(const SessionOptions& options) {
  coracle_session_options c = default_session_options();
  c.threads = options.threads;
  c.cache_bytes = options.cache_bytes;
  c.memory_limit = options.memory_limit;
  c.time_limit_ms = options.time_limit_ms;
  c.pool = options.pool.has_value() ? options.pool->handle() : nullptr;
  c.cpus = options.cpus.empty() ? nullptr : options.cpus.c_str();
  c.parallel_engines = options.parallel_engines;
  c.padding = options.padding.empty() ? nullptr : options.padding.c_str();
  return c;
}

/// What holds for one run: see coracle_run_options.
struct RunOptions {
  std::int64_t time_limit_ms = 0;  ///< from the call on; 0: the session's
  size_t memory_limit = 0;         ///< in bytes; 0: the session's
  /// Set to 1 by another thread, or a signal handler, it ends the run: an Exception with CORACLE_CANCELLED.
  const std::atomic<std::uint32_t>* cancelled = nullptr;
};

class Model {
 public:
  /// From a directory or one of its files; `params` may be empty.
  explicit Model(const std::string& path, const std::string& params = {}, const ModelOptions& options = {}) {
    GivenOperators operators(options.operators);
    const coracle_model_options c = c_options(options, operators);
    coracle_model* model = nullptr;
    check(coracle_model_load(path.c_str(), params.empty() ? nullptr : params.c_str(), &c, &model));
    handle_.reset(model);
    operators.taken();
  }
  /// From memory, which must outlive the model.
  Model(Span<const std::byte> program, Span<const std::byte> params, const ModelOptions& options = {}) {
    GivenOperators operators(options.operators);
    const coracle_model_options c = c_options(options, operators);
    coracle_model* model = nullptr;
    check(coracle_model_load_memory(program.data(), program.size(), params.data(), params.size(), &c, &model));
    handle_.reset(model);
    operators.taken();
  }

  /// From files that a function gives; `path` and `params` as above.
  Model(const ReadFunction& read, const std::string& path, const std::string& params = {},
        const ModelOptions& options = {}) {
    GivenOperators operators(options.operators);
    const coracle_model_options c = c_options(options, operators);
    coracle_model* model = nullptr;
    const coracle_read_function call = [](void* user, const char* name, const void** data, size_t* size) {
      const auto bytes = (*static_cast<const ReadFunction*>(user))(name);
      if (!bytes.has_value()) return 1;
      *data = bytes->data();
      *size = bytes->size();
      return 0;
    };
    check(coracle_model_load_callback(path.c_str(), params.empty() ? nullptr : params.c_str(), call,
                                      const_cast<ReadFunction*>(&read), &c, &model));
    handle_.reset(model);
    operators.taken();
  }

  std::vector<TensorInfo> inputs() const { return infos(coracle_model_input_count, coracle_model_input); }
  std::vector<TensorInfo> outputs() const { return infos(coracle_model_output_count, coracle_model_output); }
  /// Index of the input / output of that name, if there is one.
  std::optional<size_t> find_input(const std::string& name) const {
    return found(coracle_model_find_input(handle_.get(), name.c_str()));
  }
  std::optional<size_t> find_output(const std::string& name) const {
    return found(coracle_model_find_output(handle_.get(), name.c_str()));
  }
  /// The graph after rewriting.
  std::string graph_text() const {
    char* text = nullptr;
    check(coracle_model_graph_text(handle_.get(), &text));
    const std::unique_ptr<char, void (*)(char*)> owner(text, coracle_string_free);
    return text;
  }
  /// Fails unless the files that it was loaded from are, by size and time, as they were; see coracle_model_check.
  void check_files() const { check(coracle_model_check(handle_.get())); }
  /// Writes it, as it is after rewriting, to one file that loads like any model; see coracle_model_save. `packed`: with
  /// the packed weights of the plans so far, or what engines have compiled, see coracle_model_save_packed.
  void save(const std::string& path, bool packed = false) const {
    check((packed ? coracle_model_save_packed : coracle_model_save)(handle_.get(), path.c_str()));
  }
  /// See coracle_model_packed_bytes.
  size_t packed_bytes() const { return coracle_model_packed_bytes(handle_.get()); }
  /// See coracle_model_plan_bytes.
  size_t plan_bytes() const { return coracle_model_plan_bytes(handle_.get()); }
  /// See coracle_model_engine_bytes.
  size_t engine_bytes() const { return coracle_model_engine_bytes(handle_.get()); }
  /// What coracle_model_engines says, as JSON.
  std::string engines() const {
    char* text = nullptr;
    check(coracle_model_engines(handle_.get(), &text));
    const std::unique_ptr<char, void (*)(char*)> owner(text, coracle_string_free);
    return text;
  }
  /// See coracle_model_device_bytes.
  size_t device_bytes() const { return coracle_model_device_bytes(handle_.get()); }
  /// See coracle_model_description.
  std::string description() const { return coracle_model_description(handle_.get()); }
  coracle_model* handle() const { return handle_.get(); }

 private:
  struct Free {
    void operator()(coracle_model* model) const { coracle_model_free(model); }
  };

  static std::optional<size_t> found(int64_t index) {
    return index < 0 ? std::nullopt : std::optional<size_t>(static_cast<size_t>(index));
  }
  template <class Count, class Get>
  std::vector<TensorInfo> infos(Count count, Get get) const {
    std::vector<TensorInfo> all;
    for (size_t i = 0; i < count(handle_.get()); ++i) {
      coracle_tensor_info info;
      check(get(handle_.get(), i, &info));
      all.push_back({info.name, info.dtype, info.rank >= 0,
                     Dims(info.dims, info.dims + (info.rank < 0 ? 0 : info.rank)), info.lod_levels});
    }
    return all;
  }

  std::unique_ptr<coracle_model, Free> handle_;
};

/// A tensor in the memory of a device: a result that stays there, and an input of other runs. Copies share it; it may
/// outlive session and model, and any thread may use it.
class DeviceTensor {
 public:
  /// In memory of the caller's on a CUDA device ("cuda:0"), which stays until nobody has the tensor any more; then
  /// `release` is called, which must not throw. What `stream` was given before is done before the elements are read.
  /// See coracle_device_tensor_wrap.
  static DeviceTensor wrap(const std::string& device, coracle_dtype dtype, const Dims& dims, void* data,
                           void* stream = nullptr, std::function<void()> release = nullptr) {
    using Release = std::function<void()>;
    auto owner = std::make_unique<Release>(std::move(release));
    const coracle_release_function call = [](void* user) {
      const std::unique_ptr<Release> told(static_cast<Release*>(user));
      if (*told) (*told)();
    };
    coracle_device_tensor* tensor = nullptr;
    check(coracle_device_tensor_wrap(device.c_str(), dtype, static_cast<int32_t>(dims.size()), dims.data(), data,
                                     stream, call, owner.get(), &tensor));
    static_cast<void>(owner.release());
    return DeviceTensor(tensor);
  }
  /// Where it lies on a CUDA device; see coracle_device_tensor_address.
  coracle_device_address address() const {
    coracle_device_address address{};
    check(coracle_device_tensor_address(handle_.get(), &address));
    return address;
  }
  /// Of another library's DLManagedTensor, or with `versioned` DLManagedTensorVersioned, which is taken unless this
  /// throws; see coracle_device_tensor_from_dlpack.
  static DeviceTensor from_dlpack(void* managed, bool versioned, void* stream = nullptr) {
    coracle_device_tensor* tensor = nullptr;
    check(coracle_device_tensor_from_dlpack(managed, versioned ? 1 : 0, stream, &tensor));
    return DeviceTensor(tensor);
  }
  /// A DLManagedTensor, or with `versioned` DLManagedTensorVersioned, for whoever calls its deleter; see
  /// coracle_device_tensor_to_dlpack.
  void* to_dlpack(bool versioned, void* stream = nullptr) const {
    void* managed = nullptr;
    check(coracle_device_tensor_to_dlpack(handle_.get(), versioned ? 1 : 0, stream, &managed));
    return managed;
  }
  coracle_dtype dtype() const { return view().dtype; }
  Dims dims() const {
    const coracle_tensor_view v = view();
    return {v.dims, v.dims + v.rank};
  }
  size_t bytes() const { return view().bytes; }
  /// Copies all elements to the host, where there is room for `bytes`, exactly those that it has.
  void copy_to(void* data, size_t bytes) const { check(coracle_device_tensor_copy(handle_.get(), data, bytes)); }
  /// The elements; T must be the element type.
  template <class T>
  std::vector<T> copy() const {
    if (dtype_of<T>() != dtype()) {
      fail(CORACLE_INVALID_ARGUMENT, std::string("the tensor has elements of type ") + coracle_dtype_name(dtype()) +
                                         ", asked for " + coracle_dtype_name(dtype_of<T>()));
    }
    std::vector<T> elements(bytes() / sizeof(T));
    copy_to(elements.data(), elements.size() * sizeof(T));
    return elements;
  }
  const coracle_device_tensor* handle() const { return handle_.get(); }

 private:
  friend class Session;
  explicit DeviceTensor(coracle_device_tensor* tensor) : handle_(tensor, coracle_device_tensor_free) {}
  coracle_tensor_view view() const {
    coracle_tensor_view view;
    check(coracle_device_tensor_view(handle_.get(), &view));
    return view;
  }

  std::shared_ptr<coracle_device_tensor> handle_;
};

class Session {
 public:
  explicit Session(const Model& model, const SessionOptions& options = {}) {
    const coracle_session_options c = coracle::c_options(options);
    coracle_session* session = nullptr;
    check(coracle_session_create(model.handle(), &c, &session));
    handle_.reset(session);
  }
  /// A second session with the same model and options.
  Session clone() const {
    coracle_session* session = nullptr;
    check(coracle_session_clone(handle_.get(), &session));
    return Session(session);
  }

  /// Sets an input by copying.
  template <class T>
  void set_input(size_t index, const Dims& dims, Span<const T> values) {
    check_count(dims, values.size());
    check(coracle_session_set_input(handle_.get(), index, dtype_of<T>(), static_cast<int32_t>(dims.size()), dims.data(),
                                    values.data()));
  }
  template <class T>
  void set_input(size_t index, const Dims& dims, const std::vector<T>& values) {
    set_input(index, dims, Span<const T>(values));
  }
  /// Sets an input without copying: the elements must stay until the next set or the end of the session.
  template <class T>
  void borrow_input(size_t index, const Dims& dims, Span<const T> values) {
    check_count(dims, values.size());
    check(coracle_session_borrow_input(handle_.get(), index, dtype_of<T>(), static_cast<int32_t>(dims.size()),
                                       dims.data(), values.data()));
  }
  /// Sets an input of any element type by copying.
  void set_input(size_t index, coracle_dtype dtype, const Dims& dims, const void* data) {
    check(coracle_session_set_input(handle_.get(), index, dtype, static_cast<int32_t>(dims.size()), dims.data(), data));
  }
  /// Sets an input to a tensor on a device, without a copy where the model uses that device.
  void set_input(size_t index, const DeviceTensor& tensor) {
    check(coracle_session_set_input_on_device(handle_.get(), index, tensor.handle()));
  }
  void set_lod(size_t index, const Lod& lod) {
    std::vector<size_t> sizes;
    std::vector<size_t> offsets;
    for (const std::vector<size_t>& level : lod) {
      sizes.push_back(level.size());
      offsets.insert(offsets.end(), level.begin(), level.end());
    }
    check(coracle_session_set_input_lod(handle_.get(), index, lod.size(), sizes.data(), offsets.data()));
  }

  /// From the next run on an output is in these elements, which stay until they are taken away (unbind_output), the
  /// output is bound elsewhere, or the session ends. See coracle_session_bind_output.
  template <class T>
  void bind_output(size_t index, Span<T> elements) {
    check(coracle_session_bind_output(handle_.get(), index, elements.data(), elements.size() * sizeof(T)));
  }
  /// The same with memory for elements of any type.
  void bind_output(size_t index, void* data, size_t bytes) {
    check(coracle_session_bind_output(handle_.get(), index, data, bytes));
  }
  /// From the next run on only these are computed, with what they need; none: all. See coracle_session_select_outputs.
  void select_outputs(const std::vector<std::string>& names) {
    std::vector<const char*> list;
    for (const std::string& name : names) list.push_back(name.c_str());
    check(coracle_session_select_outputs(handle_.get(), list.data(), list.size()));
  }
  void unbind_output(size_t index) { check(coracle_session_bind_output(handle_.get(), index, nullptr, 0)); }

  /// From the next run on an output stays on the model's device, until it is bound to memory or unbound. See
  /// coracle_session_keep_output_on_device.
  void keep_output_on_device(size_t index) { check(coracle_session_keep_output_on_device(handle_.get(), index)); }
  /// From the next run on an output is in the memory of a tensor of the caller's on the model's device (wrap,
  /// from_dlpack), until it is bound elsewhere or unbound. See coracle_session_bind_output_on_device.
  void bind_output(size_t index, const DeviceTensor& tensor) {
    check(coracle_session_bind_output_on_device(handle_.get(), index, tensor.handle()));
  }
  /// Runs begin on the device after what a CUstream of the caller's was given before; null: at once. See
  /// coracle_session_set_stream.
  void set_stream(void* stream) { check(coracle_session_set_stream(handle_.get(), stream)); }
  /// The result of the last run, of an output that is on the device.
  DeviceTensor device_output(size_t index) const {
    coracle_device_tensor* tensor = nullptr;
    check(coracle_session_output_on_device(handle_.get(), index, &tensor));
    return DeviceTensor(tensor);
  }

  void run() { check(coracle_session_run(handle_.get())); }
  /// With options that hold for this run alone.
  void run(const RunOptions& options) {
    const coracle_run_options c = c_options(options);
    check(coracle_session_run_with(handle_.get(), &c));
  }
  /// Starts a run in a thread of the library's; get() of the future returns when it has ended, or throws what it failed
  /// with. The session is in use until then; ending it waits. See coracle_session_run_async.
  std::future<void> run_async(const RunOptions& options = {}) {
    std::promise<void> ended;
    std::future<void> future = ended.get_future();
    run_async(options, [shared = std::make_shared<std::promise<void>>(std::move(ended))](coracle_status status) {
#if defined(__cpp_exceptions)
      if (status != CORACLE_OK) {
        shared->set_exception(std::make_exception_ptr(Exception(status, coracle_last_error())));
        return;
      }
#endif
      check(status);
      shared->set_value();
    });
    return future;
  }
  /// The same with a function that is told of the end, in the library's thread, and does not throw: the session may be
  /// used there; coracle_last_error() says why it failed.
  void run_async(const RunOptions& options, std::function<void(coracle_status)> done) {
    const coracle_run_options c = c_options(options);
    using Done = std::function<void(coracle_status)>;
    auto owner = std::make_unique<Done>(std::move(done));
    const coracle_run_function call = [](void* user, coracle_status status) {
      const std::unique_ptr<Done> told(static_cast<Done*>(user));
      if (*told) (*told)(status);
    };
    check(coracle_session_run_async(handle_.get(), &c, call, owner.get()));
    static_cast<void>(owner.release());
  }
  /// Returns when the last asynchronous run has ended and its function has returned; throws what it failed with. See
  /// coracle_session_wait.
  void wait() const { check(coracle_session_wait(handle_.get())); }
  /// Ends the run that goes on in another thread: it throws an Exception with CORACLE_CANCELLED there. From any thread,
  /// from observers and signal handlers; does nothing without a run. See coracle_session_cancel.
  void cancel() noexcept { static_cast<void>(coracle_session_cancel(handle_.get())); }

  View output(size_t index) const {
    coracle_tensor_view view;
    check(coracle_session_output(handle_.get(), index, &view));
    Lod lod;
    for (size_t level = 0; level < view.lod_levels; ++level) {
      const size_t* offsets = nullptr;
      size_t size = 0;
      check(coracle_session_output_lod(handle_.get(), index, level, &offsets, &size));
      lod.emplace_back(offsets, offsets + size);
    }
    return {view, std::move(lod)};
  }
  /// A variable kept by ModelOptions::keep_tensors.
  View tensor(const std::string& name) const {
    coracle_tensor_view view;
    check(coracle_session_tensor(handle_.get(), name.c_str(), &view));
    return {view, {}};
  }

  void set_profiling(bool on) { check(coracle_session_set_profiling(handle_.get(), on ? 1 : 0)); }
  /// See coracle_session_machine_limits.
  coracle_machine_limits machine_limits() {
    coracle_machine_limits limits{};
    check(coracle_session_machine_limits(handle_.get(), &limits));
    return limits;
  }
  /// See coracle_session_profile.
  std::string profile() const {
    const char* json = nullptr;
    check(coracle_session_profile(handle_.get(), &json));
    return json;
  }
  /// See coracle_session_graph_text.
  std::string graph_text() {
    char* text = nullptr;
    check(coracle_session_graph_text(handle_.get(), &text));
    const std::unique_ptr<char, void (*)(char*)> owner(text, coracle_string_free);
    return text;
  }
  /// See coracle_session_explain.
  std::string explain() {
    const char* json = nullptr;
    check(coracle_session_explain(handle_.get(), &json));
    return json;
  }
  /// See coracle_session_planned_memory.
  size_t planned_memory() {
    size_t bytes = 0;
    check(coracle_session_planned_memory(handle_.get(), &bytes));
    return bytes;
  }
  coracle_memory memory() const {
    coracle_memory m;
    check(coracle_session_memory(handle_.get(), &m));
    return m;
  }
  /// See coracle_session_device_memory.
  size_t device_memory() const {
    size_t bytes = 0;
    check(coracle_session_device_memory(handle_.get(), &bytes));
    return bytes;
  }
  size_t release_memory() {
    size_t bytes = 0;
    check(coracle_session_release_memory(handle_.get(), &bytes));
    return bytes;
  }
  coracle_session* handle() const { return handle_.get(); }

 private:
  struct Free {
    void operator()(coracle_session* session) const { coracle_session_free(session); }
  };
  explicit Session(coracle_session* session) : handle_(session) {}

  static coracle_run_options c_options(const RunOptions& options) {
    coracle_run_options c;
    coracle_run_options_init(&c, sizeof(c));
    c.time_limit_ms = options.time_limit_ms;
    c.memory_limit = options.memory_limit;
    c.cancelled = reinterpret_cast<const std::uint32_t*>(options.cancelled);
    return c;
  }

  static void check_count(const Dims& dims, size_t given) {
    size_t count = 1;
    for (int64_t d : dims) count *= static_cast<size_t>(d);
    if (count != given) {
      fail(CORACLE_INVALID_ARGUMENT,
           "the shape has " + std::to_string(count) + " elements, given " + std::to_string(given));
    }
  }

  std::unique_ptr<coracle_session, Free> handle_;
};

#if !defined(__cpp_exceptions)
}  // namespace without_exceptions
#endif
/// Another name for it: programs may say coracle::api::Model.
namespace api = ::coracle;
}  // namespace coracle
