// SPDX-License-Identifier: Apache-2.0
package com.baidu.paddle.lite;

/** Which cores of a telephone a program wants. Coracle leaves the choice to the system. */
public enum PowerMode {
  LITE_POWER_HIGH(0),
  LITE_POWER_LOW(1),
  LITE_POWER_FULL(2),
  LITE_POWER_NO_BIND(3),
  LITE_POWER_RAND_HIGH(4),
  LITE_POWER_RAND_LOW(5);

  private final int number;

  PowerMode(int number) {
    this.number = number;
  }

  /** The number that Paddle Lite's C++ interface has for it. */
  public int value() {
    return number;
  }
}
