// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "../paddle_infer_declare.h"
#include "types.h"

namespace paddle {

using PaddleDType = paddle_infer::DataType;
using PaddlePlace = paddle_infer::PlaceType;
using PaddleDataLayout = paddle_infer::DataLayout;

/// Bytes of a PaddleTensor: its own, or the caller's.
class PD_INFER_DECL PaddleBuf {
 public:
  PaddleBuf() = default;
  explicit PaddleBuf(size_t length) { Resize(length); }
  /// Memory that stays the caller's.
  PaddleBuf(void* data, size_t length) : owned_(false), data_(data), length_(length) {}
  /// A copy has memory of its own.
  PaddleBuf(const PaddleBuf& other) { copy(other); }
  PaddleBuf& operator=(const PaddleBuf& other) {
    if (this != &other) copy(other);
    return *this;
  }
  PaddleBuf(PaddleBuf&& other) noexcept { take(other); }
  PaddleBuf& operator=(PaddleBuf&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  ~PaddleBuf() = default;

  /// Makes room for `length` bytes; the caller's memory cannot grow.
  void Resize(size_t length) {
    if (owned_) {
      memory_.resize(length);
      data_ = memory_.data();
    } else {
      detail::require(length <= length_, "PaddleBuf: the caller's memory of ", length_, " bytes is too small for ",
                      length);
    }
    length_ = length;
  }
  void Reset(void* data, size_t length) {
    memory_.clear();
    owned_ = false;
    data_ = data;
    length_ = length;
  }
  bool empty() const { return length_ == 0; }
  void* data() const { return data_; }
  size_t length() const { return length_; }

 private:
  void copy(const PaddleBuf& other) {
    std::vector<char> memory(other.length_);
    if (other.length_ != 0) std::memcpy(memory.data(), other.data_, other.length_);
    memory_.swap(memory);
    owned_ = true;
    data_ = memory_.data();
    length_ = other.length_;
  }
  void take(PaddleBuf& other) noexcept {
    memory_.swap(other.memory_);
    owned_ = other.owned_;
    data_ = owned_ ? memory_.data() : other.data_;
    length_ = other.length_;
    other.memory_.clear();
    other.owned_ = true;
    other.data_ = nullptr;
    other.length_ = 0;
  }

  std::vector<char> memory_;
  bool owned_ = true;
  void* data_ = nullptr;
  size_t length_ = 0;
};

/// An input or result of PaddlePredictor::Run.
struct PD_INFER_DECL PaddleTensor {
  std::string name;
  std::vector<int> shape;
  PaddleBuf data;
  PaddleDType dtype = paddle_infer::FLOAT32;
  std::vector<std::vector<size_t>> lod;
};

/// Bytes of an element.
inline int PaddleDtypeSize(PaddleDType dtype) {
  return static_cast<int>(coracle_dtype_size(detail::library_type(dtype)));
}

}  // namespace paddle
