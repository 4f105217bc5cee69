// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/status.h>

#include <exception>
#include <string>

#include "serve/current_failure.h"

namespace coracle::serve {

/// The status of gRPC that says so.
grpc::StatusCode status_code(Code code);
/// Messages are cut where clients would refuse the status for their length.
grpc::Status status_of(const Failure& failure);
/// The message of a failure as a field of a message: UTF-8, whatever the client or a file's name had.
std::string field_text(const std::string& text);

/// How work ends.
template <class Work>
grpc::Status status_after(const Work& work) {
  try {
    work();
  } catch (const std::exception&) {
    return status_of(current_failure());
  }
  return grpc::Status::OK;
}

}  // namespace coracle::serve
