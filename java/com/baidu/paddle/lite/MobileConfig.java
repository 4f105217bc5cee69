// SPDX-License-Identifier: Apache-2.0
package com.baidu.paddle.lite;

/** For files of Paddle Lite's opt and for saved models. Models for {@link CxxConfig} are taken, too. */
public class MobileConfig extends ConfigBase {
  private PowerMode powerMode = PowerMode.LITE_POWER_HIGH;
  private int threads = 1;
  private String modelFromFile;
  private String modelFromBuffer;
  private byte[] modelBytes;

  /** A file with a whole model, whatever its name. It comes before {@link #setModelDir}. */
  public void setModelFromFile(String file) {
    modelFromFile = file;
  }

  public String getModelFromFile() {
    return modelFromFile;
  }

  /**
   * The bytes of such a file, a character for each (ISO-8859-1). They come before files.
   *
   * @throws IllegalArgumentException if a character is no byte
   */
  public void setModelFromBuffer(String buffer) {
    byte[] bytes = null;
    if (buffer != null) {
      bytes = new byte[buffer.length()];
      for (int i = 0; i < bytes.length; ++i) {
        char c = buffer.charAt(i);
        if (c > 255) {
          throw new IllegalArgumentException(
              "setModelFromBuffer: character " + i + " of the text is no byte: give the bytes as byte[], or as "
                  + "new String(bytes, StandardCharsets.ISO_8859_1)");
        }
        bytes[i] = (byte) c;
      }
    }
    modelFromBuffer = buffer;
    modelBytes = bytes;
  }

  /** An addition to Paddle Lite's: the same of bytes, which predictors copy when they are made. */
  public void setModelFromBuffer(byte[] buffer) {
    modelFromBuffer = null;
    modelBytes = buffer;
  }

  public String getModelFromBuffer() {
    return modelFromBuffer;
  }

  byte[] getModelBytes() {
    return modelBytes;
  }

  /** Has no effect: the system chooses the cores. */
  public void setPowerMode(PowerMode powerMode) {
    this.powerMode = powerMode;
  }

  public PowerMode getPowerMode() {
    return powerMode;
  }

  public int getPowerModeInt() {
    return powerMode.value();
  }

  /** Threads of one run, 1 to 1024. Results do not depend on it. */
  public void setThreads(int threads) {
    this.threads = threads;
  }

  public int getThreads() {
    return threads;
  }
}
