// SPDX-License-Identifier: Apache-2.0
#include "serve/grpc/health_service.h"

#include <grpcpp/alarm.h>

#include <memory>
#include <utility>

#include "serve/grpc/rpc_record.h"
#include "serve/grpc/rpc_status.h"

namespace coracle::serve {
namespace {

using grpc::health::v1::HealthCheckResponse;

/// How often readiness is looked at for those who watch it.
constexpr std::chrono::milliseconds kLook{250};

HealthCheckResponse::ServingStatus serving_status(const RpcContext& context, const std::string& service) {
  if (!service.empty() && service != "inference.GRPCInferenceService") return HealthCheckResponse::SERVICE_UNKNOWN;
  return context.operations.ready() ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING;
}

class HealthWatch : public grpc::ServerWriteReactor<HealthCheckResponse>,
                    public OpenStream,
                    public std::enable_shared_from_this<HealthWatch> {
 public:
  HealthWatch(RpcContext& context, std::string service) : context_(context), service_(std::move(service)) {}

  void start() {
    self_ = shared_from_this();
    const grpc::Status status = status_after([&] {
      context_.enter();
      entered_ = true;
    });
    if (!status.ok()) {
      finished_ = true;
      Finish(status);
      return;
    }
    look();
    context_.add(*this);
  }

  void end() override {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    finish();
  }
  void OnCancel() override { end(); }
  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    ending_ = ending_ || !ok;
    if (ending_) finish();
  }
  void OnDone() override {
    {
      const std::lock_guard lock(mutex_);
      alarm_.Cancel();
    }
    if (entered_) {
      context_.remove(*this);
      context_.leave();
    }
    const std::shared_ptr<HealthWatch> last = std::move(self_);
  }

 private:
  /// Says what has changed, and looks again later.
  void look() {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    const HealthCheckResponse::ServingStatus status = serving_status(context_, service_);
    if (!writing_ && (!said_ || status != response_.status())) {
      said_ = writing_ = true;
      response_.set_status(status);
      StartWrite(&response_);
    }
    alarm_.Set(std::chrono::system_clock::now() + kLook, [self = shared_from_this()](bool) { self->look(); });
  }

  /// With `mutex_`, and once nothing is written.
  void finish() {
    if (writing_ || finished_) return;
    finished_ = true;
    response_.set_status(HealthCheckResponse::NOT_SERVING);
    StartWriteAndFinish(&response_, grpc::WriteOptions(),
                        status_of({Code::kUnavailable, "the server is asked to stop"}));
  }

  RpcContext& context_;
  const std::string service_;
  bool entered_ = false;
  std::mutex mutex_;
  grpc::Alarm alarm_;
  HealthCheckResponse response_;
  bool said_ = false;
  bool writing_ = false;
  bool ending_ = false;
  bool finished_ = false;
  std::shared_ptr<HealthWatch> self_;
};

}  // namespace

grpc::ServerUnaryReactor* HealthService::Check(grpc::CallbackServerContext* call,
                                               const grpc::health::v1::HealthCheckRequest* request,
                                               HealthCheckResponse* response) {
  RpcRecord record(context_, *call, "/grpc.health.v1.Health/Check", request->ByteSizeLong());
  record.add_trace(*call);
  grpc::ServerUnaryReactor* const reactor = call->DefaultReactor();
  response->set_status(serving_status(context_, request->service()));
  const grpc::Status status =
      response->status() == HealthCheckResponse::SERVICE_UNKNOWN
          ? status_of({Code::kNotFound, "there is no service '" + request->service().substr(0, 255) + "'"})
          : grpc::Status::OK;
  record.answered(status.error_code(), status.ok() ? response->ByteSizeLong() : 0);
  reactor->Finish(status);
  return reactor;
}

grpc::ServerWriteReactor<HealthCheckResponse>* HealthService::Watch(
    grpc::CallbackServerContext*, const grpc::health::v1::HealthCheckRequest* request) {
  const auto reactor = std::make_shared<HealthWatch>(context_, request->service());
  reactor->start();
  return reactor.get();
}

}  // namespace coracle::serve
