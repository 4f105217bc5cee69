// SPDX-License-Identifier: Apache-2.0
// How long the steps of a run took.
#include "api/guard.h"
#include "api/handles.h"
#include "api/json_field.h"
#include "api/thread_text.h"
#include "run/profile.h"

namespace coracle::internal {
namespace {

std::string profile_text(const Profile& profile) {
  return json_text([&](JsonWriter& w) {
    w.StartArray();
    for (const ProfileEvent& e : profile) {
      w.StartObject();
      field(w, "node", e.node);
      field(w, "op", e.op);
      field(w, "kernel", e.kernel);
      field(w, "output", e.outputs);
      field(w, "start_ns", e.start_ns);
      field(w, "duration_ns", e.duration_ns);
      field(w, "flops", e.flops);
      field(w, "bytes", e.bytes);
      field(w, "waited_ns", e.waited_ns);
      if (!e.device.empty()) field(w, "device", e.device);
      w.objects("helpers", e.helpers, [&](const ProfileEvent::Helper& h) {
        field(w, "thread", int64_t{h.thread});
        field(w, "start_ns", h.start_ns);
        field(w, "duration_ns", h.duration_ns);
        field(w, "busy_ns", h.busy_ns);
      });
      w.EndObject();
    }
    w.EndArray();
  });
}

}  // namespace
}  // namespace coracle::internal

using coracle::internal::guard;
using coracle::internal::require_pointer;

extern "C" {

coracle_status coracle_session_set_profiling(coracle_session* session, int32_t on) {
  return guard([&] {
    require_pointer(session, "session");
    session->session.set_profiling(on != 0);
  });
}

coracle_status coracle_session_profile(const coracle_session* session, const char** json) {
  return guard([&] {
    require_pointer(session, "session");
    require_pointer(json, "json");
    *json = coracle::internal::kept_text(coracle::internal::profile_text(session->session.profile()));
  });
}

}  // extern "C"
