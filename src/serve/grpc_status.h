// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace coracle::serve {

/// A status of gRPC by its number (https://grpc.io/docs/guides/status-codes/), and that of HTTP which says the same
/// here.
struct GrpcStatus {
  const char* name;
  unsigned http;
};

inline constexpr std::array<GrpcStatus, 17> kGrpcStatuses{{{"OK", 200},
                                                           {"CANCELLED", 499},
                                                           {"UNKNOWN", 500},
                                                           {"INVALID_ARGUMENT", 400},
                                                           {"DEADLINE_EXCEEDED", 504},
                                                           {"NOT_FOUND", 404},
                                                           {"ALREADY_EXISTS", 409},
                                                           {"PERMISSION_DENIED", 403},
                                                           {"RESOURCE_EXHAUSTED", 503},
                                                           {"FAILED_PRECONDITION", 400},
                                                           {"ABORTED", 409},
                                                           {"OUT_OF_RANGE", 400},
                                                           {"UNIMPLEMENTED", 501},
                                                           {"INTERNAL", 500},
                                                           {"UNAVAILABLE", 503},
                                                           {"DATA_LOSS", 500},
                                                           {"UNAUTHENTICATED", 401}}};

constexpr const GrpcStatus& grpc_status(size_t number) {
  return kGrpcStatuses[number < kGrpcStatuses.size() ? number : 2];
}

}  // namespace coracle::serve
