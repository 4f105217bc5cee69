// SPDX-License-Identifier: Apache-2.0
#include "serve/pictures.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <string>

#include "serve/picture_memory.h"
#include "serve/picture_request.h"
#include "serve/worker_pool.h"

// What of pictures needs no model: their requests, and the threads that work on them.
namespace coracle::serve {
namespace {

constexpr const char* kType = "multipart/form-data; charset=utf-8; Boundary=\"a b\"";

std::string refusal_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "nothing was refused";
}

TEST(PictureRequests, PartsAreWhatIsBetweenTheBoundaries) {
  const std::string body =
      "nobody's\r\n--a b \t\r\nX: y\r\ncontent-disposition: form-data; name=\"n\"; "
      "filename=\"q\\\"\xFF.png\"\r\n\r\none\r\n"
      "--a b\r\n\r\n\r\n"  // neither a head nor a content
      "--a b\r\nContent-Disposition: form-data; name=field\r\n\r\n\r\n--a b--\r\nnobody's";
  const std::vector<PicturePart> parts = multipart_parts(body, kType, 3);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].content, "one");
  EXPECT_TRUE(parts[0].name.starts_with("q\"")) << parts[0].name;
  EXPECT_EQ(parts[0].name.find('\xFF'), std::string::npos) << "it would not be JSON";
  EXPECT_EQ(parts[1].name, "picture");
  EXPECT_EQ(parts[1].content, "");
  EXPECT_EQ(parts[2].name, "field");
  EXPECT_EQ(parts[2].content, "");
  EXPECT_NE(refusal_of([&] { multipart_parts(body, kType, 2); }).find("at most 2"), std::string::npos);
}

TEST(PictureRequests, EveryPrefixOfABodyIsRefused) {
  const std::string body = "--XX\r\nA: b\r\n\r\n--XY\r\n-\r\n--XX\r\n\r\n2\r\n--XX--";
  EXPECT_EQ(multipart_parts(body, "multipart/form-data; boundary=XX", 2).size(), 2U);
  for (size_t bytes = 0; bytes < body.size(); ++bytes) {
    const std::string_view prefix = std::string_view(body).substr(0, bytes);
    EXPECT_THROW(multipart_parts(prefix, "multipart/form-data; boundary=XX", 2), Failure) << bytes;
  }
  for (const std::string type : {"multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; x"})
    EXPECT_NE(refusal_of([&] { multipart_parts(body, type, 2); }).find("no boundary"), std::string::npos) << type;
}

TEST(PictureRequests, OptionsAreInTheQuery) {
  HttpRequest request;
  request.query = "topk=3&threshold=0.25&task=features&priority=2&timeout=70&draw=1&";
  request.headers = {{"content-type", "IMAGE/PNG; q=1"}};
  request.body = std::make_shared<const std::string>("bytes");
  const PictureRequest asked = parse_picture_request(request);
  EXPECT_EQ(asked.topk, 3);
  EXPECT_EQ(asked.threshold, 0.25F);
  EXPECT_EQ(asked.task, "features");
  EXPECT_EQ(asked.priority, 2U);
  EXPECT_EQ(asked.timeout_us, 70);
  EXPECT_TRUE(asked.draw);
  EXPECT_FALSE(asked.list);
  ASSERT_EQ(asked.pictures.size(), 1U);
  EXPECT_EQ(asked.pictures[0].content, "bytes");
  for (const char* wrong : {"topk=0", "topk", "threshold=1.5", "draw=yes", "priority=-1", "size=1"}) {
    request.query = wrong;
    EXPECT_THROW(parse_picture_request(request), Failure) << wrong;
  }
}

TEST(PictureRequests, ReadersAreNames) {
  const TextReaderModels reader = text_reader_models("ocr=det,rec,dictionary=a=b.txt,cls");
  EXPECT_EQ(reader.name, "ocr");
  EXPECT_EQ(reader.detector, "det");
  EXPECT_EQ(reader.recognizer, "rec");
  EXPECT_EQ(reader.classifier, "cls");
  EXPECT_EQ(reader.dictionary, "a=b.txt");
  for (const char* wrong : {"", "ocr", "ocr=det", "=det,rec", "ocr=det,,rec", "ocr=a,b,c,d", "ocr=det,rec,"})
    EXPECT_NE(refusal_of([&] { text_reader_models(wrong); }).find("expected NAME="), std::string::npos) << wrong;
}

Code failure_code(const std::function<void()>& work) {
  try {
    work();
  } catch (const Failure& failure) {
    return failure.code();
  }
  return Code::kInternal;
}

TEST(PictureMemory, CountsWhileThePictureLives) {
  const std::string file = vision::encode_png(vision::Image(400, 300));
  const PictureLimits limits{.memory = MemoryBudget(1'000'000, [] { return size_t{0}; })};
  constexpr size_t kBytes = size_t{3} * 400 * 300;
  HeldPicture first = decode_picture("a.png", file, limits);
  EXPECT_EQ(first.image.width, 400);
  EXPECT_EQ(limits.memory.used(), kBytes);
  {
    const HeldPicture second = decode_picture("a.png", file, limits);
    EXPECT_EQ(limits.memory.used(), 2 * kBytes);
    EXPECT_EQ(failure_code([&] { decode_picture("a.png", file, limits); }), Code::kUnavailable);
    EXPECT_EQ(limits.memory.used(), 2 * kBytes) << "what is refused takes nothing";
  }
  EXPECT_EQ(failure_code([&] { decode_picture("a.png", file, limits, 1); }), Code::kUnavailable) << "the copy counts";
  EXPECT_THROW(decode_picture("a.png", file.substr(0, file.size() - 40), limits), vision::Error);
  EXPECT_EQ(limits.memory.used(), kBytes) << "what is damaged takes nothing";
  first = {};
  EXPECT_EQ(limits.memory.used(), 0U);
  EXPECT_EQ(decode_picture("a.png", file, limits, 1).image.height, 300);
}

TEST(PictureMemory, WhatNeverFitsIsTooLarge) {
  const std::string file = vision::encode_png(vision::Image(400, 300));
  const auto decode = [&](const PictureLimits& limits, size_t copies) {
    return [&file, limits, copies] { decode_picture("a.png", file, limits, copies); };
  };
  const PictureLimits small{.memory = MemoryBudget(700'000, [] { return size_t{0}; })};
  EXPECT_EQ(failure_code(decode({.max_pixels = 119'999}, 0)), Code::kTooLarge);
  EXPECT_EQ(failure_code(decode({.max_pixels = 120'000}, 0)), Code::kInternal) << "it was refused";
  EXPECT_EQ(failure_code(decode(small, 1)), Code::kTooLarge);
  EXPECT_EQ(refusal_of(decode(small, 1)),
            "the picture 'a.png' of 400 x 300 pixels is too large: it takes 1 MiB, the server has 1 MiB "
            "(--memory-limit-mib)");
  EXPECT_EQ(failure_code(decode(small, 0)), Code::kInternal) << "it was refused";
}

TEST(WorkerPool, TakesAllOrNothingAndEndsWithItsWork) {
  std::atomic<int> done = 0;
  std::promise<void> go;
  const std::shared_future<void> gone = go.get_future().share();
  std::promise<void> begun;
  const std::function<void()> count = [&] { ++done; };
  {
    WorkerPool pool(1, 2);
    pool.submit({[&] {
      begun.set_value();
      gone.wait();
    }});
    begun.get_future().wait();
    EXPECT_THROW(pool.submit({count, count, count}), Failure);
    pool.submit({count});
    EXPECT_THROW(pool.submit({count, count}), Failure);
    pool.submit({count});
    EXPECT_EQ(done, 0);
    go.set_value();
  }
  EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace coracle::serve
