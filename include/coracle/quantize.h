/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORACLE_QUANTIZE_H_
#define CORACLE_QUANTIZE_H_

/**
 * The C interface of libcoracle_quantize: makes a model that computes with fewer bits from one of float32
 * (docs/quantization.md). It is what `coracle quantize` calls.
 *
 * - Functions that can fail return a coracle_status and leave a message for coracle_last_error() in the calling thread,
 *   as those of coracle.h do. Nothing throws, prints or aborts.
 * - Any number of threads may quantise models at once, each with another output and state. Functions that are given to
 *   coracle_quantize are called in the thread that called it, while that goes on.
 * - The option struct starts with `struct_size`: call coracle_quantize_options_init with the size of the struct, then
 *   set fields. Fields are only ever added at the end. Strings are UTF-8 and end with a zero byte; null ones are not
 *   given.
 */

#include "coracle/coracle.h"

#if defined(__GNUC__) && !defined(_WIN32)
#define CORACLE_QUANTIZE_API __attribute__((visibility("default")))
#else
#define CORACLE_QUANTIZE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- inputs ---- */

/** The inputs of one run, while a coracle_quantize_data_function fills them in. */
typedef struct coracle_quantize_inputs coracle_quantize_inputs;

/**
 * Gives the inputs of set number `set`, from 0 on, by coracle_quantize_set_input: each input of the model once. Each
 * set is asked for several times, and has to be the same each time. What differs from CORACLE_OK ends quantising with
 * that status, and with the message of coracle_last_error() (coracle_set_last_error).
 */
typedef coracle_status (*coracle_quantize_data_function)(void* user, size_t set, coracle_quantize_inputs* inputs);

/**
 * Sets an input by copying. `name` as the model has it (coracle_model_input); null: the first input, in the model's
 * order, that is not set yet. `data` is row-major, and may be null where there are no elements.
 */
CORACLE_QUANTIZE_API coracle_status coracle_quantize_set_input(coracle_quantize_inputs* inputs, const char* name,
                                                               coracle_dtype dtype, int32_t rank, const int64_t* dims,
                                                               const void* data);
/** The sequence offsets of an input that was set before, as coracle_session_set_input_lod has them. `name` null: of the
 * one that was set last. */
CORACLE_QUANTIZE_API coracle_status coracle_quantize_set_input_lod(coracle_quantize_inputs* inputs, const char* name,
                                                                   size_t levels, const size_t* sizes,
                                                                   const size_t* offsets);
/** What messages call this set, a file's name for instance; copied. Without it they call it "data[3]". */
CORACLE_QUANTIZE_API coracle_status coracle_quantize_name_set(coracle_quantize_inputs* inputs, const char* name);

/* ---- quantising ---- */

/** Told that of the step "calibration" (runs that show how far values reach), "methods" (choosing ranges of operands),
 * "times" (of layers, with type=auto), "layers" (finding those that have to stay) or "choice" (precisions that were
 * tried) `done` of `total` parts are done. May not throw. */
typedef void (*coracle_quantize_progress_function)(void* user, const char* step, size_t done, size_t total);

typedef struct coracle_quantize_options {
  size_t struct_size;
  const char* params; /**< parameter file, where Paddle's naming rules do not find it */
  /** How the model is quantised: "NAME=VALUE" texts, "method=kl" for instance. The names are the options of `coracle
   * quantize` (docs/quantization.md), with "_" or "-": weights_only, half, type, times, method, percentile, keep,
   * max_drop, min_snr, max_error, error_metric, scaling, scaling_alpha, reduce_range, round_residuals, bias_correction.
   * Numbers are written as in JSON, truth values "true" or "false"; "keep" may be there several times. With "type=auto"
   * layers are timed here with `session`'s threads, unless "times=FILE" has that. */
  const char* const* settings;
  size_t setting_count;
  /** Sets of inputs, 32 to 500 are usual. With weights alone stored otherwise (weights_only, half) there need be none;
   * answers are compared for those that there are. */
  size_t sets;
  coracle_quantize_data_function data;    /**< gives them; may be null where there are none */
  void* data_user;                        /**< what `data` is given */
  const coracle_session_options* session; /**< of all runs: threads, limits; null: the defaults. Read during the call */
  /** File that keeps what was measured, so that a later call with the same arguments goes on from there where this one
   * was interrupted. It goes when the model is written. */
  const char* state;
  coracle_quantize_progress_function progress; /**< or null */
  void* progress_user;
  /** Told of what is no error: few sets of inputs, a model in which no layer became smaller, what a state file has. */
  coracle_log_function message; /**< or null */
  void* message_user;
  /** What other threads, or a signal handler, set to 1 (from 0) to end the call with CORACLE_CANCELLED; or null. Only
   * the lowest bit is looked at. A lock-free atomic of C11 or C++ for whoever sets it. */
  const uint32_t* cancelled;
} coracle_quantize_options;

/** Sets `struct_size` and all other fields to 0. `struct_size` is sizeof(coracle_quantize_options). */
CORACLE_QUANTIZE_API void coracle_quantize_options_init(coracle_quantize_options* options, size_t struct_size);

/** What came of quantising a model. Never changes, for any number of threads at once. */
typedef struct coracle_quantization coracle_quantization;

/**
 * Quantises a model in one of Paddle's formats and writes it. `model`: a folder, an archive of one (.tar, .tar.gz,
 * .zip) or one of its files. `output`: a folder, in which the program is called "inference", NAME.pdmodel or NAME.json
 * (as the model has it) with NAME.pdiparams beside it, or NAME.coracle, a saved model. Files there are replaced, each
 * as a whole; the model itself never is. `options` may be null: then there is no data, which only fails. `quantization`
 * may be null; else it is to be freed with coracle_quantization_free.
 *
 * CORACLE_INVALID_ARGUMENT: options that are wrong or exclude each other, no data where it is needed, inputs that the
 * model does not have or that do not fit, values that are not finite, with type=auto bounds that nothing keeps.
 * CORACLE_UNSUPPORTED: a model that is quantised already or of another format. CORACLE_IO: files that cannot be read or
 * written. CORACLE_CANCELLED. Then nothing is written but the state.
 */
CORACLE_QUANTIZE_API coracle_status coracle_quantize(const char* model, const char* output,
                                                     const coracle_quantize_options* options,
                                                     coracle_quantization** quantization);

/** The report as JSON, as `coracle quantize --json` prints it; lives as long as the quantization. Null for null, as for
 * those below. */
CORACLE_QUANTIZE_API const char* coracle_quantization_json(const coracle_quantization* quantization);
/** The same as a page of HTML with plots, which loads nothing. */
CORACLE_QUANTIZE_API const char* coracle_quantization_html(const coracle_quantization* quantization);
/** The same as a table for a terminal. */
CORACLE_QUANTIZE_API const char* coracle_quantization_text(const coracle_quantization* quantization);
CORACLE_QUANTIZE_API void coracle_quantization_free(coracle_quantization* quantization);

#ifdef __cplusplus
}
#endif

#endif /* CORACLE_QUANTIZE_H_ */
