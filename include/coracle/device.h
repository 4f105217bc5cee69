/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORACLE_DEVICE_H_
#define CORACLE_DEVICE_H_

/* The part of coracle.h for tensors in the memory of devices, which includes it. */
#include "coracle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tensors on devices ---- */

/** A tensor in the memory of a device, be it the library's or its user's. Whoever gets one frees it. */
typedef struct coracle_device_tensor coracle_device_tensor;

/**
 * From the next run on an output stays on the device that the model uses (coracle_model_options.device), until
 * coracle_session_bind_output binds it to memory, or to null. coracle_session_output refuses it then. It costs nothing
 * where the device makes it; otherwise the run copies it there. Outputs of the last run are gone after this call.
 * CORACLE_INVALID_ARGUMENT where the model uses no device.
 */
CORACLE_API coracle_status coracle_session_keep_output_on_device(coracle_session* session, size_t index);
/**
 * The result of the last run, of an output that is on the device, with its sequence offsets. It is the caller's, who
 * frees it with coracle_device_tensor_free, and may outlive session and model. In memory of the library's it never
 * changes: later runs write elsewhere; until it is freed that memory counts as the session's. In memory that the output
 * is bound to (coracle_session_bind_output_on_device) the next run overwrites it.
 */
CORACLE_API coracle_status coracle_session_output_on_device(const coracle_session* session, size_t index,
                                                            coracle_device_tensor** tensor);
/**
 * Sets an input to a tensor on a device, which the session shares: it may be freed afterwards. Sessions of models on
 * the same device, in this process, read it where it is; for others the run copies it by way of the host. Element type
 * and rank are checked as by coracle_session_set_input.
 */
CORACLE_API coracle_status coracle_session_set_input_on_device(coracle_session* session, size_t index,
                                                               const coracle_device_tensor* tensor);
/** Its type and sizes; `view->data` is null. This and the next functions may be called by any thread at any time. */
CORACLE_API coracle_status coracle_device_tensor_view(const coracle_device_tensor* tensor, coracle_tensor_view* view);
/** Copies it to the host, into `data`, which must have room for exactly its size. CORACLE_RUN_FAILURE where the device
 * fails. */
CORACLE_API coracle_status coracle_device_tensor_copy(const coracle_device_tensor* tensor, void* data, size_t bytes);
/** `tensor` may be null. */
CORACLE_API void coracle_device_tensor_free(coracle_device_tensor* tensor);

/* ---- tensors of other libraries ---- */

/** Told that the library no longer uses memory that it was given, in whatever thread. May neither call the library nor
 * throw. */
typedef void (*coracle_release_function)(void* user);

/**
 * A tensor in memory of the caller's on a device: an input that is not copied, or where an output goes
 * (coracle_session_bind_output_on_device). CUDA devices only; CORACLE_UNSUPPORTED names others.
 *
 * `device` is named as in coracle_model_options ("cuda:0") and is taken into use. `data` is an address of that device,
 * as cuMemAlloc, cudaMalloc, torch and cupy give it, where elements lie in row-major order; it is a multiple of the
 * size of an element, and what is no multiple of 16 is copied on the device in each run. It may be null where there are
 * no elements. CORACLE_INVALID_ARGUMENT says what is wrong with a pointer: memory of the host or of another device, not
 * aligned, or fewer bytes there than the tensor has, as far as the driver knows.
 *
 * What the CUstream `stream` was given before this call is done before the library reads the tensor; null: nobody
 * writes to it now, or the stream that the session has (coracle_session_set_stream) is the one that does. CUDA's
 * default stream is (void*)1 (CU_STREAM_LEGACY).
 *
 * `release` (may be null) is called with `user` once the tensor is freed and no session has it as an input or bound to
 * an output any more; the device then does nothing with it. Until then the memory stays. It is not called where this
 * function fails.
 */
CORACLE_API coracle_status coracle_device_tensor_wrap(const char* device, coracle_dtype dtype, int32_t rank,
                                                      const int64_t* dims, void* data, void* stream,
                                                      coracle_release_function release, void* user,
                                                      coracle_device_tensor** tensor);

/** Where a tensor lies. */
typedef struct coracle_device_address {
  void* data;         /**< an address of the device (CUdeviceptr); its elements lie there in row-major order */
  const char* device; /**< "cuda:0", as coracle_model_options names it; lives as long as the process */
  int32_t number;     /**< of the device for its driver and for other libraries: CUDA's ordinal */
} coracle_device_address;

/**
 * The address of a tensor on a CUDA device; CORACLE_UNSUPPORTED for others. A result is complete: whoever reads it
 * waits for nothing. It stays as long as the tensor is not freed. Work of the caller's that reads it may still be under
 * way then, if it is on the session's stream (coracle_session_set_stream); where the session had none when the tensor
 * was taken from it, freeing the memory waits for all work on the device.
 */
CORACLE_API coracle_status coracle_device_tensor_address(const coracle_device_tensor* tensor,
                                                         coracle_device_address* address);

/**
 * From the next run on an output is in memory of the caller's on the model's device: that of `tensor`, which
 * coracle_device_tensor_wrap or coracle_device_tensor_from_dlpack made and the session shares, until the output is
 * bound elsewhere (coracle_session_bind_output, with null too) or the session ends. Its sizes say how many elements
 * there is room for; coracle_session_output_on_device tells those of a result. Kernels write there, without a copy, if
 * the address is a multiple of 16 and the memory overlaps no input; otherwise the run copies on the device. The run
 * fails with CORACLE_INVALID_ARGUMENT where the output has another element type or needs more bytes. Memory of two
 * outputs may not overlap. Outputs of the last run are gone after this call.
 */
CORACLE_API coracle_status coracle_session_bind_output_on_device(coracle_session* session, size_t index,
                                                                 const coracle_device_tensor* tensor);

/**
 * Orders runs by a stream of the caller's on the model's device, a CUstream (or cudaStream_t) of its primary context:
 * what a run does on the device is done after all that the stream was given before the call that starts the run, be it
 * coracle_session_run or coracle_session_run_async. So nobody waits between work that makes inputs, or still reads
 * memory that outputs are bound to, and the run. What the stream is given after the run finds its results. Work on
 * results may still be under way on the stream when they are freed.
 *
 * coracle_session_run returns before the run is done where all inputs are on the device, all outputs are bound there
 * (coracle_session_bind_output_on_device) to memory that kernels write, and all of it runs there without limit of time,
 * profile and observer. What the run reads and writes is then kept until it is done; what fails on the device meanwhile
 * is told by the next run, or by who reads a result. Other runs have ended on the device, too, when they return.
 *
 * Null, as at the start: runs wait for no stream. CUDA's default stream is (void*)1 (CU_STREAM_LEGACY). The stream
 * stays until another one or null is set, or the session ends. A run under way while the stream waits for the host can
 * only end when that goes on. CORACLE_INVALID_ARGUMENT where the model uses no device, and for a stream of another
 * device or context; and from a run, too, for a stream that is being captured into a graph. A clone has none.
 */
CORACLE_API coracle_status coracle_session_set_stream(coracle_session* session, void* stream);

/**
 * A tensor on a CUDA device in memory that another library exports by DLPack: `managed` is its DLManagedTensor, or with
 * `versioned` not 0 its DLManagedTensorVersioned. The library takes it and calls its deleter as it would call a
 * coracle_release_function; where this function fails it stays the caller's. `stream` as for
 * coracle_device_tensor_wrap, which says what is checked; what is read-only can be no output. Elements must lie in
 * row-major order without gaps.
 */
CORACLE_API coracle_status coracle_device_tensor_from_dlpack(void* managed, int32_t versioned, void* stream,
                                                             coracle_device_tensor** tensor);
/**
 * The tensor for another library, by DLPack: *managed becomes a DLManagedTensor, or with `versioned` not 0 a
 * DLManagedTensorVersioned of DLPack 1.0, which keeps the memory until its deleter is called, once, by any thread.
 * Its elements are complete. `stream` is the one on which they will be used: where that is the session's
 * (coracle_session_set_stream) work may still be under way when the deleter is called, and later runs use the memory
 * again; for others, and null, freeing the memory waits for all work on the device. Whoever writes to a result changes
 * it for all who share it. CUDA devices only, CORACLE_UNSUPPORTED for others.
 */
CORACLE_API coracle_status coracle_device_tensor_to_dlpack(const coracle_device_tensor* tensor, int32_t versioned,
                                                           void* stream, void** managed);

#ifdef __cplusplus
}
#endif

#endif /* CORACLE_DEVICE_H_ */
