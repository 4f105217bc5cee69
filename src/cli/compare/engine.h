// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cli/compare/side.h"

namespace coracle::cli {

/// engine.py
extern const char* const kEngineScript;

/// A model run by another engine through its Python package: "paddle", "onnxruntime" or "openvino". `python` is the
/// interpreter that has it. Each run is a process of its own.
std::unique_ptr<Side> engine_side(const std::string& engine, const std::string& python, const std::string& model,
                                  const std::string& params);

}  // namespace coracle::cli
