// SPDX-License-Identifier: Apache-2.0
// A second unit with the headers: the program of every_lite_member.cc has both.
#include "paddle_api.h"

int targets_of_second_unit() {
  const paddle::lite_api::MobileConfig config;
  return config.threads() == 1 ? static_cast<int>(paddle::lite_api::ExpandValidTargets().size()) : 0;
}
