/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORACLE_CORACLE_H_
#define CORACLE_CORACLE_H_

/**
 * Coracle's C interface: the only stable binary interface.
 *
 * - Handles are opaque. Whoever gets one from a `*_load*`, `*_create` or `*_clone` function frees it with `*_free`
 *   (null is fine). A session keeps its model alive.
 * - Every function that can fail returns a coracle_status and leaves a message for coracle_last_error() in the calling
 *   thread. Nothing throws, prints or aborts.
 * - A model is immutable and may be used by any number of threads at once. A session may be used by one thread at a
 *   time: every call for it, from whatever thread or from its own observer, while another call for it is going on is
 *   reported as CORACLE_INVALID_ARGUMENT. Cloning is the exception, which any thread may do at any time. A run that
 * goes on while its caller does is such a call, too (coracle_session_run_async).
 * - A forked child may use the models, sessions and pools of its parent: threads do not survive fork(), it starts
 *   its own. What another thread of the parent was using meanwhile is refused there with CORACLE_INVALID_ARGUMENT, and
 *   can be freed: the child loads the model again. So is a device that the parent has opened: drivers do not survive.
 * - Option structs start with `struct_size`; call the matching `*_options_init` with the size of the struct first, then
 *   set fields. Fields are only ever added at the end, so a program works with every later library; the other structs
 *   never change.
 * - Strings are UTF-8 and end with a zero byte. Whatever a file names comes as printable text: bytes that are not UTF-8
 *   and control characters stand as "\xNN"; names are found in that form and as they are in the file. Shapes are in
 *   elements, outermost dimension first (an image is N, C, H, W); tensors are in row-major order. Sizes and limits are
 *   in bytes unless said otherwise.
 */

#include <stddef.h>  // NOLINT(modernize-deprecated-headers): also for C
#include <stdint.h>  // NOLINT(modernize-deprecated-headers)

#if defined(_WIN32)
#define CORACLE_API
#else
#define CORACLE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CORACLE_MAX_RANK 9

typedef struct coracle_model coracle_model;
typedef struct coracle_session coracle_session;
typedef struct coracle_pool coracle_pool;

typedef enum coracle_status {
  CORACLE_OK = 0,
  CORACLE_INVALID_ARGUMENT = 1, /**< a wrong name, shape, element type or option; a missing input */
  CORACLE_INVALID_MODEL = 2,    /**< the model file is damaged or contradicts itself */
  CORACLE_UNSUPPORTED = 3,      /**< an operator or feature that does not exist here */
  CORACLE_IO = 4,               /**< a file cannot be read, or has changed */
  CORACLE_OUT_OF_MEMORY = 5,    /**< memory or a set limit is exhausted */
  CORACLE_RUN_FAILURE = 6,      /**< a run failed on its data */
  CORACLE_CANCELLED = 7         /**< somebody cancelled it */
} coracle_status;

typedef enum coracle_dtype {
  CORACLE_BOOL = 0,
  CORACLE_INT8 = 1,
  CORACLE_UINT8 = 2,
  CORACLE_INT16 = 3,
  CORACLE_INT32 = 4,
  CORACLE_INT64 = 5,
  CORACLE_FLOAT16 = 6,
  CORACLE_BFLOAT16 = 7,
  CORACLE_FLOAT32 = 8,
  CORACLE_FLOAT64 = 9,
  CORACLE_COMPLEX64 = 10,
  CORACLE_COMPLEX128 = 11,
  CORACLE_FLOAT8_E4M3 = 12, /**< Paddle's float8_e4m3fn: 4 bits of exponent, 3 of fraction, no infinity */
  CORACLE_FLOAT8_E5M2 = 13  /**< 5 bits of exponent, 2 of fraction */
} coracle_dtype;

/** Version of the library as text, "0.1.0". */
CORACLE_API const char* coracle_version(void);
/** Message of the last call that failed in this thread; valid until the next failing call of the thread. */
CORACLE_API const char* coracle_last_error(void);
/** For layers over this interface that find errors of their own: what coracle_last_error() of this thread says from now
 * on. Null is an empty message. */
CORACLE_API void coracle_set_last_error(const char* message);
/** Bytes of one element; 0 for a number that is no element type. */
CORACLE_API size_t coracle_dtype_size(coracle_dtype dtype);
/** "float32" ...; "unknown" for a number that is no element type. */
CORACLE_API const char* coracle_dtype_name(coracle_dtype dtype);
/** The instruction set kernels are chosen for on this machine when nothing caps it: "avx512", "avx2", "sse2", "neon".
 */
CORACLE_API const char* coracle_cpu_isa(void);

/**
 * The devices of this machine beside the CPU, as JSON: in "devices" their kind and index ("opencl" and 0 are
 * `--device opencl:0` of the program), name, driver, memory and limits; in "missing" why there is none of a kind, and
 * what to do. Loads the drivers that the system has. Free the text with coracle_string_free.
 */
CORACLE_API coracle_status coracle_devices(char** json);
/**
 * Whether this machine has a device, as coracle_model_options.device names it, without taking it into use: `missing`
 * becomes null where it has; where it has no driver of that kind, or a driver without any device, the reason and what
 * to do, to be freed with coracle_string_free. CORACLE_UNSUPPORTED where there is a driver and nothing of it can be
 * used, and CORACLE_INVALID_ARGUMENT where it has other devices, as coracle_model_load says it. Loads the driver.
 */
CORACLE_API coracle_status coracle_find_device(const char* device, char** missing);

/**
 * Engines that may run parts of models (coracle_model_options.engines), as JSON: in "engines" the name of each with its
 * version and the file that it runs from, or in "missing" what it lacks and what to do. `names`, separated by commas,
 * are those asked for; null: the engines of this build and the plug-ins in the folders where they are looked for. Loads
 * their libraries. Free the text with coracle_string_free.
 */
CORACLE_API coracle_status coracle_engines(const char* names, char** json);

/* ---- messages ---- */

/** What a message is for. A logger gets those up to its level. */
typedef enum coracle_log_level {
  CORACLE_LOG_OFF = 0,
  CORACLE_LOG_WARNING = 1, /**< something is not as it was asked for */
  CORACLE_LOG_INFO = 2,    /**< what was loaded and planned, and what was dropped for it */
  CORACLE_LOG_DEBUG = 3    /**< why: how weights were read, how many threads there are, what they wait for */
} coracle_log_level;

/** Is given a message, one line of UTF-8 without its end, in the thread that it comes from; valid during the call. May
 * call this library, whose messages are then dropped. */
typedef void (*coracle_log_function)(void* user, coracle_log_level level, const char* message);

/**
 * Gives the messages of all threads to `log` from now on, those up to `level`; null, as at the start, gives them to
 * nobody. The library itself prints nothing, and errors are no messages. For any thread at any time; a message that is
 * under way in another thread may still reach the function before, so keep its `user`.
 */
CORACLE_API coracle_status coracle_set_logger(coracle_log_level level, coracle_log_function log, void* user);

/* ---- operators of one's own, which coracle/operator.h defines ---- */

/**
 * Loads a shared library whose operators the models of this process may name from now on: it registers them by itself
 * while it is loaded, as PD_BUILD_OP of paddle/extension.h does, or exports the C function
 * `coracle_status coracle_register_operators(void)`, which is called once. It is linked with this library, and stays
 * loaded. CORACLE_IO where it cannot be loaded, CORACLE_INVALID_ARGUMENT where it registers nothing. A second call for
 * the same library does nothing. For any thread.
 */
CORACLE_API coracle_status coracle_load_operators(const char* path);

/* ---- models ---- */

/** Name of the rewrite that runs as number `index`, from 0 on; null behind the last. Some run twice. */
CORACLE_API const char* coracle_pass_name(size_t index);

/**
 * Told of each rewrite while a model is loaded, in the loading thread: its name, how often it changed something, and
 * the graph behind it as text and in the language of Graphviz (all valid during the call). The first call has the name
 * "loaded" and shows the graph as it was read; rewrites that are left out are not told of.
 */
typedef void (*coracle_pass_function)(void* user, const char* pass, int64_t count, const char* text, const char* dot);

typedef struct coracle_model_options {
  size_t struct_size;
  const char* cpu_isa;         /**< widest instruction set to use ("sse2", "avx2", ...); null: all the machine has */
  const char* disable_passes;  /**< names of rewrites to leave out, separated by commas; "all" for every one; or null.
                                    Stages that find blocks for engines too: "engine_cost", for instance */
  int64_t max_rewrites;        /**< stop after that many single rewrites (to bisect); negative: no limit */
  const char* disable_kernels; /**< prefixes of kernel names to leave out, separated by commas; or null */
  const char* keep_tensors;    /**< names of variables to keep for coracle_session_tensor, separated by commas, "*" for
                                    all that have a name; or null */
  coracle_pass_function after_pass; /**< told of each rewrite; or null */
  void* after_pass_user;            /**< what after_pass is given */
  /** How products of float32 numbers may be computed where the machine has matrix tiles for bfloat16 (Intel AMX):
   * "strict": not on them. "default" or null: there too, where errors are those of float32 multiply-adds (numbers split
   * into three parts, six products). "high": two parts and three products, errors of 4e-6 relative to a result's root
   * mean square. "bf16": numbers rounded to bfloat16, errors of 2e-3; machines with products of pairs in vectors
   * (AVX512-BF16, ARM's BFMMLA) do that, too, where it is faster. Other machines without tiles answer as with "strict".
   * "tf32": on GPUs NVIDIA's libraries may round operands to 11 bits, errors of 2e-4; elsewhere as "high". They round
   * for "bf16", too. "fp16": on devices products and what lies between them have tensors of float16, added up in
   * float32; the rest of the model, its inputs and its results stay as they are; elsewhere as "high". "int8": as
   * "default"; engines may compute quantised operators with integers of their own, which round otherwise than the model
   * says (docs/engines.md). */
  const char* precision;
  /** Not 0: machines without tiles compute in plain code what tiles would; slow, for tests and to see the answers. */
  int32_t emulate_tiles;
  int64_t time_limit_ms; /**< bound on the time of loading in milliseconds; 0: no limit */
  /** How weights get from files on disk into memory. "copied": read into memory of their own (coracle_memory_total
   * counts it); what happens to the files later is of no matter. "mapped": used in the file where it has them aligned,
   * so that processes share them; whoever cuts a mapped file short ends this process (SIGBUS), whoever writes to it
   * changes answers. "automatic" or null: mapped from files that nobody has the permission to write, on a disk of this
   * machine; copied from all others. Programs are always copied. Bytes given by the caller are used where they are.
   */
  const char* weights;
  /** What other threads, or a signal handler, set to 1 (from 0) to end loading with CORACLE_CANCELLED; or null. Must
   * stay while the model is loaded, and be a lock-free atomic of C11 or C++ for whoever sets it. */
  const uint32_t* cancelled;
  /** Not 0: setting an input of other sizes than the fixed ones that the model declares is CORACLE_INVALID_ARGUMENT.
   * 0: they are tried, since many models declare the sizes they were exported with and are used with others. Sizes that
   * are declared as free (-1) are, and the number of dimensions never is. */
  int32_t check_declared_sizes;
  /** Not 0: weights of a saved model (coracle_model_save) are read through and compared with the checksums in its file,
   * CORACLE_INVALID_MODEL names what differs. 0: the rest of the file is, always. Other files have none. */
  int32_t check_weights;
  /** Bound on the packed weights (constants in the order of kernels) that the model keeps for its sessions; SIZE_MAX:
   * none. Beyond it those that no cached plan uses are given up, and what then still has no room is packed by each plan
   * for itself, and counted with it (coracle_model_plan_bytes). 0 keeps none. Those in a saved model's file are not
   * counted. What engines compile is bound by as many bytes again (coracle_model_engine_bytes): beyond them goes what
   * was used least recently, but for what each block has used last. */
  size_t weights_cache_bytes;
  /** Where operators run if it has kernels for them: "opencl", "opencl:1" for the second of that kind; all others run
   * on the processor, with copies in between. "cpu" or null: all of them there. A device that is not there is
   * CORACLE_UNSUPPORTED or CORACLE_INVALID_ARGUMENT, with what is missing or which devices there are. "cuda:1?" is one
   * whose kind this machine need not have: without a driver of that kind, or where the driver has no device at all,
   * everything runs on the processor, and a message of CORACLE_LOG_WARNING says why. */
  const char* device;
  /** Engines that run parts of the model, in order of preference, separated by commas: "openvino", "openvino:GPU" for
   * one of an engine's devices, "openvino,xnnpack" for what the first does not take. Or null. Operators that an engine
   * takes and that hang together become a block, which it runs as one; all others run as without engines, and so does a
   * block whose engine is missing, does not take it or fails in a run: a message of CORACLE_LOG_WARNING says so, once
   * for each block. "openvino?" is one that need not be there: that it is missing is a message of CORACLE_LOG_INFO. */
  const char* engines;
  int64_t min_ops; /**< blocks of fewer operators run as without engines, unless `marks` names one of them; default 2 */
  /** Operators that go to an engine, separated by commas: "openvino:NAME" by the names of nodes in the graph that runs
   * (coracle_model_graph_text), "openvino=TYPE" by their operator, both with '*' and '?'; "openvino@SCOPE" by a part of
   * their name scope; "openvino%A" what makes the variable A; "openvino:A..B" those on a way from the variable A to the
   * variable B. "native" in place of an engine keeps operators from all of them, also where they are a part of what was
   * fused: "native=relu". Or null. An engine that only `marks` names takes nothing else. */
  const char* marks;
  /** Sizes that inputs have, at least..mostly..at most, separated by commas: "x=1x3x48x32..1x3x48x320..8x3x48x3200".
   * Engines that can compile a block once for all sizes between do; other sizes run as without engines. "x?=" may name
   * what is no input, without effect then. "@FILE" are the sizes in a file that Paddle's CollectShapeRangeInfo or
   * `coracle shapes` wrote. Or null: blocks are compiled for the sizes that come. */
  const char* shapes;
  /** Not 0: files of single parameters in the model's folder may be links to files outside of it, as DVC, Bazel and Nix
   * make them; for folders whose links are trusted. 0: such a link is CORACLE_INVALID_MODEL, since the names of these
   * files come from the model. Names that lead out of the folder ("/etc/passwd", "../x") never are allowed. */
  int32_t allow_outside_links;
  /** Operators of one's own that this model may name, beside those of the process (coracle/operator.h); copied. */
  const struct coracle_operator* operators;
  size_t operator_count;
} coracle_model_options;

/** Sets `struct_size` and all defaults. `struct_size` is sizeof(coracle_model_options). */
CORACLE_API void coracle_model_options_init(coracle_model_options* options, size_t struct_size);

/**
 * Loads a model from a directory, a program file (.pdmodel, __model__, .json) or a parameter file; the other file is
 * found by Paddle's naming rules unless `params_path` names it. Or from a file of coracle_model_save, which needs no
 * other; options that leave out rewrites it was made by are CORACLE_INVALID_ARGUMENT. A .tar, .tar.gz or .zip is read
 * as the directory of its files, without unpacking it anywhere ("x.tar/det" is a directory in one), here and in the
 * functions below. `options` may be null. Files are read once. They may change or go while the model lives, but for
 * mapped ones (coracle_model_options.weights).
 */
CORACLE_API coracle_status coracle_model_load(const char* path, const char* params_path,
                                              const coracle_model_options* options, coracle_model** model);

/** Loads a model from memory. The bytes are not copied where that can be avoided: keep them while the model lives. */
CORACLE_API coracle_status coracle_model_load_memory(const void* program, size_t program_size, const void* params,
                                                     size_t params_size, const coracle_model_options* options,
                                                     coracle_model** model);

/**
 * Gives the bytes of a file: sets *data and *size and returns 0, or returns anything else if there is no such file.
 * The bytes must stay while the model lives. Called from the loading thread only.
 */
typedef int (*coracle_read_function)(void* user, const char* name, const void** data, size_t* size);

/** Loads a model whose files are read by a callback. `path` and `params_path` as for coracle_model_load. */
CORACLE_API coracle_status coracle_model_load_callback(const char* path, const char* params_path,
                                                       coracle_read_function read, void* user,
                                                       const coracle_model_options* options, coracle_model** model);

/**
 * The content of a file that was published with a model: `name`, such as "inference.yml", beside its program in the
 * same folder or archive. `path` as for coracle_model_load, `read` and `user` as for coracle_model_load_callback; null
 * reads files on disk. *data, which has a zero byte behind its end, is to be freed with coracle_string_free; null where
 * there is no such file. CORACLE_IO where the model is not there, or the file cannot be read or has more than
 * `max_size` bytes.
 */
CORACLE_API coracle_status coracle_model_file(const char* path, const char* name, size_t max_size,
                                              coracle_read_function read, void* user, char** data, size_t* size);

CORACLE_API void coracle_model_free(coracle_model* model);

/** A file to write, and its content; `data` may be null where `size` is 0. */
typedef struct coracle_new_file {
  const char* path;
  const void* data;
  size_t size;
} coracle_new_file;

/**
 * Creates or replaces files. Each is written completely before it gets its name, and the names are given in order when
 * all are on the disk: if one cannot be written, or SIGINT, SIGTERM or SIGHUP comes to this thread, all files are as
 * they were before. Only SIGKILL, a signal that ends the process by another of its threads, or a loss of power between
 * two names can leave new files beside old ones; no file is ever incomplete. A symbolic link stays, and the file that
 * it points to is replaced and keeps its permissions. What is not a regular file (a pipe, /dev/stdout) is written in
 * place. CORACLE_IO names the file that cannot be written. Any thread may call it.
 */
CORACLE_API coracle_status coracle_write_files(const coracle_new_file* files, size_t count);

/**
 * Saves a model as it is after rewriting, weights included, as one file that loads without its original and without
 * rewriting, here and on machines with other instruction sets, with the same results to the bit. The file is there
 * whole or not at all, replaces one of its name, and has no permission to be written, so that its weights are mapped
 * (coracle_model_options.weights). Variables that the model keeps (keep_tensors) are kept by what is loaded from it.
 * CORACLE_IO names the file if it cannot be written. The parts that engines run (coracle_model_options.engines) are in
 * the file: who loads it without engines and marks of its own runs them on the same engines, as far as these are there.
 * For any thread.
 */
CORACLE_API coracle_status coracle_model_save(const coracle_model* model, const char* path);

/**
 * The same with the packed weights that the model keeps now: those that its sessions have planned with so far, and
 * those of the file that it was loaded from. Who loads the file finds them where they are, as far as kernels and shapes
 * are the same, and packs the rest. The file grows by their size. Of a model with parts that engines run the file has
 * what the engines have compiled so far instead, where they can save it: who loads the file with the same versions of
 * engines, processor, threads, options and shapes need not compile it.
 */
CORACLE_API coracle_status coracle_model_save_packed(const coracle_model* model, const char* path);

/** Bytes of packed weights that the model keeps for its sessions, those in its file excepted. For any thread. */
CORACLE_API size_t coracle_model_packed_bytes(const coracle_model* model);

/** Bytes of the plans that the model keeps for its sessions, with weights that are packed for them alone. For any
 * thread. */
CORACLE_API size_t coracle_model_plan_bytes(const coracle_model* model);

/** Bytes of what engines have compiled of the model for its sessions, as far as engines tell: their own copies of
 * constants, not what a session takes to run them. weights_cache_bytes is a bound on them. For any thread. */
CORACLE_API size_t coracle_model_engine_bytes(const coracle_model* model);

/**
 * Which engines the model uses (coracle_model_options.engines) and for what, as JSON: in "engines" their names and
 * versions, or why one is missing; in "blocks" the parts that they run; in "nodes" each node of the graph with the
 * variable that it makes and its block, or why engines do not run it; in "cutting_us" how long it took to find the
 * blocks, in microseconds. Free the text with coracle_string_free.
 */
CORACLE_API coracle_status coracle_model_engines(const coracle_model* model, char** json);

/** Bytes of its device's memory (coracle_model_options.device) that the model's constants take for all its sessions; 0
 * before one has planned. What a session takes beside them: coracle_session_device_memory. For any thread. */
CORACLE_API size_t coracle_model_device_bytes(const coracle_model* model);

/**
 * CORACLE_OK if the files that the model was loaded from stand where they stood, as the same files (inode), with the
 * same size and time of modification; else CORACLE_IO, and the message says of one which it is, what was expected and
 * what was found. Not seen: writing that leaves size and time as they were, by setting the time or within the
 * resolution of the file system's clock (some milliseconds). A file that another took the place of (rename) is
 * reported, though the model keeps the old one and answers as before. The model is not changed, whatever the answer.
 * CORACLE_INVALID_ARGUMENT for a model from memory or from a callback: its bytes are the caller's. For any thread.
 */
CORACLE_API coracle_status coracle_model_check(const coracle_model* model);

/** Name and type of an input or output. `name` lives as long as the model. A dimension of -1 is free. */
typedef struct coracle_tensor_info {
  const char* name;
  coracle_dtype dtype;
  int32_t rank; /**< -1 if not known before a run */
  int64_t dims[CORACLE_MAX_RANK];
  int32_t lod_levels; /**< levels of sequence offsets an input takes */
} coracle_tensor_info;

CORACLE_API size_t coracle_model_input_count(const coracle_model* model);
CORACLE_API size_t coracle_model_output_count(const coracle_model* model);
CORACLE_API coracle_status coracle_model_input(const coracle_model* model, size_t index, coracle_tensor_info* info);
CORACLE_API coracle_status coracle_model_output(const coracle_model* model, size_t index, coracle_tensor_info* info);
/** Index of the input / output of that name, or -1. */
CORACLE_API int64_t coracle_model_find_input(const coracle_model* model, const char* name);
CORACLE_API int64_t coracle_model_find_output(const coracle_model* model, const char* name);

/**
 * What is in the model, as JSON: format, producer version, inputs, outputs, operators with counts, parameters (count
 * and bytes), how many bytes of them are mapped, nodes after rewriting, rewrites applied; of a saved model, its
 * versions and what it was made of. Lives as long as the model.
 */
CORACLE_API const char* coracle_model_description(const coracle_model* model);

/**
 * The same for a model that need not be runnable (unsupported operators are listed with reasons), without its weights.
 * Free the text with coracle_string_free.
 */
CORACLE_API coracle_status coracle_inspect(const char* path, const char* params_path, char** json);
CORACLE_API void coracle_string_free(char* text);

/** The model's graph after rewriting as text. Free with coracle_string_free. */
CORACLE_API coracle_status coracle_model_graph_text(const coracle_model* model, char** text);

/* ---- threads ---- */

/** Threads of a session whose option `threads` is 0: the processors that the calling thread may run on (its affinity),
 * and no more than the control groups of this process grant (cgroup v1 or v2, read once per process), rounded up. */
CORACLE_API int32_t coracle_default_threads(void);

/**
 * Makes a pool of `threads` threads, 0 for coracle_default_threads(), that runs of several sessions share. Each run is
 * done by the thread that calls it and by threads of the pool that no other run uses: with one run going on, `threads`
 * threads work on it; of `threads` runs at once each has its calling thread alone. No thread is started before a run.
 */
CORACLE_API coracle_status coracle_pool_create(int32_t threads, coracle_pool** pool);
/**
 * The same with threads that run on the processors `cpus` only: a list as the kernel writes them ("0-3,8"), a NUMA
 * node ("node1"), or, where there are several kinds of processors, "fast", "slow" or "all"; 0 threads is one for each.
 * The calling thread of a run stays where it may run, so with one more thread than processors it can be on another one.
 * Memory comes from the node of the thread that writes to it first, so a model that is loaded and run by threads of one
 * node, with a pool there, has its memory there. CORACLE_INVALID_ARGUMENT for processors that are not there.
 */
CORACLE_API coracle_status coracle_pool_create_on(const char* cpus, int32_t threads, coracle_pool** pool);
/** How many threads a pool has, those of callers included; 0 for null. */
CORACLE_API int32_t coracle_pool_threads(const coracle_pool* pool);
/** Sessions that were made with the pool keep its threads alive. */
CORACLE_API void coracle_pool_free(coracle_pool* pool);
/**
 * From now on the calling thread runs on the processors `cpus` only, written as for coracle_pool_create_on, and so do
 * threads that it starts, those of the sessions that it runs first among them. With a NUMA node ("node1") the memory
 * that they are the first to write to comes from that node, as long as it has some: what is loaded, packed and computed
 * afterwards. CORACLE_INVALID_ARGUMENT for processors that are not there or not this process's; CORACLE_UNSUPPORTED
 * where the system has no memory policies, or does not let this process set one; then nothing is changed.
 */
CORACLE_API coracle_status coracle_bind_thread(const char* cpus);

/* ---- sessions ---- */

typedef struct coracle_session_options {
  size_t struct_size;
  int32_t threads;          /**< threads of one run at most, the caller included; 0: those of `pool`, or without one as
                                 many as coracle_default_threads tells. Never more at once than there are processors */
  size_t cache_bytes;       /**< bound on the plans that the model keeps for input shapes seen before, whichever session
                                 made them; the largest of its sessions' bounds holds. A plan that is larger than the
                                 bound is kept alone; 0 keeps none. SIZE_MAX, the default: eight times the model's
                                 largest plan, at least 4 MiB, and up to 64 MiB where one run needs as much */
  size_t memory_limit;      /**< bound on what a run holds at a time: tensors, results, scratch, tables; 0: no limit */
  int64_t time_limit_ms;    /**< bound on the time of a run in milliseconds, its planning included; 0: no limit */
  const coracle_pool* pool; /**< whose threads help; null: the session has threads of its own */
  const char* cpus;         /**< processors for these, as for coracle_pool_create_on; threads 0 is one for each; null:
                                 wherever the thread that runs first may run. Not with `pool` */
  int32_t parallel_engines; /**< parts of a run at the same time at most: blocks on engines that do not wait for each
                                 other, and native work beside them; 1: one after the other. They share `threads`: such
                                 a block gets its part of them, and no more parts run than there are threads */
  /** Sizes that inputs are padded to, so that runs of many sizes share the plans, graphs and memory of few:
   * "INPUT=SHAPE,INPUT=SHAPE:VALUE". A shape has a range, FIRST..LAST or FIRST..LAST/STEP, for each dimension that is
   * padded, and a number or ? for others, as in "ids=1..10x32..128/32,mask=1..10x32..128/32". Behind the elements of an
   * input VALUE, a whole number (0), is added up to the next of these sizes; an input that is larger than all of them
   * is left as it is. Results are cut back to the sizes that follow from the inputs as they were. A model sees what is
   * added: results are those without padding only where it ignores that, as rows of a batch ignore each other and
   * sequences with a mask do. Null: nothing is padded. */
  const char* padding;
} coracle_session_options;

/** Sets `struct_size` and all defaults. `struct_size` is sizeof(coracle_session_options). */
CORACLE_API void coracle_session_options_init(coracle_session_options* options, size_t struct_size);

/** Makes a session. `options` may be null. Costs next to nothing before the first run; no thread is started. */
CORACLE_API coracle_status coracle_session_create(const coracle_model* model, const coracle_session_options* options,
                                                  coracle_session** session);
/** A second session with the same model and options, without its inputs and observer. Any thread may call it at any
 * time. */
CORACLE_API coracle_status coracle_session_clone(const coracle_session* session, coracle_session** clone);
/** Frees a session, when its asynchronous run has ended (coracle_session_run_async). While a call for it is going on
 * (this one comes from its observer, or another thread) it is left as it is, which coracle_last_error() says, and can
 * be freed later. */
CORACLE_API void coracle_session_free(coracle_session* session);

/** Sets an input by copying. Inputs keep their content from run to run. */
CORACLE_API coracle_status coracle_session_set_input(coracle_session* session, size_t index, coracle_dtype dtype,
                                                     int32_t rank, const int64_t* dims, const void* data);
/** Sets an input without copying: `data` must stay unchanged until the next set or the end of the session. */
CORACLE_API coracle_status coracle_session_borrow_input(coracle_session* session, size_t index, coracle_dtype dtype,
                                                        int32_t rank, const int64_t* dims, const void* data);
/**
 * Sets the sequence offsets of an input that was set before: `levels` levels, level i having `sizes[i]` offsets, all
 * offsets one after the other in `offsets`. 0 levels takes them away.
 */
CORACLE_API coracle_status coracle_session_set_input_lod(coracle_session* session, size_t index, size_t levels,
                                                         const size_t* sizes, const size_t* offsets);

/**
 * From the next run on an output is in memory of the caller's: `data`, with room for `bytes`, which stays until it is
 * taken away (with null), the output is bound to other memory, or the session ends. Kernels write there, without a
 * copy, if `data` is a multiple of 64 and overlaps no input; otherwise the run copies. The run fails with
 * CORACLE_INVALID_ARGUMENT where the output needs more bytes. coracle_session_output gives a view of that memory, which
 * the next run overwrites. Outputs of the last run are gone after this call. Memory of two outputs may not overlap.
 */
CORACLE_API coracle_status coracle_session_bind_output(coracle_session* session, size_t index, void* data,
                                                       size_t bytes);

/**
 * From the next run on only these outputs are computed, by their names, and what they need; a variable that
 * coracle_model_options.keep_tensors names is one, too. `count` of 0: all of them, as at the start. Outputs of the last
 * run are gone after this call; one that is not computed is CORACLE_INVALID_ARGUMENT for whoever asks for it. Plans are
 * those of all outputs: to choose others costs next to nothing. On devices everything is computed. Not an option of a
 * run: it holds until the next call.
 */
CORACLE_API coracle_status coracle_session_select_outputs(coracle_session* session, const char* const* names,
                                                          size_t count);
CORACLE_API coracle_status coracle_session_run(coracle_session* session);

/** What holds for one run. A field that is 0 leaves it to the session's own option. */
typedef struct coracle_run_options {
  size_t struct_size;
  int64_t time_limit_ms; /**< bound on the time of the run in milliseconds from the call on, its planning included */
  size_t memory_limit;   /**< bound in bytes, as coracle_session_options.memory_limit, for this run: what the session
                              still holds of earlier runs counts, and is freed first */
  /** What other threads, or a signal handler, set to 1 (from 0) to end the run with CORACLE_CANCELLED; or null. Only
   * the lowest bit is looked at. A run that begins while it is 1 ends at once. Must stay until the call returns, and be
   * a lock-free atomic of C11 or C++ for whoever sets it; several runs may have the same one. coracle_session_cancel
   * ends the run too. */
  const uint32_t* cancelled;
} coracle_run_options;

/** Sets `struct_size` and all other fields to 0. `struct_size` is sizeof(coracle_run_options). */
CORACLE_API void coracle_run_options_init(coracle_run_options* options, size_t struct_size);

/**
 * As coracle_session_run, with options that hold for this run alone: the next one has the session's again. `options`
 * may be null and is read during the call only. CORACLE_INVALID_ARGUMENT for options that cannot be, before anything
 * runs; CORACLE_RUN_FAILURE, CORACLE_OUT_OF_MEMORY or CORACLE_CANCELLED where one of them ends the run. The session is
 * then ready for the next run, and its answers are the same whatever limits runs have had.
 */
CORACLE_API coracle_status coracle_session_run_with(coracle_session* session, const coracle_run_options* options);

/**
 * Told that an asynchronous run has ended, in a thread of the library's: `status` is what coracle_session_run_with
 * would have returned, and coracle_last_error() says of a failure what it would say. The session is free again: outputs
 * can be read, inputs set, its next run started, and it may be freed. The thread belongs to the runs of a device: what
 * takes long here keeps others waiting, and waiting for another run is CORACLE_INVALID_ARGUMENT. May not throw.
 */
typedef void (*coracle_run_function)(void* user, coracle_status status);
/**
 * Starts a run and returns; it is done in a thread of the library's. `options` as for coracle_session_run_with, read
 * during the call; what `cancelled` in them points to must stay until the run has ended. `done` (may be null) is called
 * once, when it has ended, unless this function itself fails: then nothing was started.
 *
 * From this call until the end of the run the session is in use: every call for it is CORACLE_INVALID_ARGUMENT, but for
 * coracle_session_wait, coracle_session_cancel, coracle_session_clone and coracle_session_free, which waits until the
 * run has ended and `done` has returned. Borrowed inputs, memory that outputs are bound to, and the session have to
 * stay for as long. Several runs at the same time are several sessions of one model, be they started by one thread.
 *
 * Runs begin in the order in which they were started. Those of models on the processor run at the same time as long as
 * their sessions' threads together are no more than coracle_default_threads() told when the first was started; a
 * session with a pool counts as one. Of models on a device two are under way at a time: one computes, while inputs of
 * the next and results of the one before are copied. Limits of time count from this call on, so waiting for the turn is
 * included. A run that is cancelled, or whose time is over, while it waits ends when its turn comes. Whoever forks
 * while a run is under way has it in the parent alone. Results are those of coracle_session_run, to the bit.
 */
CORACLE_API coracle_status coracle_session_run_async(coracle_session* session, const coracle_run_options* options,
                                                     coracle_run_function done, void* user);
/**
 * Returns when the last asynchronous run of the session has ended and its function, if it had one, has returned, and
 * gives its status and message; also for one that ended before, again and again. Any number of threads may wait for the
 * same run. CORACLE_INVALID_ARGUMENT where no run was started, and from observers and functions that are told of the
 * end of another session's run, where it would have to wait. From the function that is told of this run's end it
 * returns at once.
 */
CORACLE_API coracle_status coracle_session_wait(const coracle_session* session);

/**
 * Ends the run that another thread has under way with this session: there coracle_session_run returns CORACLE_CANCELLED
 * at the next place where its operator looks, and the session is ready for the next run. The same goes for asynchronous
 * runs, coracle_session_explain and coracle_session_planned_memory. Does nothing where no such call is under way, and
 * never to a later one: a run that has not begun yet must be kept from beginning by whoever starts it. A run that is
 * about to end may still succeed. May be called from any thread while the session lives, from its observer, and, with a
 * session, from signal handlers.
 */
CORACLE_API coracle_status coracle_session_cancel(coracle_session* session);

struct coracle_node_value;
/**
 * Is given operands and results of operators while a session runs, in the running thread. Anything but 0 ends the run
 * with CORACLE_RUN_FAILURE. May not use the session (which says so).
 */
typedef int (*coracle_observe_function)(void* user, const struct coracle_node_value* value);
/**
 * Shows the operands of each operator before it runs and its results after it ran to `observe`, from the next run on;
 * null ends it. Seen is what is computed: of operators that rewriting put together, what goes into them and comes out
 * (load with disable_passes "all" and disable_kernels "row_tiles,strided" to see every operator of the file); not
 * tensor arrays.
 */
CORACLE_API coracle_status coracle_session_set_observer(coracle_session* session, coracle_observe_function observe,
                                                        void* user);

/** A result. `data` is valid until the next run, release or the end of the session. */
typedef struct coracle_tensor_view {
  const void* data;
  size_t bytes;
  coracle_dtype dtype;
  int32_t rank;
  int64_t dims[CORACLE_MAX_RANK];
  size_t lod_levels;
} coracle_tensor_view;

CORACLE_API coracle_status coracle_session_output(const coracle_session* session, size_t index,
                                                  coracle_tensor_view* view);
/** An operand or result of an operator, in row-major order. Valid during the call. */
typedef struct coracle_node_value {
  const char* node; /**< the operator's place in the model, "conv2d_3" */
  const char* op;   /**< its type, "conv2d" */
  const char* name; /**< the variable's name in the file; empty for what rewriting made */
  int32_t is_result;
  int32_t is_constant; /**< a parameter, or made of parameters alone */
  coracle_tensor_view tensor;
} coracle_node_value;

/** Copies a result into `data`, which must have room for exactly its size. It may be on a device. */
CORACLE_API coracle_status coracle_session_copy_output(const coracle_session* session, size_t index, void* data,
                                                       size_t bytes);
/** Offsets of one level of a result. Valid as long as the result. */
CORACLE_API coracle_status coracle_session_output_lod(const coracle_session* session, size_t index, size_t level,
                                                      const size_t** offsets, size_t* size);
/** A variable kept by coracle_model_options.keep_tensors, after a run. */
CORACLE_API coracle_status coracle_session_tensor(const coracle_session* session, const char* name,
                                                  coracle_tensor_view* view);

/** Turns per-operator timing on or off. */
CORACLE_API coracle_status coracle_session_set_profiling(coracle_session* session, int32_t on);
/**
 * The timings of the last run as JSON: [{"node", "op", "kernel", "output", "start_ns", "duration_ns", "flops",
 * "bytes", "waited_ns", "helpers": [{"thread", "start_ns", "duration_ns", "busy_ns"}, ...]}, ...]. `flops` are those of
 * sums of products, a multiply-add counted as two, as many as the kernel really does (0 for operators that memory
 * limits); `bytes` those of operands and results; `waited_ns` the time in which the calling thread waited for others;
 * `helpers` when threads other than the calling one worked on it: from the first part to the end of the last, `busy_ns`
 * of that on parts. The text belongs to the calling thread and is valid until
 * its next call of this function or of coracle_session_explain, for whatever session.
 */
CORACLE_API coracle_status coracle_session_profile(const coracle_session* session, const char** json);

typedef struct coracle_machine_limits {
  double flops_per_second; /**< float32 multiply-adds in registers, counted as two */
  double bytes_per_second; /**< read from memory, one after the other */
} coracle_machine_limits;

/**
 * Measures what this machine reaches with the model's instruction set and the session's threads, to compare profiles
 * with; takes some tenths of a second and 64 MiB per thread.
 */
CORACLE_API coracle_status coracle_session_machine_limits(coracle_session* session, coracle_machine_limits* limits);
/**
 * The kernel of each node for the inputs set now, and why better ones were passed over, as JSON:
 * [{"node", "op", "kernel", "inputs", "outputs", "refused": [{"kernel", "reason"}]}, ...]; "multiply_adds" where the
 * operator sums products; "in_float32", why that was not done with integers, in models that simulate them. Nodes behind
 * a result whose size depends on data are not listed. Valid as the text of coracle_session_profile.
 */
CORACLE_API coracle_status coracle_session_explain(coracle_session* session, const char** json);

/**
 * The model's graph after rewriting as coracle_model_graph_text gives it, the values of its main part with the shapes
 * that follow from the inputs set now; sizes that depend on data stay "?". Free with coracle_string_free.
 */
CORACLE_API coracle_status coracle_session_graph_text(coracle_session* session, char** text);

/**
 * Bytes of the tensors a run with the inputs set now would take, as far as that is known before a run: up to the first
 * result whose size depends on data.
 */
CORACLE_API coracle_status coracle_session_planned_memory(coracle_session* session, size_t* bytes);

/** Memory held by a session, in bytes. */
typedef struct coracle_memory {
  size_t arena; /**< intermediate tensors and scratch */
  size_t plans; /**< the plans that its last run used, which are the model's (coracle_model_plan_bytes), bound to its
                     memory */
} coracle_memory;

CORACLE_API coracle_status coracle_session_memory(const coracle_session* session, coracle_memory* memory);
/** Bytes held by a session for its device: intermediate tensors there, and memory of the host that inputs and results
 * pass through on their way; constants are the model's (coracle_model_device_bytes). 0 without a device
 * (coracle_model_options.device). */
CORACLE_API coracle_status coracle_session_device_memory(const coracle_session* session, size_t* bytes);
/** Gives back what can be made again (arenas, results, and the model's plans that no other session has used last);
 * *bytes (may be null) is about how much that was. */
CORACLE_API coracle_status coracle_session_release_memory(coracle_session* session, size_t* bytes);
/** Bytes that all models and sessions of this process hold in tensors (copied weights too), arenas, scratch and packed
 * weights; weights that are mapped are the system's and not among them. For any thread, at any time. */
CORACLE_API size_t coracle_memory_total(void);

#ifdef __cplusplus
}
#endif

#include "device.h"  // IWYU pragma: export

#endif /* CORACLE_CORACLE_H_ */
