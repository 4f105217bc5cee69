// SPDX-License-Identifier: Apache-2.0

#include "api/enumerations.h"
#include "api/guard.h"
#include "api/handles.h"
#include "base/copy_bytes.h"
#include "base/counted.h"

namespace coracle::internal {

void fill_view(const Tensor& t, coracle_tensor_view* view) {
  require_pointer(view, "view");
  require(!t.is_array(), ErrorCode::kUnsupported, "the value is a tensor array, which cannot be read from outside");
  *view = {};
  view->data = t.raw();
  view->bytes = t.bytes();
  view->dtype = number_of(t.dtype());
  view->rank = t.shape().rank();
  int i = 0;
  for (int64_t d : t.shape()) view->dims[i++] = d;
  view->lod_levels = t.lod().size();
}

void copy_tensor(const Tensor& t, const std::string& name, void* data, size_t bytes) {
  require(bytes == t.bytes(), ErrorCode::kInvalidArgument, name, " has ", counted(t.bytes(), "byte"),
          ", given room for ", bytes);
  if (bytes == 0) return;
  require_pointer(data, "data");
  if (t.is_on_host()) {
    copy_bytes(data, t.raw(), bytes);
  } else {
    t.storage()->read(data, bytes);
  }
}

}  // namespace coracle::internal
