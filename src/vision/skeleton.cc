// SPDX-License-Identifier: Apache-2.0
#include "vision/keypoints.h"

namespace coracle::vision {
namespace {

constexpr const char* kCoco[] = {"nose",          "left_eye",       "right_eye",  "left_ear",    "right_ear",
                                 "left_shoulder", "right_shoulder", "left_elbow", "right_elbow", "left_wrist",
                                 "right_wrist",   "left_hip",       "right_hip",  "left_knee",   "right_knee",
                                 "left_ankle",    "right_ankle"};
constexpr std::array<int, 2> kCocoBones[] = {{0, 1},   {0, 2},   {1, 3},   {2, 4},   {3, 5},  {4, 6},
                                             {5, 7},   {6, 8},   {7, 9},   {8, 10},  {5, 11}, {6, 12},
                                             {11, 13}, {12, 14}, {13, 15}, {14, 16}, {11, 12}};

constexpr const char* kMpii[] = {"right_ankle",    "right_knee",    "right_hip",   "left_hip",
                                 "left_knee",      "left_ankle",    "pelvis",      "thorax",
                                 "upper_neck",     "head_top",      "right_wrist", "right_elbow",
                                 "right_shoulder", "left_shoulder", "left_elbow",  "left_wrist"};
constexpr std::array<int, 2> kMpiiBones[] = {{0, 1}, {1, 2},   {3, 4},   {4, 5},   {2, 6},   {3, 6},  {6, 7}, {7, 8},
                                             {8, 9}, {10, 11}, {11, 12}, {13, 14}, {14, 15}, {8, 12}, {8, 13}};

}  // namespace

Skeleton skeleton_of(std::size_t points) {
  if (points == std::size(kCoco)) return {kCoco, kCocoBones};
  if (points == std::size(kMpii)) return {kMpii, kMpiiBones};
  return {};
}

}  // namespace coracle::vision
