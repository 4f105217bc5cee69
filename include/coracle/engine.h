/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORACLE_ENGINE_H_
#define CORACLE_ENGINE_H_

/**
 * The interface between Coracle and engines that are plug-ins: libraries that take a part of a graph, a block, and run
 * it in their own way.
 *
 * A plug-in for the engine NAME ([a-z0-9_]+) is a shared library `libcoracle_engine_NAME.so` that exports one function,
 * coracle_engine_get. Coracle looks for it in each folder of the environment variable CORACLE_ENGINE_PATH (separated by
 * colons), then beside its own library; it is loaded once and never unloaded. A plug-in does not link with Coracle:
 * what it asks of a block goes through the functions of coracle_engine_host.
 *
 * - Versions: a plug-in says which CORACLE_ENGINE_API_VERSION it was built with; another one than the library's is
 *   refused. Within a version structs grow at their end only, and their first field is their size where they were
 *   built: read a field only if it lies inside.
 * - Ownership: what the host gives (blocks, nodes, texts, lists, dimensions) is Coracle's and lives until the call that
 *   gave the block returns. The elements of constants (host->is_constant) are the exception: they stay where they are
 *   for as long as what was compiled of the block. What the plug-in gives is its own, and is freed by its functions.
 * - Threads: `missing`, `version`, `refusal`, `compile`, `bytes`, `make_run` and the functions that free may be called
 *   by any number of threads at once, also for the same compiled block. One run is used by one thread at a time. No
 *   compiled block is freed before its runs.
 * - Errors: a function that can fail returns CORACLE_OK or another status and writes why, as UTF-8 that ends with a
 *   zero byte, into the buffer that it is given. Nothing may throw, print or end the process.
 * - Values are tensors in row-major order. Shapes are in elements, outermost dimension first (an image is N, C, H, W);
 *   rank 0 is a scalar, and a dimension may be 0.
 */

#include <coracle/coracle.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CORACLE_ENGINE_API_VERSION 1

/** A part of a graph: values with numbers from 0 on, and nodes in an order in which each finds its operands. */
typedef struct coracle_block coracle_block;
/** An operator applied to values of a block. */
typedef struct coracle_block_node coracle_block_node;

/** What an attribute is. Enumerations and element types are strings: "NCHW", "float32". */
typedef enum coracle_attribute_kind {
  CORACLE_ATTRIBUTE_NONE = 0, /**< there is no attribute of the name, or it has no value */
  CORACLE_ATTRIBUTE_BOOL = 1,
  CORACLE_ATTRIBUTE_INT = 2,
  CORACLE_ATTRIBUTE_DOUBLE = 3,
  CORACLE_ATTRIBUTE_STRING = 4,
  CORACLE_ATTRIBUTE_INTS = 5,
  CORACLE_ATTRIBUTE_DOUBLES = 6,
  CORACLE_ATTRIBUTE_STRINGS = 7
} coracle_attribute_kind;

/** An attribute of a node. Only the field of its kind is set; `size` is that of a list. */
typedef struct coracle_attribute {
  const char* name;
  coracle_attribute_kind kind;
  int64_t integer; /**< of CORACLE_ATTRIBUTE_BOOL (0 or 1) and CORACLE_ATTRIBUTE_INT */
  double number;
  const char* string;
  const int64_t* integers;
  const double* numbers;
  const char* const* strings;
  size_t size;
} coracle_attribute;

/** What a plug-in may ask of a block. Numbers that do not exist give 0, -1 or null; nothing here fails. */
typedef struct coracle_engine_host {
  size_t struct_size;

  /* The block. Outputs are in the order in which a run is given their memory, inputs in that of its tensors. */
  size_t (*value_count)(const coracle_block* block);
  size_t (*node_count)(const coracle_block* block);
  const coracle_block_node* (*node)(const coracle_block* block, size_t index);
  size_t (*input_count)(const coracle_block* block);
  int32_t (*input)(const coracle_block* block, size_t index);
  size_t (*output_count)(const coracle_block* block);
  int32_t (*output)(const coracle_block* block, size_t index);

  /* Values, by number. */
  /** A coracle_dtype; -1 while it is not known, and for arrays of tensors. */
  int32_t (*dtype)(const coracle_block* block, int32_t value);
  /** -1 while it is not known. */
  int32_t (*rank)(const coracle_block* block, int32_t value);
  /** As many as `rank` says; -1 is a size that is not known. */
  const int64_t* (*dims)(const coracle_block* block, int32_t value);
  /** The elements where they are known: of constants, and of what shapes are made from. Else, and for a tensor without
   * elements, null. */
  const void* (*elements)(const coracle_block* block, int32_t value);
  /** Whether the value is a constant of the block: it is no input, and its elements stay. */
  int32_t (*is_constant)(const coracle_block* block, int32_t value);
  /** The name of its variable in the model's file; may be empty. */
  const char* (*value_name)(const coracle_block* block, int32_t value);

  /* Nodes. */
  /** "conv2d": the operator's name in Paddle's newer programs, or one that Coracle's rewrites make. */
  const char* (*node_operator)(const coracle_block_node* node);
  /** For messages: "conv2d_3". */
  const char* (*node_name)(const coracle_block_node* node);
  /** How many values stand at a port ("x", "filter"): 0 where an optional one is absent. */
  size_t (*operand_count)(const coracle_block_node* node, const char* port);
  /** The value at a port; -1 where there is none. */
  int32_t (*operand)(const coracle_block_node* node, const char* port, size_t index);
  size_t (*result_count)(const coracle_block_node* node, const char* port);
  int32_t (*result)(const coracle_block_node* node, const char* port, size_t index);
  size_t (*all_operand_count)(const coracle_block_node* node);
  int32_t (*all_operands)(const coracle_block_node* node, size_t index);
  size_t (*all_result_count)(const coracle_block_node* node);
  int32_t (*all_results)(const coracle_block_node* node, size_t index);
  size_t (*attribute_count)(const coracle_block_node* node);
  const coracle_attribute* (*attribute)(const coracle_block_node* node, size_t index);
  /** Null where there is none of the name. What fused operators do to their result stands in two lists: the names of
   * the steps in "epilogue", three numbers for each in "epilogue_numbers" (docs/engines.md). */
  const coracle_attribute* (*find_attribute)(const coracle_block_node* node, const char* name);
} coracle_engine_host;

/** What a user chooses, and for how many threads. */
typedef struct coracle_engine_options {
  size_t struct_size;
  const char* device; /**< of the engine, as it names them; empty: its first */
  const char*
      precision;   /**< "strict", "default", "int8", "high", "tf32", "bf16" or "fp16", as in coracle_model_options */
  int32_t threads; /**< that a run may keep busy, the caller's included; at least 1 */
} coracle_engine_options;

/** What a plug-in has compiled. Immutable. */
typedef struct coracle_engine_block coracle_engine_block;
/** What one user needs to run it. */
typedef struct coracle_engine_run coracle_engine_run;

/** An engine. All functions are needed. */
typedef struct coracle_engine {
  uint32_t version; /**< CORACLE_ENGINE_API_VERSION; the first field in every version */
  size_t struct_size;
  const char* name; /**< as in the name of the file */

  /** Null if what the engine needs is there, else what is missing and what to do. */
  const char* (*missing)(void);  // NOLINT(modernize-redundant-void-arg): also for C
  /** Which library it is, with its version, for people and as a part of the keys of caches. */
  const char* (*library_version)(void);  // NOLINT(modernize-redundant-void-arg)
  /** Why it does not take a node: anything but CORACLE_OK, with the reason in `text`. The block holds this node alone
   * and its values, whose types may be unknown in part; what they turn out to be may still be refused by `compile`.
   * Nodes with int8 values are asked about only where `precision` is "int8". */
  coracle_status (*refusal)(const coracle_block* block, const coracle_block_node* node, char* text, size_t size);
  /** All types of the block are known. Sets `*compiled`, or fails with the reason in `error`. */
  coracle_status (*compile)(const coracle_block* block, const coracle_engine_options* options,
                            coracle_engine_block** compiled, char* error, size_t size);
  /** About how much memory it takes beside the constants; 0 where that is not known. */
  size_t (*bytes)(const coracle_engine_block* compiled);
  void (*free_block)(coracle_engine_block* compiled);
  coracle_status (*make_run)(const coracle_engine_block* compiled, coracle_engine_run** run, char* error, size_t size);
  /** One tensor for each input and memory for each output of the block, of the types it was compiled for. Inputs and
   * outputs do not overlap. Null stands for a tensor without elements. */
  coracle_status (*run)(coracle_engine_run* run, const void* const* inputs, void* const* outputs, char* error,
                        size_t size);
  void (*free_run)(coracle_engine_run* run);
} coracle_engine;

/** The type of the function that a plug-in exports as "coracle_engine_get". */
typedef const coracle_engine* (*coracle_engine_get_function)(uint32_t version, const coracle_engine_host* host);

/**
 * For a plug-in to define: its engine, which stays for as long as the process. It is given the library's version of
 * this interface and its host, which stays as long. Returns the engine whatever the version is, so that it can be
 * refused by both versions; `host` may be used only if it is CORACLE_ENGINE_API_VERSION.
 */
CORACLE_API const coracle_engine* coracle_engine_get(uint32_t version, const coracle_engine_host* host);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* CORACLE_ENGINE_H_ */
