/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/**
 * Paddle's C interface over Coracle, exported by libpaddle_inference_c under Paddle's names; docs/paddle-api.md says
 * what each call does here.
 *
 * - A call that fails changes nothing, prints nothing and returns NULL, FALSE or 0; coracle_last_error() of coracle.h
 *   (libcoracle is linked anyway) says why, in the thread of the call.
 * - What a function marked __pd_give returns is destroyed by its caller; what __pd_take marks must not be used again.
 *   PD_PredictorCreate leaves its config alive, used up: PD_ConfigDestroy may still be called, as programs do.
 * - A predictor and its tensors belong to one thread at a time, clones to others.
 */

#include "pd_common.h"    /* IWYU pragma: export */
#include "pd_config.h"    /* IWYU pragma: export */
#include "pd_predictor.h" /* IWYU pragma: export */
#include "pd_tensor.h"    /* IWYU pragma: export */
#include "pd_types.h"     /* IWYU pragma: export */
#include "pd_utils.h"     /* IWYU pragma: export */
