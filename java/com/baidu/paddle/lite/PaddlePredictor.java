// SPDX-License-Identifier: Apache-2.0
package com.baidu.paddle.lite;

import java.nio.charset.StandardCharsets;

/**
 * A model ready to run. Threads that use one predictor wait for each other. What cannot be done is a RuntimeException
 * with the reason: IllegalArgumentException for what it was given, IllegalStateException after close().
 */
public class PaddlePredictor implements AutoCloseable {
  static {
    PaddleLiteInitializer.init();
  }

  private PredictorHandle handle;

  /** As {@link #createPaddlePredictor}. */
  public PaddlePredictor(ConfigBase config) {
    init(config);
  }

  /** Loads the model that the configuration names. Never null: if it cannot be loaded, the exception says why. */
  public static PaddlePredictor createPaddlePredictor(ConfigBase config) {
    return new PaddlePredictor(config);
  }

  /** Input number `offset`. */
  public synchronized Tensor getInput(int offset) {
    nativeCheck(pointer(), true, offset);
    return new Tensor(this, true, offset);
  }

  /** Output number `offset`, to be read. */
  public synchronized Tensor getOutput(int offset) {
    nativeCheck(pointer(), false, offset);
    return new Tensor(this, false, offset);
  }

  /** The output or input of that name, to be read; null where the model has none. */
  public synchronized Tensor getTensor(String name) {
    int place = nativeFind(pointer(), bytes(name, "getTensor"));
    if (place == Integer.MIN_VALUE) {
      return null;
    }
    return place >= 0 ? new Tensor(this, false, place) : new Tensor(this, true, ~place, true);
  }

  /** Computes the outputs. True: what fails is an exception, after which the predictor can be used again. */
  public synchronized boolean run() {
    nativeRun(pointer());
    return true;
  }

  /** Coracle's version. */
  public synchronized String getVersion() {
    return new String(nativeVersion(), StandardCharsets.UTF_8);
  }

  /**
   * Saves the model as it is after rewriting, as the file "model" in the folder, which is made; a name that ends with
   * .nb is that of the file. Its format is Coracle's. True: what fails is an exception.
   */
  public synchronized boolean saveOptimizedModel(String modelDir) {
    nativeSave(pointer(), bytes(modelDir, "saveOptimizedModel"));
    return true;
  }

  /**
   * Frees the model and what it computed, after a run of another thread. It happens by itself some time after the
   * predictor and its tensors are gone.
   */
  @Override
  public void close() {
    clear();
  }

  /** What the constructor does. */
  protected synchronized boolean init(ConfigBase config) {
    if (config == null) {
      throw new IllegalArgumentException("the configuration is null");
    }
    String path = config.getModelDir();
    byte[] content = null;
    int threads = 1;
    if (config instanceof MobileConfig) {
      MobileConfig mobile = (MobileConfig) config;
      path = mobile.getModelFromFile() != null ? mobile.getModelFromFile() : path;
      content = mobile.getModelBytes();
      threads = mobile.getThreads();
    } else if (!(config instanceof CxxConfig)) {
      throw new IllegalArgumentException(
          "a predictor takes a MobileConfig or a CxxConfig, given " + config.getClass().getName());
    }
    if (path == null && content == null) {
      throw new IllegalArgumentException(
          "the configuration names no model: call setModelFromFile, setModelFromBuffer or setModelDir");
    }
    String device = config.getCoracleDevice();
    long pointer = nativeCreate(
        path == null ? null : bytes(path, ""), content, threads, device == null ? null : bytes(device, ""));
    clear();
    handle = new PredictorHandle(this, pointer);
    return true;
  }

  /** Whether there was something to free. */
  protected synchronized boolean clear() {
    if (handle == null) {
      return false;
    }
    handle.free();
    handle = null;
    return true;
  }

  long pointer() {
    if (handle == null) {
      throw new IllegalStateException("the predictor was closed");
    }
    return handle.pointer();
  }

  private static byte[] bytes(String text, String call) {
    if (text == null) {
      throw new IllegalArgumentException(call + " was given no name but null");
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  // Of the object, not of the class: an object whose call runs is not gone. Texts are bytes of UTF-8.
  private native long nativeCreate(byte[] path, byte[] content, int threads, byte[] device);

  private native void nativeCheck(long pointer, boolean input, int index);

  /** An output's number, that of an input with its bits inverted, or Integer.MIN_VALUE. */
  private native int nativeFind(long pointer, byte[] name);

  private native void nativeRun(long pointer);

  private native void nativeSave(long pointer, byte[] name);

  private native byte[] nativeVersion();

  native long[] nativeShape(long pointer, boolean input, int index);

  native void nativeResize(long pointer, int index, long[] dims);

  native void nativeSetFloats(long pointer, int index, float[] data);

  native void nativeSetBytes(long pointer, int index, byte[] data);

  native void nativeSetInts(long pointer, int index, int[] data);

  native void nativeSetLongs(long pointer, int index, long[] data);

  native float[] nativeGetFloats(long pointer, boolean input, int index);

  native byte[] nativeGetBytes(long pointer, boolean input, int index);

  native int[] nativeGetInts(long pointer, boolean input, int index);

  native long[] nativeGetLongs(long pointer, boolean input, int index);
}
