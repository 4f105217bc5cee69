/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORACLE_OPERATOR_H_
#define CORACLE_OPERATOR_H_

/**
 * Operators of one's own: what a model names and Coracle does not have. An operator is a name, what it takes and gives,
 * and two functions: one tells the types of its results, the other computes them. It is registered for the process
 * (coracle_register_operator) or given with a model (coracle_model_options.operators), before that is loaded, and is
 * then an operator like any other: memory is planned for its results, profiles and explanations name it, saved models
 * keep it and say of it where it is missing. It runs on the processor, on tensors in row-major order. libcoracle_light
 * has no such operators.
 */

#include "coracle/coracle.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a function of an operator is called for: one node of a model. Valid during the call, in its thread. */
typedef struct coracle_operator_call coracle_operator_call;

/** Anything but CORACLE_OK ends the run, or loading or planning, with that status; coracle_call_fail says why. */
typedef coracle_status (*coracle_operator_function)(void* user, coracle_operator_call* call);
typedef void (*coracle_operator_release_function)(void* user);

typedef struct coracle_operator {
  size_t struct_size;
  const char* name; /**< its type in the model: "custom_relu" */
  /** Names of what it takes, in the order of the model, separated by commas; those of a ProgramDesc are its slots.
   * "bias?" may be absent, "parts*" is a list of any number: "x, bias?, parts*". Null or empty: nothing. */
  const char* inputs;
  const char* outputs; /**< the same of its results; at least one */
  /** Attributes that the functions read: "axis: int = -1, eps: float, sizes: ints". Types are bool, int, float, string,
   * dtype, and lists of unknown length: ints, floats, strings. Behind "=" stands the value of one that the model does
   * not give; 0, false, "", float32 or no elements where nothing does. Others of the model are passed over. Null: none.
   */
  const char* attributes;
  /** Tells the types of the results from those of the operands; called while the model is loaded and its runs are
   * planned, more than once. Null: every result has the type of the first operand. */
  coracle_operator_function infer;
  coracle_operator_function run; /**< computes the results */
  void* user;                    /**< what the functions are given */
  /** Called when nothing uses the operator any more: it was unregistered, and models that have it are freed. Not where
   * registering it, or loading the model that it was given with, failed. Null: nobody is told. From any thread. */
  coracle_operator_release_function release;
  /** Not 0: its functions are never called by two threads at once. 0: sessions in several threads call them together.
   */
  int32_t one_thread;
  /** Not 0: equal operands may give other results, or a call has other effects: each call of the program is made. 0:
   * its results may be computed while loading where operands are constants, equal calls may become one, and calls whose
   * results nobody needs are left out. */
  int32_t impure;
} coracle_operator;

/** Sets `struct_size` and all else to 0. `struct_size` is sizeof(coracle_operator). */
CORACLE_API void coracle_operator_init(coracle_operator* op, size_t struct_size);

/**
 * Adds an operator that models loaded from now on may name. `op` and its texts are copied. CORACLE_INVALID_ARGUMENT
 * where Coracle, or the process, has an operator of that name. For any thread.
 */
CORACLE_API coracle_status coracle_register_operator(const coracle_operator* op);
/** Takes it back; loaded models keep it. CORACLE_INVALID_ARGUMENT where there is none. For any thread. */
CORACLE_API coracle_status coracle_unregister_operator(const char* name);

/* ---- what its functions ask; inputs, outputs and elements of lists count from 0 ---- */

/** How many tensors stand at an input / output: 0 or 1 at one that may be absent, any number at a list. */
CORACLE_API size_t coracle_call_input_count(const coracle_operator_call* call, size_t input);
CORACLE_API size_t coracle_call_output_count(const coracle_operator_call* call, size_t output);

/**
 * An operand. In `run` its elements are at `data`. In `infer` dimensions that are not known yet are -1, and so is
 * `rank` where their number is not; `data` is null but for constants and small values that are known already.
 */
CORACLE_API coracle_status coracle_call_input(coracle_operator_call* call, size_t input, size_t index,
                                              coracle_tensor_view* view);
/** Sequence offsets of an operand: view.lod_levels of these. Result 0 has those of the first operand. */
CORACLE_API coracle_status coracle_call_input_lod(coracle_operator_call* call, size_t input, size_t index, size_t level,
                                                  const size_t** offsets, size_t* size);

/** In `infer`: the type of a result. Dimensions of -1, or a rank of -1, are known to `run` alone. */
CORACLE_API coracle_status coracle_call_set_output(coracle_operator_call* call, size_t output, size_t index,
                                                   coracle_dtype dtype, int32_t rank, const int64_t* dims);
/**
 * In `run`: memory for a result of that type, to be filled; once for each result. Its content is unspecified. A type
 * other than `infer` told is CORACLE_INVALID_ARGUMENT.
 */
CORACLE_API coracle_status coracle_call_output(coracle_operator_call* call, size_t output, size_t index,
                                               coracle_dtype dtype, int32_t rank, const int64_t* dims, void** data);

/** The value of an attribute of type bool, int, ints or dtype (a coracle_dtype); one that is no list has one element.
 * Valid during the call, here and below. */
CORACLE_API coracle_status coracle_call_ints(coracle_operator_call* call, const char* attribute, const int64_t** values,
                                             size_t* count);
/** The same of type float or floats. */
CORACLE_API coracle_status coracle_call_floats(coracle_operator_call* call, const char* attribute,
                                               const double** values, size_t* count);
/** The same of type string or strings. */
CORACLE_API coracle_status coracle_call_strings(coracle_operator_call* call, const char* attribute,
                                                const char* const** values, size_t* count);

/** CORACLE_CANCELLED or CORACLE_RUN_FAILURE where the run has been cancelled or is out of time: what takes long asks
 * now and then, and returns that. */
CORACLE_API coracle_status coracle_call_check(coracle_operator_call* call);
/** Keeps what is wrong, for the message of the run's error; returns CORACLE_RUN_FAILURE. */
CORACLE_API coracle_status coracle_call_fail(coracle_operator_call* call, const char* message);

#ifdef __cplusplus
}
#endif

#endif  // CORACLE_OPERATOR_H_
