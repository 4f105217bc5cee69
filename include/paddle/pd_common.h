/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h> /* NOLINT(modernize-deprecated-headers): also for C */
#include <stdint.h> /* NOLINT(modernize-deprecated-headers) */
#include <stdio.h>  /* NOLINT(modernize-deprecated-headers): programs rely on it */

#if defined(_WIN32)
#ifdef PADDLE_DLL_INFERENCE
#define PADDLE_CAPI_EXPORT __declspec(dllexport)
#else
#define PADDLE_CAPI_EXPORT __declspec(dllimport)
#endif
#else
#define PADDLE_CAPI_EXPORT __attribute__((visibility("default")))
#endif

#ifndef __pd_give
#define __pd_give /* NOLINT(bugprone-reserved-identifier): Paddle's */
#endif
#ifndef __pd_keep
#define __pd_keep /* NOLINT(bugprone-reserved-identifier) */
#endif
#ifndef __pd_take
#define __pd_take /* NOLINT(bugprone-reserved-identifier) */
#endif

typedef int8_t PD_Bool;
#ifndef TRUE
#define TRUE 1
#endif
#ifndef FALSE
#define FALSE 0
#endif

#define PD_ENUM(type)   \
  typedef int32_t type; \
  enum
