// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "files.h"
#include "program.h"
#include "support/npy.h"
#include "support/program_writer.h"

// What goes wrong ends in one message that names what is meant, the documented exit code and no results.
namespace coracle::internal {
namespace {

using test::expect_failure;
using test::OpWriter;

constexpr int kRunFailure = 1;
constexpr int kUsage = 2;
constexpr int kInvalidModel = 3;
constexpr int kUnsupported = 4;
constexpr int kIo = 5;
constexpr int kOutOfMemory = 6;

class Failures : public testing::Test {
 protected:
  std::string npy(const std::string& name, const Tensor& tensor) const {
    const std::string path = folder_.path(name);
    test::write_npy(path, tensor);
    return path;
  }
  static Tensor floats(const Shape& shape) {
    Tensor t = Tensor::make(DType::kFloat32, shape);
    std::fill_n(t.data<float>(), shape.count(), 0.0F);
    return t;
  }

  const test::TemporaryFolder folder_;
  const std::string product_ = test::write_model(folder_, test::product_model());
  const std::string picture_ = test::write_model(folder_, test::picture_model());
  const std::string sequence_ = test::write_model(folder_, test::sequence_model());
};

TEST_F(Failures, Usage) {
  expect_failure({}, kUsage, {"subcommand", "--help"});
  expect_failure({"walk", product_}, kUsage,
                 {"no command 'walk'", "run, inspect, explain, optimize, opt, bench, profile"});
  expect_failure({"run"}, kUsage, {"model"});
  expect_failure({"run", product_, "--frequency", "3"}, kUsage, {"--frequency"});
  expect_failure({"run", product_, product_}, kUsage, {product_});
  expect_failure({"run", product_, "--threads", "-1"}, kUsage, {"--threads", "-1", "1024"});
  expect_failure({"run", product_, "--threads", "many"}, kUsage, {"--threads", "many"});
  expect_failure({"run", product_, "--threads", "5000"}, kUsage, {"--threads", "5000"});
  expect_failure({"bench", product_, "--repeat", "0"}, kUsage, {"--repeat", "0"});
  expect_failure({"run", product_, "--isa", "sse9"}, kUsage, {"'sse9'", "this machine"});
  expect_failure({"run", product_, "--weights", "borrowed"}, kUsage, {"'borrowed'", "automatic, copied, mapped"});
  expect_failure({"run", product_, "--memory-limit", "lots"}, kUsage, {"--memory-limit", "lots"});
  expect_failure({"run", product_, "--disable-passes", "no_such_pass"}, kUsage,
                 {"no pass 'no_such_pass'", "dead_code"});
}

TEST_F(Failures, OfTailor) {
  const std::string saved = folder_.path("saved.coracle");
  const std::string to = folder_.path("small");
  ASSERT_EQ(test::coracle_program({"optimize", product_, "-o", saved}).code, 0);
  expect_failure({"tailor", product_, "-o", to}, kUsage, {product_, "is not a saved model", "coracle optimize"});
  expect_failure({"tailor", folder_.path("none.coracle"), "-o", to}, kIo, {"no such model", "none.coracle"});
  expect_failure({"tailor", saved, "-o", to, "--shape", "other.coracle:x=1,2"}, kUsage,
                 {"--shape other.coracle:x=1,2", "none of the models"});
  expect_failure({"tailor", saved, "-o", to, "--source", folder_.path("nothing")}, kIo,
                 {"nothing", "is not Coracle's source"});
  expect_failure({"tailor", saved, "-o", to, "--isa", "sse9"}, kUsage, {"'sse9'"});
}

TEST_F(Failures, UnsupportedOperatorsAreListedTogether) {
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {1}, 0);
  main.operators.push_back(OpWriter("teleport").in("X", {"x"}).out("Out", {"a"}));
  main.operators.push_back(OpWriter("py_func").in("X", {"a"}).out("Out", {"b"}));
  main.operators.push_back(OpWriter("teleport").in("X", {"b"}).out("Out", {"c"}));
  main.operators.push_back(OpWriter("levitate").in("X", {"c"}).out("Out", {"d"}));
  test::add_fetch(main, "d", 0);
  const std::string path = folder_.write("unsupported.pdmodel", test::program_file({main}));
  expect_failure({"run", path}, kUnsupported, {"teleport (2 times)", "py_func (1 time)", "levitate (1 time)"});
  const test::Outcome outcome = test::coracle_program({"inspect", path});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("not supported\n"), std::string::npos) << outcome.out;
  for (const char* name : {"2  teleport: ", "1  py_func: ", "1  levitate: "}) {
    EXPECT_NE(outcome.out.find(name), std::string::npos) << name << " in " << outcome.out;
  }
}

TEST_F(Failures, ModelFiles) {
  expect_failure({"run", folder_.path("nothing")}, kIo, {"no such model", "nothing"});
  expect_failure({"run", product_, "--params", folder_.path("nothing")}, kIo,
                 {"no such parameter file: '" + folder_.path("nothing")});
  expect_failure({"run", folder_.path()}, kUsage, {"several models", "product.pdmodel"});
  std::filesystem::create_directory(folder_.path("empty"));
  expect_failure({"run", folder_.path("empty")}, kIo, {"no model in the folder", "__model__", "*.pdmodel"});
  const test::ModelBytes bytes = test::product_model();
  const std::string cut = folder_.write("cut", bytes.params.substr(0, bytes.params.size() - 3));
  expect_failure({"run", product_, "--params", cut}, kInvalidModel,
                 {"parameter 'w'", "cut", "float32[2, 2]", "ends within", "13 bytes"});
  const std::string none = folder_.write("none", "");
  expect_failure({"run", product_, "--params", none}, kInvalidModel, {"'w' is missing", "0 of 1 parameters"});
  const std::string longer = folder_.write("longer", bytes.params + bytes.params);
  expect_failure({"run", product_, "--params", longer}, kInvalidModel, {"longer", "more than", "another model"});
  const std::string other = folder_.path("picture.pdiparams");
  expect_failure({"run", product_, "--params", other}, kInvalidModel,
                 {"parameter 'w'", "picture.pdiparams", "the file has float32[1, 3, 1, 1]",
                  "the program expects float32[2, 2]", "another model"});
  const std::string damaged = folder_.write("damaged.pdmodel", bytes.program.substr(0, 57));
  expect_failure({"run", damaged}, kInvalidModel, {"damaged.pdmodel"});
  expect_failure({"inspect", folder_.write("text.json", "{\"a\": 1}")}, kInvalidModel, {"text.json"});
}

TEST_F(Failures, ForeignFiles) {
  const std::string onnx = folder_.write("m/net.onnx", "\x08\x08\x12\x07pytorch");
  expect_failure({"inspect", onnx}, kInvalidModel, {"is an ONNX model", "onnxruntime"});
  expect_failure({"run", folder_.path("m")}, kIo, {"no model in the folder", "'net.onnx', which is an ONNX model"});
  const std::string pointer = folder_.write("pointer", "version https://git-lfs.github.com/spec/v1\nsize 3\n");
  expect_failure({"run", product_, "--params", pointer}, kInvalidModel, {"a Git LFS pointer", "git lfs pull"});
  folder_.write("broken/inference.json", R"({"base_code": {"magic": "pir", )");
  expect_failure({"inspect", folder_.path("broken")}, kInvalidModel, {"inference.json' is damaged at byte 31"});
}

TEST_F(Failures, WhatIsTakenOfAFolderIsSaid) {
  const test::ModelBytes bytes = test::product_model();
  folder_.write("two/inference.pdmodel", bytes.program);
  folder_.write("two/model.pdmodel", bytes.program);
  const test::Outcome outcome = test::coracle_program({"inspect", folder_.path("two")});
  EXPECT_NE(outcome.out.find("inference.pdmodel\nnot taken   model.pdmodel"), std::string::npos) << outcome.out;
}

TEST_F(Failures, InputNames) {
  const std::string x = npy("x.npy", floats({1, 2}));
  expect_failure({"run", product_, "--input", "y=" + x}, kUsage, {"no input 'y'", "its inputs are: x"});
  expect_failure({"run", product_, "--shape", "y=1,2"}, kUsage, {"no input 'y'", "its inputs are: x"});
  expect_failure({"run", product_, "--lod", "y=0,1"}, kUsage, {"no input 'y'", "its inputs are: x"});
  expect_failure({"run", product_, "--input", x}, kUsage, {"NAME=VALUE"});
  expect_failure({"run", product_, "--input", "x=" + x, "--input", "x=" + x}, kUsage, {"twice", "'x'"});
  expect_failure({"run", picture_}, kUsage,
                 {"input 'x' is missing", "float32[?, 3, ?, ?]", "--input x=", "--shape x="});
}

TEST_F(Failures, InputContents) {
  const auto given = [&](const std::string& file) {
    return std::vector<std::string>{"run", product_, "--input", "x=" + file};
  };
  Tensor whole = Tensor::make(DType::kInt64, {1, 2});
  std::fill_n(whole.data<int64_t>(), 2, 0);
  expect_failure(given(npy("int.npy", whole)), kUsage,
                 {"int64[1, 2]", "the input takes float32[?, 2]", "astype('float32')"});
  expect_failure(given(npy("rank.npy", floats({1, 1, 2}))), kUsage, {"float32[1, 1, 2]", "float32[?, 2]", "reshape"});
  expect_failure(
      given(npy("wide.npy", floats({1, 3}))), kUsage,
      {"matmul", "float32[1, 3]", "float32[2, 2]", "running with 'x' float32[1, 3]", "declares float32[?, 2]"});
  expect_failure(given(folder_.path("nothing.npy")), kIo, {"nothing.npy", "No such file"});
  expect_failure(given(folder_.write("text.npy", "hello")), kIo, {"text.npy", "NUMPY"});
  const std::string objects = "{'descr': '|O', 'fortran_order': False, 'shape': (1, 2), }";
  const auto length = static_cast<char>(objects.size());
  expect_failure(given(folder_.write("objects.npy", "\x93NUMPY\x01" + std::string({'\0', length, '\0'}) + objects)),
                 kIo, {"objects.npy", "its element type '|O' is not supported"});
  const std::string big_endian = "\x93NUMPY\x01";
  expect_failure(given(folder_.write("short.npy", big_endian)), kIo, {"short.npy"});
  expect_failure(given(folder_.write("x.csv", "1,2")), kUsage, {"x.csv", ".npy, .npz, .json, .bin, .png"});
  std::filesystem::create_directory(folder_.path("folder.npy"));
  expect_failure(given(folder_.path("folder.npy")), kIo, {"folder.npy", "directory"});
}

TEST_F(Failures, NumpyFiles) {
  const auto expect_damaged = [&](const std::string& header, const std::string& data, const std::string& part) {
    std::string content("\x93NUMPY\x01\x00", 8);
    content.push_back(static_cast<char>(header.size()));
    content.push_back('\0');
    const std::string path = folder_.write("damaged.npy", content + header + data);
    expect_failure({"run", product_, "--input", "x=" + path}, kIo, {"damaged.npy", part});
  };
  const std::string eight(8, 'x');
  expect_damaged("{'descr': '>f4', 'fortran_order': False, 'shape': (1, 2), }", eight, "'>f4'");
  expect_damaged("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }", eight, "8 bytes of data, expected 12");
  expect_damaged(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999, 99999999999999, 99999999999999), }", eight,
      "shorter than its shape");
  // 2^62 elements of 4 bytes are 0 bytes in 64 bits.
  expect_damaged("{'descr': '<f4', 'fortran_order': True, 'shape': (2147483648, 2147483648), }", "", "shorter");
  expect_damaged("{'descr': '<f4', 'fortran_order': True, 'shape': (4294967296, 1073741824, 1), }", "", "shorter");
  expect_damaged("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", eight, "too large");
  expect_damaged("{'descr': '<f4', 'fortran_order': False, 'shape': (1, -2), }", eight, "(1, -2)");
  expect_damaged("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2.5), }", eight, "commas");
  expect_damaged("{'descr': '<f4', 'fortran_order': False, 'shape': (1; 2), }", eight, "commas");
  expect_damaged("{'descr': '<f4', 'fortran_order': False, 'shape': (1, x2), }", eight, "integers");
  expect_damaged("{'descr': '<f4', 'fortran_order': False, 'shape': [1, 2], }", eight, "tuple");
  expect_damaged("{'descr': '<f4', 'shape': (1, 2), }", eight, "'fortran_order'");
  expect_damaged("{'descr'", eight, "header");
}

TEST_F(Failures, Pictures) {
  const auto given = [&](const std::string& model, const std::string& file) {
    return std::vector<std::string>{"run", model, "--input", "x=" + file};
  };
  const std::string png = folder_.path("small.png");
  test::write_png(png, 2, 2, {1, 2, 3});
  expect_failure(given(product_, png), kUsage, {"small.png", "float32[?, 2]", ".npy"});
  expect_failure(given(picture_, folder_.path("none.png")), kIo, {"none.png", "No such file"});
  expect_failure(given(picture_, folder_.write("text.png", "not a picture")), kIo,
                 {"text.png", "neither a PNG nor a JPEG, BMP or WebP"});
  // What a header says of the size costs nothing to write: no memory is taken for it.
  std::ifstream small(png, std::ios::binary);
  std::string huge(std::istreambuf_iterator<char>(small), {});
  const std::string side("\x00\x00\x60\x00", 4);
  huge.replace(16, 8, side + side);
  const auto crc = static_cast<uint32_t>(crc32(0, reinterpret_cast<const unsigned char*>(huge.data()) + 12, 17));
  for (size_t i = 0; i < 4; ++i) huge[29 + i] = static_cast<char>(crc >> (24 - 8 * i) & 0xFFU);
  expect_failure(given(picture_, folder_.write("huge.png", huge)), kIo,
                 {"huge.png", "24576 x 24576 pixels", "a file of", "cannot hold it"});
  huge.append(size_t{1} << 20, '\0');
  expect_failure(given(picture_, folder_.write("huge.png", huge)), kIo,
                 {"huge.png", "24576 x 24576 pixels", "at most 134217728"});
  const std::string jpg = folder_.path("small.jpg");
  test::write_jpeg(jpg, 32, 32, {1, 2, 3});
  std::filesystem::resize_file(png, std::filesystem::file_size(png) - 20);
  expect_failure(given(picture_, png), kIo, {"small.png"});
  std::filesystem::resize_file(jpg, std::filesystem::file_size(jpg) - 20);
  expect_failure(given(picture_, jpg), kIo, {"small.jpg"});
}

TEST_F(Failures, Shapes) {
  const auto given = [&](const std::string& shape) {
    return std::vector<std::string>{"run", product_, "--shape", "x=" + shape};
  };
  for (const char* text :
       {"1,", ",2", "1,,2", "1;2", "1,x", "-1,2", "1, 2", "[1,2", "1x2,3", "[1,]", "99999999999999999999"}) {
    expect_failure(given(text), kUsage, {"--shape x=", text, "integers"});
  }
  expect_failure(given("2"), kUsage, {"input 'x'", "2 dimensions", "[?, 2]", "[2]"});
  expect_failure(given("1,3"), kUsage, {"matmul", "running with 'x' float32[1, 3]"});
  expect_failure({"inspect", product_, "--shape", "x=1,3"}, kUsage, {"matmul", "'x' float32[1, 3]"});
  expect_failure(given("4294967296,4294967296,4294967296"), kUsage, {"too large"});
  expect_failure({"run", picture_, "--shape", "x=1,4,5,5"}, kUsage,
                 {"conv2d", "x [1, 4, 5, 5] has 4 channels", "expects 3", "filter float32[1, 3, 1, 1]"});
}

TEST_F(Failures, PipesAndDevicesAreNotWaitedFor) {
  const std::string fifo = folder_.path("pipe.npy");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::string device = folder_.path("zeros.npy");
  ASSERT_EQ(::symlink("/dev/zero", device.c_str()), 0);
  for (const std::string& path : {fifo, device}) {
    expect_failure({"run", product_, "--input", "x=" + path}, kIo, {path});
    expect_failure({"inspect", path}, kIo, {path});
    expect_failure({"run", product_, "--params", path, "--shape", "x=1,2"}, kIo, {path});
  }
}

TEST_F(Failures, SequenceOffsets) {
  const auto given = [&](const std::string& lod) {
    return std::vector<std::string>{"run", sequence_, "--shape", "x=5,1", "--lod", "x=" + lod};
  };
  for (const char* text : {"", "0,2,5/", "0,x", "0,-1"}) expect_failure(given(text), kUsage, {"--lod x=", "expected"});
  expect_failure(given("1,5"), kUsage, {"input 'x'", "begin with 0"});
  expect_failure(given("0,3,2,5"), kUsage, {"input 'x'", "must not decrease"});
  expect_failure(given("0,2,4"), kUsage, {"input 'x'", "end with 4, expected 5"});
  expect_failure(given("0,3/0,2,5"), kUsage, {"input 'x'", "level 0", "end with 3, expected 2"});
}

TEST_F(Failures, Memory) {
  expect_failure({"run", picture_, "--shape", "x=1,3,100,100", "--memory-limit", "1000"}, kOutOfMemory,
                 {"the memory limit is 1000"});
#ifndef CORACLE_SANITIZED  // whose operator new ends the program
  expect_failure({"run", picture_, "--shape", "x=1,3,99999999,999999"}, kOutOfMemory,
                 {"float32[1, 3, 99999999, 999999]"});
#endif
}

#ifndef CORACLE_SANITIZED  // which takes more address space than any limit
/// A limit of this process's address space, which its children have too.
class AddressSpaceLimit {
 public:
  explicit AddressSpaceLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_AS, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  ~AddressSpaceLimit() { ::setrlimit(RLIMIT_AS, &before_); }
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;

 private:
  rlimit before_{};
};

/// Results as JSON are many times as large as they are: the limits are met while they are written.
TEST_F(Failures, MemoryForJson) {
  const std::vector<std::string> run = {"run",    product_,   "--shape",   "x=500000,2",
                                        "--json", "--values", "--threads", "1"};
  int refused = 0;
  for (rlim_t megabytes = 40; megabytes <= 104; megabytes += 8) {
    const test::Outcome outcome = [&] {
      const AddressSpaceLimit limit(megabytes << 20U);
      return test::coracle_program(run);
    }();
    constexpr int kNotStarted = 127;
    if (outcome.code == 0 || outcome.code == kNotStarted) continue;
    EXPECT_EQ(outcome.code, kOutOfMemory) << megabytes << " MB: " << outcome.err;
    EXPECT_EQ(outcome.out, "") << megabytes << " MB";
    ++refused;
  }
  EXPECT_GT(refused, 2);
}
#endif

TEST_F(Failures, RunsOnWrongData) {
  const test::ModelBytes bytes = test::small_program_models()[2];
  ASSERT_EQ(bytes.name, "sequences");
  const std::string model = test::write_model(folder_, bytes);
  Tensor words = bytes.inputs[0].clone();
  words.data<int64_t>()[3] = 10;
  expect_failure({"run", model, "--input", "words=" + npy("words.npy", words), "--lod", "words=0,3,5"}, kRunFailure,
                 {"out of range", "lookup_table"});
}

TEST_F(Failures, Outputs) {
  const std::string file = folder_.write("file", "");
  expect_failure({"run", product_, "--output-dir", file + "/below"}, kIo, {file + "/below", "cannot be made"});
  expect_failure({"run", product_, "--output-dir", file}, kIo, {file});
  expect_failure({"profile", product_, "-o", file + "/trace.json"}, kIo, {"trace.json", "cannot write"});
  expect_failure({"profile", product_, "-o", "/dev/full"}, kIo, {"/dev/full", "No space left"});
}

/// What bash makes of a line in which "$@" is the program with these arguments; all that it says is in `err`.
test::Outcome in_shell(const std::string& line, const std::vector<std::string>& arguments) {
  const test::TemporaryFolder folder;
  std::string script = "set -- '" CORACLE_PROGRAM "'";
  for (const std::string& a : arguments) script += " '" + a + "'";
  const std::string file = folder.write("script", script + "\n" + line + "\n");
  const std::string said = folder.path("said");
  const int status = std::system(("bash '" + file + "' 2>'" + said + "'").c_str());
  std::ifstream all(said);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          {},
          {std::istreambuf_iterator<char>(all), std::istreambuf_iterator<char>()}};
}

TEST_F(Failures, StandardStreamsThatCannotBeWritten) {
  const std::vector<std::string> shape = {"--shape", "x=1,2"};
  const auto with = [](std::vector<std::string> command, const std::vector<std::string>& more) {
    command.insert(command.end(), more.begin(), more.end());
    return command;
  };
  const std::vector<std::vector<std::string>> commands = {
      with({"run", product_}, shape),
      with({"run", product_, "--json"}, shape),
      {"inspect", product_},
      {"inspect", product_, "--json"},
      with({"explain", product_}, shape),
      with({"bench", product_, "--repeat", "1"}, shape),
      with({"profile", product_, "--repeat", "1"}, shape),
      with({"optimize", product_, "-o", folder_.path("saved.coracle")}, shape),
      {"graph", product_},
      {"devices"},
      {"completion", "bash"},
      {"manual", "coracle"},
      {"--help"},
      {"run", "--help"},
      {"--version"},
  };
  const std::string run = "\"$@\" ";
  for (const std::vector<std::string>& command : commands) {
    std::string name;
    for (const std::string& a : command) name += a + " ";
    SCOPED_TRACE(name);
    for (const char* lost : {"2>/dev/full", "2>&-", "2> >(true)"}) {
      EXPECT_EQ(in_shell(run + ">/dev/null " + lost, command).code, 0) << lost;
    }
    for (const char* lost : {">/dev/full", ">&-", ">/dev/full 2>/dev/full", ">&- 2>&-", ">/dev/full 2>&-"}) {
      EXPECT_EQ(in_shell(run + lost, command).code, kIo) << lost;
    }
    const test::Outcome full = in_shell(run + ">/dev/full", command);
    EXPECT_NE(full.err.find("standard output"), std::string::npos) << full.err;
    EXPECT_EQ(std::count(full.err.begin(), full.err.end(), '\n'), 1) << full.err;
    const test::Outcome head = in_shell(run + "| true; exit ${PIPESTATUS[0]}", command);
    EXPECT_EQ(head.code, 0);
    EXPECT_EQ(head.err, "");
  }
  for (const char* lost : {"2>/dev/full", "2>&-", ">&- 2>&-", "2> >(true)"}) {
    EXPECT_EQ(in_shell(run + lost, {"run", "nowhere"}).code, kIo) << lost;
    EXPECT_EQ(in_shell(run + lost, {"walk"}).code, kUsage) << lost;
    EXPECT_EQ(in_shell(run + lost, {"run", product_, "--isa", "sse9"}).code, kUsage) << lost;
  }
}

/// While it lives, files of this process and of programs it starts do not grow beyond so many bytes: writing fails.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(Failures, WritesThatFailHalfway) {
  const std::vector<std::string> run = {"run", product_, "--shape", "x=1024,2", "--output-dir", folder_.path("out")};
  constexpr rlim_t kFile = 128 + 1024 * 2 * sizeof(float);  // of one result
  const auto expect_failures = [&] {
    for (rlim_t bytes : {rlim_t{512}, rlim_t{4096}, kFile - 1}) {
      const FileSizeLimit limit(bytes);
      expect_failure(run, kIo, {".npy", "cannot write", "File too large"});
    }
  };
  expect_failures();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path("out")));
  // What a run before left stays, behind a link and with its permissions, and nothing lies beside it.
  std::filesystem::create_directory(folder_.path("store"));
  const std::string old = folder_.write("store/old", "an old result");
  ::chmod(old.c_str(), 0640);
  std::filesystem::create_symlink(old, folder_.path("out/0.npy"));
  expect_failures();
  EXPECT_EQ(std::filesystem::file_size(old), std::string("an old result").size());
  const FileSizeLimit limit(kFile);
  EXPECT_EQ(test::coracle_program(run).code, 0);
  EXPECT_EQ(std::filesystem::file_size(old), kFile);
  struct stat info {};
  EXPECT_EQ(::stat(old.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0640U);
  EXPECT_TRUE(std::filesystem::is_symlink(folder_.path("out/0.npy")));
  for (const auto& [folder, count] : {std::pair("out", 2), std::pair("store", 1)}) {
    const std::filesystem::directory_iterator files(folder_.path(folder));
    EXPECT_EQ(std::distance(begin(files), end(files)), count) << folder;
  }
}

}  // namespace
}  // namespace coracle::internal
