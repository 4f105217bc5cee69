/* SPDX-License-Identifier: Apache-2.0 */
/* A header for check_abi_test.py: int sample_not(void); is a comment. */
#pragma once
#define CORACLE_MORE int sample_neither(void);
#ifdef __cplusplus
extern "C" {
#endif
typedef struct sample_view {
  const void* data;  // its bytes
} sample_view;
typedef int (*sample_call)(void* user, const char* text);
CORACLE_API const char* sample_name(size_t index);
CORACLE_API void sample_run(const sample_view* view, sample_call call);
#ifdef __cplusplus
}
#endif
