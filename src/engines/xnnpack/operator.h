// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <xnnpack.h>

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "packed.h"

namespace coracle_xnnpack {

struct DeleteOperator {
  void operator()(xnn_operator_t op) const { xnn_delete_operator(op); }
};
using OwnedOperator = std::unique_ptr<xnn_operator, DeleteOperator>;

/// An operator of XNNPACK for any number of threads. What XNNPACK makes is set up and run by one thread at a time:
/// there are as many of these, with weights of their own, as have been in use at the same time.
class Operator {
 public:
  using Create = std::function<xnn_status(xnn_operator_t*)>;

  explicit Operator(Create create) : create_(std::move(create)) {}
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  /// Makes the first one, unless it is there. Throws Refused where XNNPACK does.
  void prepare();

  /// use(xnn_operator_t) with one that nobody else uses meanwhile. What a use has failed with is not used again.
  template <class Use>
  void lend(const Use& use) {
    OwnedOperator one = take();
    try {
      use(one.get());
    } catch (...) {
      forget();
      throw;
    }
    put(std::move(one));
  }

 private:
  OwnedOperator make() const;
  OwnedOperator take();
  void put(OwnedOperator one);
  void forget();

  Create create_;
  std::mutex mutex_;
  size_t made_ = 0;                  ///< idle or in use
  std::vector<OwnedOperator> idle_;  ///< with room for all that are made
};

/// The operator with these weights, the same one for all that ask for it while somebody has it: blocks of other sizes
/// share packed weights so. The filter and the bias stay while anybody has it. `made` says whether it is new.
std::shared_ptr<Operator> shared_operator(const Packed& packed, bool& made);

}  // namespace coracle_xnnpack
