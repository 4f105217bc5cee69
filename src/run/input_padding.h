// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/tensor.h"
#include "graph/model_info.h"

namespace coracle::internal {

/// Inputs of runs are padded up to sizes that the user names, so that few sizes are planned and recorded, and results
/// are cut back to the sizes that follow from the inputs as they are.
class InputPadding {
 public:
  /// The shapes of outputs for such shapes of inputs; sizes that depend on data are unknown. Throws Error.
  using ResultShapes = std::function<std::vector<Shape>(const std::vector<Shape>& inputs)>;

  InputPadding() = default;
  /// `text` is "INPUT=SHAPE,INPUT=SHAPE:VALUE". A shape has a range of sizes, FIRST..LAST or FIRST..LAST/STEP, for each
  /// dimension that is padded, and a number or "?" for others; VALUE, a whole number, is what is
  /// added, 0 without. Throws Error.
  InputPadding(std::string_view text, const std::vector<TensorInfo>& inputs, const std::vector<TensorInfo>& outputs);

  /// The inputs of a run, padded. Throws Error for one that cannot be.
  std::vector<Tensor> padded(const std::vector<Tensor>& inputs) const;
  /// The shapes that results are cut to; none where no input is padded. Throws Error where they depend on data, and
  /// where the padding of several rows would lie in one dimension of a result.
  std::vector<Shape> own_shapes(const std::vector<Tensor>& inputs, const ResultShapes& result_shapes);

 private:
  struct Sizes {
    std::string text;  ///< dimensions with the same vary together; empty: none is padded
    int64_t first = 0;
    int64_t last = 0;
    int64_t step = 1;

    /// The least of the sizes that is as large, or what is larger than all.
    int64_t padded(int64_t size) const;
  };
  struct Rule {
    size_t input = 0;
    std::vector<Sizes> sizes;  ///< by dimension
    int64_t value = 0;
  };

  void add_rule(std::string_view text);
  /// With the dimensions padded that have ranges of this text; empty: all.
  std::vector<Shape> padded(const std::vector<Shape>& inputs, std::string_view text) const;
  /// With dimension `axis` twice as large, wherever an input has the same there that it may choose; none otherwise.
  std::vector<Shape> with_more_rows(const std::vector<Shape>& inputs, size_t input, int axis) const;
  std::vector<Shape> found_shapes(const std::vector<Shape>& inputs, const ResultShapes& result_shapes) const;

  std::vector<TensorInfo> inputs_;
  std::vector<TensorInfo> outputs_;
  std::vector<Rule> rules_;
  std::map<std::string, std::vector<Shape>> found_;  ///< by the shapes of inputs
};

/// The front part of a result, of that shape. Throws Error where it is larger in some dimension.
Tensor front_part(const Tensor& result, const Shape& shape);

}  // namespace coracle::internal
