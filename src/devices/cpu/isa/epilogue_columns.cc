// SPDX-License-Identifier: Apache-2.0
#include "epilogue_columns.h"
