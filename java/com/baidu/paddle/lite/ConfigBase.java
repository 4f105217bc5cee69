// SPDX-License-Identifier: Apache-2.0
package com.baidu.paddle.lite;

/** What both kinds of configuration have. A configuration makes any number of predictors and may change between them. */
public class ConfigBase {
  private String modelDir;
  private String coracleDevice;

  /** A folder with a model, an archive of one, or a file with a whole model. */
  public void setModelDir(String modelDir) {
    this.modelDir = modelDir;
  }

  public String getModelDir() {
    return modelDir;
  }

  /** An addition to Paddle Lite's: the device that runs the model, "opencl" or "cuda:1"; null: the CPU. */
  public void setCoracleDevice(String device) {
    coracleDevice = device;
  }

  public String getCoracleDevice() {
    return coracleDevice;
  }
}
