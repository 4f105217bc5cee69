// SPDX-License-Identifier: Apache-2.0
#include "client/npy.h"

#include <gtest/gtest.h>

#include <random>

#include "support/archive_writer.h"
#include "tensors.h"

namespace coracle::client {
namespace {

/// A file with that header and these bytes behind it.
std::string npy(const std::string& header, const std::string& data, const std::string& version = "\x01") {
  const auto size = static_cast<char>(header.size());
  return "\x93NUMPY" + version + std::string("\0", 1) + size + std::string(version == "\x01" ? 1 : 3, '\0') + header +
         data;
}

std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
}

TEST(Npy, WhatIsWrittenIsRead) {
  for (const Tensor& t :
       {tensor<float>(CORACLE_FLOAT32, {2, 2}, {1, 2, 3, 4}), tensor<int64_t>(CORACLE_INT64, {3}, {7, 8, 9}),
        tensor<uint8_t>(CORACLE_BOOL, {1, 2}, {0, 1}), tensor<double>(CORACLE_FLOAT64, {}, {0.5}),
        tensor<float>(CORACLE_COMPLEX64, {1}, {1, 2}), zeros(CORACLE_INT16, {0, 5})}) {
    const std::string bytes = npy_bytes(t);
    const Tensor read = parse_npy("x.npy", bytes);
    EXPECT_EQ(read.dtype, t.dtype);
    EXPECT_EQ(read.dims, t.dims);
    EXPECT_EQ(read.bytes, t.bytes);
    EXPECT_EQ((bytes.size() - t.bytes.size()) % 64, 0U) << "data begin where they are aligned";
  }
}

TEST(Npy, TypesThatNumPyDoesNotHave) {
  EXPECT_STREQ(npy_bits(CORACLE_BFLOAT16), "uint16");
  EXPECT_STREQ(npy_bits(CORACLE_FLOAT8_E5M2), "uint8");
  EXPECT_EQ(npy_bits(CORACLE_FLOAT16), nullptr);
  EXPECT_EQ(parse_npy("x", npy_bytes(zeros(CORACLE_FLOAT8_E4M3, {2}))).dtype, CORACLE_UINT8);
  EXPECT_EQ(parse_npy("x", npy_bytes(zeros(CORACLE_BFLOAT16, {2}))).dtype, CORACLE_BFLOAT16);
}

TEST(Npy, FortranOrderBecomesRows) {
  const Tensor t = parse_npy("x", npy(header("|u1", "(2, 3)", true), std::string("\0\3\1\4\2\5", 6)));
  EXPECT_EQ(t.bytes, tensor<uint8_t>(CORACLE_UINT8, {2, 3}, {0, 1, 2, 3, 4, 5}).bytes);
  EXPECT_EQ(parse_npy("x", npy(header("|u1", "(1,)"), "a", "\x02")).dims, (coracle::Dims{1})) << "format 2.0";
}

TEST(Npy, DamageIsNamed) {
  const auto refused = [](const std::string& content, const std::string& why) {
    expect_error([&] { parse_npy("x.npy", content); }, CORACLE_IO, {"x.npy: not a NumPy file", why});
  };
  refused("text", "does not begin with");
  refused(npy(header("<f4", "(2,)"), "1234"), "it has 4 bytes of data, expected 8");
  refused(npy(header("<f4", "(4611686018427387904, 4)"), "1234"), "shorter than its shape");
  refused(npy(header("<f4", "(99999999999999999999,)"), ""), "a dimension is too large");
  refused(npy(header("<f4", "(-1,)"), ""), "not a tuple of integers");
  refused(npy(header("<f4", "(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)"), "1234"), "too many dimensions");
  refused(npy(header("<U4", "(1,)"), "1234"), "its element type '<U4' is not supported");
  refused(npy(header("<V2", "(1,)"), "12"), "x.view('uint16') of bfloat16");
  refused(npy("{'descr': '<f4'}", ""), "no 'fortran_order'");
  refused(npy(header("<f4", "(1,)"), "1234").substr(0, 40), "the header ends early");
}

TEST(Npy, DamagedAnywhere) {
  std::mt19937 random(3);
  const std::string whole = npy_bytes(tensor<float>(CORACLE_FLOAT32, {2, 2}, {1, 2, 3, 4}));
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = whole;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    try {
      EXPECT_EQ(parse_npy("x", damaged).bytes.size(), 16U);
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), CORACLE_IO) << error.what();
    }
  }
}

TEST(Npz, ArraysByTheirNames) {
  const std::string x = npy_bytes(tensor<float>(CORACLE_FLOAT32, {1}, {2}));
  for (const bool deflate : {false, true}) {
    const NamedTensors all =
        parse_npz("a.npz", internal::test::zip_archive({{"x.npy", x}, {"readme", ""}, {"y.npy", x}}, deflate));
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].first, "x");
    EXPECT_EQ(all[1].first, "y");
    EXPECT_EQ(all[1].second.bytes, tensor<float>(CORACLE_FLOAT32, {1}, {2}).bytes);
  }
  expect_error([] { parse_npz("a.npz", "text"); }, CORACLE_IO, {"'a.npz' is damaged"});
  expect_error(
      [] {
        parse_npz("a.npz", internal::test::zip_archive({{"x.npy", "text"}}, true));
      },
      CORACLE_IO, {"a.npz: x.npy: not a NumPy file"});
}

}  // namespace
}  // namespace coracle::client
