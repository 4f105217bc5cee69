// SPDX-License-Identifier: Apache-2.0
#include "vision/instances.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "vision/draw_parts.h"

// Objects with masks.
namespace coracle::vision {
namespace {

template <class T>
MaskPlanes planes(coracle_dtype dtype, const std::vector<T>& values, std::size_t count, int width, int height) {
  return {dtype, values.data(), count, width, height};
}

using Counts = std::vector<std::uint32_t>;

TEST(Masks, RunsGoDownTheColumns) {
  // Two columns that touch at bottom and top, and a pixel in the last place.
  const std::vector<std::uint8_t> values = {0, 1, 0, 0,  //
                                            1, 1, 0, 0,  //
                                            1, 0, 0, 7};
  const Mask mask = mask_of(planes(CORACLE_UINT8, values, 1, 4, 3), 0, {0, 0, 4, 3}, 4, 3);
  EXPECT_EQ(mask.counts, (Counts{1, 4, 6, 1}));
  EXPECT_EQ(mask.area(), 5);
  std::vector<std::uint8_t> ones = values;
  ones[11] = 1;
  EXPECT_EQ(mask.pixels(), ones);
  const Part box = bounds(mask);
  EXPECT_EQ((std::array<int, 4>{box.left, box.top, box.right, box.bottom}), (std::array<int, 4>{0, 0, 4, 3}));
}

TEST(Masks, PartsOfThePicture) {
  const std::vector<std::uint8_t> all(12, 1);
  const MaskPlanes p = planes(CORACLE_BOOL, all, 1, 4, 3);
  const Mask part = mask_of(p, 0, {1, 1, 3, 2}, 4, 3);
  EXPECT_EQ(part.counts, (Counts{4, 1, 2, 1, 4}));
  const Part box = bounds(part);
  EXPECT_EQ((std::array<int, 4>{box.left, box.top, box.right, box.bottom}), (std::array<int, 4>{1, 1, 3, 2}));
  EXPECT_EQ(mask_of(p, 0, {0, 0, 4, 3}, 4, 3).counts, (Counts{0, 12}));
  EXPECT_EQ(mask_of(p, 0, {2, 2, 2, 3}, 4, 3).counts, (Counts{12}));
  EXPECT_EQ(mask_of(p, 0, {3, 2, 1, 0}, 4, 3).area(), 0);
  EXPECT_EQ(bounds(mask_of(p, 0, {0, 0, 0, 0}, 4, 3)).right, 0);
  // A plane that is a little larger or smaller than the picture.
  EXPECT_EQ(mask_of(p, 0, {-5, -5, 9, 9}, 3, 3).area(), 9);
  EXPECT_EQ(mask_of(p, 0, {-5, -5, 9, 9}, 5, 4).area(), 12);
  EXPECT_EQ(mask_of(p, 0, {-5, -5, 9, 9}, 5, 4).pixels().size(), 20U);
}

TEST(Masks, NumbersOfEveryType) {
  const std::vector<std::int32_t> whole = {0, -1, 300, 1};
  const std::vector<std::int64_t> longer = {0, 1, 1, 1};
  const std::vector<float> real = {0.9F, 1, -2, 255};
  const std::vector<std::uint8_t> expected = {0, 1, 1, 1};
  const Part part{0, 0, 2, 2};
  EXPECT_EQ(mask_of(planes(CORACLE_INT32, whole, 1, 2, 2), 0, part, 2, 2).pixels(), expected);
  EXPECT_EQ(mask_of(planes(CORACLE_INT64, longer, 1, 2, 2), 0, part, 2, 2).pixels(), expected);
  EXPECT_EQ(mask_of(planes(CORACLE_FLOAT32, real, 1, 2, 2), 0, part, 2, 2).pixels(), expected);
}

Description description() {
  Description d;
  d.labels = {"cup", "dog"};
  return d;
}

TEST(Instances, BoxesWithMasks) {
  const std::vector<float> rows = {1,  0.9F, -2,   0.5F, 2.5F, 9,  // cut by the picture, sides rounded to the even
                                   0,  0.8F, 3,    1,    3,    2,  // nothing in it
                                   -1, 0.9F, 0,    0,    4,    3,  // none
                                   0,  0.5F, 0,    0,    4,    3,  // not above the threshold
                                   0,  0.6F, 0.5F, 1.5F, 3.5F, 2.5F};
  std::vector<std::uint8_t> masks(5 * 12, 1);
  masks[4 * 12 + 9] = 0;
  const std::vector<Object> found =
      instances(rows.data(), 5, planes(CORACLE_UINT8, masks, 5, 4, 3), 4, 3, 0.5F, description());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "dog");
  EXPECT_EQ((std::array<float, 4>{found[0].left, found[0].top, found[0].right, found[0].bottom}),
            (std::array<float, 4>{0, 0.5F, 2.5F, 3}));
  EXPECT_EQ(found[0].mask->counts, (Counts{0, 6, 6}));
  EXPECT_EQ(found[1].mask->area(), 0);  // Rows from 2 to 2.
}

TEST(Instances, MasksWithoutBoxes) {
  const std::vector<float> classes = {1, 0, -1, 0};
  const std::vector<float> values = {0.9F, 0.5F, 0.9F, 0.4F};
  Output ids;
  ids.data = classes.data();
  Output scores;
  scores.data = values.data();
  ids.size = scores.size = 4;
  std::vector<std::uint8_t> masks(4 * 12);
  masks[5] = masks[10] = 1;
  const std::vector<Object> found =
      instances(ids, scores, planes(CORACLE_BOOL, masks, 4, 4, 3), 4, 3, 0.5F, description());
  ASSERT_EQ(found.size(), 2U);  // Which are at the threshold, too.
  EXPECT_EQ((std::array<float, 4>{found[0].left, found[0].top, found[0].right, found[0].bottom}),
            (std::array<float, 4>{1, 1, 3, 3}));
  EXPECT_EQ(found[0].mask->area(), 2);
  EXPECT_EQ(found[1].name, "cup");
  EXPECT_EQ(found[1].mask->counts, (Counts{12}));
  EXPECT_EQ(found[1].right, 0);
}

TEST(Instances, FormsAreToldByTheRanksOfOutputs) {
  EXPECT_EQ(instance_form({2, 1, 3}), InstanceForm::kBoxes);
  EXPECT_EQ(instance_form({2, 0, 3}), InstanceForm::kBoxes);
  EXPECT_EQ(instance_form({1, 1, 1, 3}), InstanceForm::kMasks);
  EXPECT_EQ(instance_form({2, 1}), InstanceForm::kNone);
  EXPECT_EQ(instance_form({3, 3, 3, 3}), InstanceForm::kNone);  // distances of two strides
  EXPECT_EQ(instance_form({2, 1, 4}), InstanceForm::kNone);
  EXPECT_EQ(instance_form({}), InstanceForm::kNone);
}

TEST(Instances, MasksAreOfThePicturesSize) {
  Prepared p;
  p.picture_width = 1000;
  p.picture_height = 400;
  p.resized_width = 250;
  p.resized_height = 100;
  p.scale_x = p.scale_y = 0.25;
  const auto check = [&](int width, int height) {
    check_masks({CORACLE_UINT8, nullptr, 0, width, height}, p, description());
  };
  EXPECT_NO_THROW(check(1000, 400));
  EXPECT_NO_THROW(check(1012, 399));  // rounding: 3 pixels of the input
  try {
    check(28, 28);
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), Problem::kDescription);
    EXPECT_NE(std::string(e.what()).find("masks are of 28 x 28 pixels, the picture of 1000 x 400"), std::string::npos)
        << e.what();
  }
}

TEST(Instances, DrawingsTintMasksAndLeaveTheRestOfTheBox) {
  Image image(100, 80);
  std::fill(image.bgr.begin(), image.bgr.end(), std::uint8_t{100});
  std::vector<std::uint8_t> plane(8000);
  for (int y = 20; y < 60; ++y) std::fill_n(plane.begin() + y * 100 + 10, 30, std::uint8_t{1});
  Object o{.id = 0, .name = "cup", .score = 1, .left = 10, .top = 20, .right = 90, .bottom = 70};
  o.mask = mask_of(planes(CORACLE_UINT8, plane, 1, 100, 80), 0, {0, 0, 100, 80}, 100, 80);
  const Image drawn = draw_masks(image, {o});
  const auto same = [&](int x, int y) {
    return std::equal(drawn.row(y) + 3 * x, drawn.row(y) + 3 * x + 3, image.row(y));
  };
  EXPECT_FALSE(same(15, 25));
  EXPECT_FALSE(same(10, 20));
  EXPECT_TRUE(same(5, 40));
  EXPECT_TRUE(same(80, 65));
  EXPECT_TRUE(same(60, 40));
  const std::uint8_t* number = drawn.row(40) + 3 * 25;  // paper or ink in the middle
  EXPECT_TRUE((number[0] == 255 && number[1] == 255 && number[2] == 255) || number[2] == 128) << int{number[2]};
}

}  // namespace
}  // namespace coracle::vision
