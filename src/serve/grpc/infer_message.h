// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <memory>
#include <string>

#include "inference.pb.h"
#include "serve/infer_request.h"

/// ModelInferRequest and ModelInferResponse, whose tensors are not copied once more than the protocol needs it.
namespace coracle::serve {

using RequestMessage = std::shared_ptr<const inference::ModelInferRequest>;

/// Frees the bytes that arrived. Throws Failure.
RequestMessage parse_request(grpc::ByteBuffer& bytes);

/// The request, with views of the message's tensors, which keep it alive. Throws Failure.
InferRequest infer_request(const RequestMessage& message);

/// A ModelInferResponse for an answer without failure, or a ModelStreamInferResponse around it. Tensors stay where they
/// are until they were sent. Throws Failure where it is larger than messages can be.
grpc::ByteBuffer response_bytes(const InferAnswer& answer, const std::string& id, bool streamed);
/// A ModelStreamInferResponse that says what went wrong.
grpc::ByteBuffer error_bytes(const Failure& failure, const std::string& id);

}  // namespace coracle::serve
