// SPDX-License-Identifier: Apache-2.0
// What a session says of its plan and its runs.
#include "api/describe.h"
#include "api/guard.h"
#include "api/handles.h"
#include "api/thread_text.h"
#include "base/stack.h"
#include "graph/text.h"

using coracle::internal::guard;
using coracle::internal::require_pointer;

extern "C" {

coracle_status coracle_session_tensor(const coracle_session* session, const char* name, coracle_tensor_view* view) {
  return guard([&] {
    require_pointer(session, "session");
    require_pointer(name, "name");
    coracle::internal::fill_view(session->session.kept(name), view);
  });
}

coracle_status coracle_session_machine_limits(coracle_session* session, coracle_machine_limits* limits) {
  return guard([&] {
    require_pointer(session, "session");
    require_pointer(limits, "limits");
    const coracle::internal::MachineLimits measured = session->session.measure_limits();
    *limits = {measured.flops_per_second, measured.bytes_per_second};
  });
}

coracle_status coracle_session_explain(coracle_session* session, const char** json) {
  return guard([&] {
    require_pointer(session, "session");
    require_pointer(json, "json");
    const coracle::internal::Program& program = *session->session.model().program();
    coracle::internal::require_stack("planning a run");
    *json = coracle::internal::kept_text(
        coracle::internal::describe(*session->session.explain(), program.graph(), program.selector()));
  });
}

coracle_status coracle_session_graph_text(coracle_session* session, char** text) {
  return guard([&] {
    require_pointer(session, "session");
    require_pointer(text, "text");
    *text = coracle::internal::copied(
        coracle::internal::print(session->session.typed_graph(), coracle::internal::NodeNames::kAsComments));
  });
}

}  // extern "C"
