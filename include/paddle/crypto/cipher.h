// SPDX-License-Identifier: Apache-2.0
#pragma once

/// paddle::framework::Cipher and paddle::MakeCipher, which says that there is no encryption here.
#include "../paddle_api.h"
