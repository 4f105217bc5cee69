// SPDX-License-Identifier: Apache-2.0
package com.baidu.paddle.lite;

/** Loads the library, which the first predictor of a program does. */
public class PaddleLiteInitializer {
  /** The library's name for System.loadLibrary, which looks for it in the folders of java.library.path. */
  public static final String JNI_LIB_NAME = "paddle_lite_jni";

  protected static boolean init() {
    System.loadLibrary(JNI_LIB_NAME);
    return true;
  }
}
