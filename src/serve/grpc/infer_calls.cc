// SPDX-License-Identifier: Apache-2.0
#include "serve/grpc/infer_calls.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "serve/grpc/infer_message.h"
#include "serve/grpc/rpc_record.h"
#include "serve/grpc/rpc_status.h"

namespace coracle::serve {
namespace {

/// Requests of one stream that are under way; the next one is read when one of them was answered.
constexpr size_t kMostAsked = 64;
constexpr const char* kInferPath = "/inference.GRPCInferenceService/ModelInfer";
constexpr const char* kStreamPath = "/inference.GRPCInferenceService/ModelStreamInfer";

/// Starts what a message asks for. Throws Failure.
Cancel infer_message(RpcContext& context, const RequestMessage& message, const RpcRecord& record,
                     const std::optional<Clock::time_point>& deadline, const Answered& answered) {
  record.record()->id = message->id();
  InferRequest request = infer_request(message);
  request.deadline = deadline;
  request.record = record.record();
  return context.operations.infer(message->model_name(), message->model_version(), std::move(request), answered);
}

// gRPC calls OnDone and the other reactions from threads of its own, never within Start... and Finish. A reactor lives
// until OnDone, and as long as an answer may come.

class InferUnary : public grpc::ServerUnaryReactor, public std::enable_shared_from_this<InferUnary> {
 public:
  InferUnary(RpcContext& context, grpc::ByteBuffer& response) : context_(context), response_(response) {}

  void start(grpc::CallbackServerContext& call, grpc::ByteBuffer& bytes) {
    self_ = shared_from_this();
    record_.emplace(context_, call, kInferPath, bytes.Length());
    record_->add_trace(call);
    const grpc::Status status = status_after([&] {
      context_.authorize(call);
      context_.enter();
      entered_ = true;
      const RequestMessage message = parse_request(bytes);
      cancel_.set(infer_message(context_, message, *record_, deadline_of(call),
                                [self = self_, id = message->id()](const InferAnswer& a) { self->answer(a, id); }));
    });
    if (!status.ok()) finish(status);
  }

  void OnCancel() override { cancel_.cancel(); }
  void OnDone() override {
    if (entered_) context_.leave();
    record_.reset();
    const std::shared_ptr<InferUnary> last = std::move(self_);
  }

 private:
  void answer(const InferAnswer& answer, const std::string& id) {
    finish(status_after([&] {
      if (answer.failure.has_value()) throw Failure(*answer.failure);
      response_ = response_bytes(answer, id, false);
    }));
  }

  void finish(const grpc::Status& status) {
    record_->answered(status.error_code(), status.ok() ? response_.Length() : 0);
    Finish(status);
  }

  RpcContext& context_;
  grpc::ByteBuffer& response_;
  std::optional<RpcRecord> record_;
  bool entered_ = false;
  CancelOnce cancel_;
  std::shared_ptr<InferUnary> self_;
};

class InferStream : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                    public OpenStream,
                    public std::enable_shared_from_this<InferStream> {
 public:
  InferStream(RpcContext& context, const grpc::CallbackServerContext& call)
      : context_(context), call_(call), deadline_(deadline_of(call)) {}

  void start() {
    self_ = shared_from_this();
    const grpc::Status status = status_after([&] {
      context_.authorize(call_);
      context_.enter();
      entered_ = true;
    });
    if (!status.ok()) {
      RpcRecord(context_, call_, kStreamPath, 0).answered(status.error_code(), 0);
      finished_ = true;
      Finish(status);
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      go_on();
    }
    context_.add(*this);
  }

  void end() override {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    go_on();
  }

  void OnReadDone(bool ok) override {
    std::shared_ptr<Asked> asked;
    if (ok) asked = std::make_shared<Asked>(context_, call_, in_.Length());
    {
      const std::lock_guard lock(mutex_);
      all_read_ = all_read_ || !ok;
      if (ok) asked_.push_back(asked);
    }
    if (ok) ask(asked);
    const std::lock_guard lock(mutex_);
    reading_ = false;
    go_on();
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    if (!ok) {  // nobody takes answers any more
      all_read_ = true;
      asked_.clear();
    }
    go_on();
  }

  void OnCancel() override {
    std::deque<std::shared_ptr<Asked>> asked;
    {
      const std::lock_guard lock(mutex_);
      asked = asked_;
    }
    for (const std::shared_ptr<Asked>& each : asked) each->cancel.cancel();
  }

  void OnDone() override {
    if (entered_) {
      context_.remove(*this);
      context_.leave();
    }
    const std::shared_ptr<InferStream> last = std::move(self_);
  }

 private:
  struct Asked {
    Asked(const RpcContext& context, const grpc::CallbackServerContext& call, size_t bytes_in)
        : record(context, call, kStreamPath, bytes_in) {}
    RpcRecord record;
    CancelOnce cancel;
    std::optional<grpc::ByteBuffer> reply;
  };

  void ask(const std::shared_ptr<Asked>& asked) {
    std::string id;
    try {
      const RequestMessage message = parse_request(in_);
      id = message->id();
      asked->cancel.set(
          infer_message(context_, message, asked->record, deadline_,
                        [self = self_, asked, id](const InferAnswer& answer) { self->answer(*asked, answer, id); }));
    } catch (const std::exception&) {
      refuse(*asked, current_failure(), id);
    }
  }

  void answer(Asked& asked, const InferAnswer& answer, const std::string& id) {
    try {
      if (answer.failure.has_value()) throw Failure(*answer.failure);
      reply(asked, grpc::StatusCode::OK, response_bytes(answer, id, true));
    } catch (const std::exception&) {
      refuse(asked, current_failure(), id);
    }
  }

  void refuse(Asked& asked, const Failure& failure, const std::string& id) {
    reply(asked, status_code(failure.code()), error_bytes(failure, id));
  }

  void reply(Asked& asked, grpc::StatusCode status, const grpc::ByteBuffer& bytes) {
    const std::lock_guard lock(mutex_);
    asked.record.answered(status, bytes.Length());
    asked.reply = bytes;  // shares the slices
    go_on();
  }

  /// Does what can be done next; with `mutex_`.
  void go_on() {
    if (finished_) return;
    if (!writing_ && !asked_.empty() && asked_.front()->reply.has_value()) {
      out_ = *asked_.front()->reply;
      asked_.pop_front();
      writing_ = true;
      StartWrite(&out_);
    }
    if (!reading_ && !all_read_ && !ending_ && asked_.size() < kMostAsked) {
      reading_ = true;
      StartRead(&in_);
    }
    if (writing_ || !asked_.empty() || (!all_read_ && !ending_)) return;
    finished_ = true;
    Finish(all_read_ ? grpc::Status::OK : status_of({Code::kUnavailable, "the server is asked to stop"}));
  }

  RpcContext& context_;
  const grpc::CallbackServerContext& call_;
  const std::optional<Clock::time_point> deadline_;
  bool entered_ = false;
  std::mutex mutex_;
  std::deque<std::shared_ptr<Asked>> asked_;  // what was read and not yet written, in order
  grpc::ByteBuffer in_;
  grpc::ByteBuffer out_;
  bool reading_ = false;   // `in_` is used
  bool writing_ = false;   // `out_` is used
  bool all_read_ = false;  // nothing comes any more
  bool ending_ = false;    // nothing is to be read any more
  bool finished_ = false;
  std::shared_ptr<InferStream> self_;
};

}  // namespace

grpc::ServerUnaryReactor* start_infer(RpcContext& context, grpc::CallbackServerContext& call, grpc::ByteBuffer& request,
                                      grpc::ByteBuffer& response) {
  const auto reactor = std::make_shared<InferUnary>(context, response);
  reactor->start(call, request);
  return reactor.get();
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* start_stream(RpcContext& context,
                                                                          grpc::CallbackServerContext& call) {
  const auto reactor = std::make_shared<InferStream>(context, call);
  reactor->start();
  return reactor.get();
}

}  // namespace coracle::serve
