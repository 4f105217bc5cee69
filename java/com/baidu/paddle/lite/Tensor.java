// SPDX-License-Identifier: Apache-2.0
package com.baidu.paddle.lite;

/**
 * An input or output of a predictor, which lives as long as it is needed. It may be kept from run to run and is of no
 * use after the predictor was closed. Elements are copied; their type is the model's, and another one is an exception.
 */
public class Tensor {
  private final PaddlePredictor predictor;
  private final boolean input;
  private final int index;
  private final boolean readOnly;

  Tensor(PaddlePredictor predictor, boolean input, int index) {
    this(predictor, input, index, !input);
  }

  Tensor(PaddlePredictor predictor, boolean input, int index, boolean readOnly) {
    this.predictor = predictor;
    this.input = input;
    this.index = index;
    this.readOnly = readOnly;
  }

  /** True for outputs and for what {@link PaddlePredictor#getTensor} gives. */
  public boolean isReadOnly() {
    return readOnly;
  }

  /** Sets the shape of an input, before its elements. False for what can only be read. */
  public boolean resize(long[] dims) {
    if (readOnly) {
      return false;
    }
    synchronized (predictor) {
      predictor.nativeResize(predictor.pointer(), index, given(dims, "resize"));
    }
    return true;
  }

  /** Sets all elements of an input. False for what can only be read. */
  public boolean setData(float[] buf) {
    if (readOnly) {
      return false;
    }
    synchronized (predictor) {
      predictor.nativeSetFloats(predictor.pointer(), index, given(buf, "setData"));
    }
    return true;
  }

  /** The same of int8, uint8 or bool elements. */
  public boolean setData(byte[] buf) {
    if (readOnly) {
      return false;
    }
    synchronized (predictor) {
      predictor.nativeSetBytes(predictor.pointer(), index, given(buf, "setData"));
    }
    return true;
  }

  public boolean setData(int[] buf) {
    if (readOnly) {
      return false;
    }
    synchronized (predictor) {
      predictor.nativeSetInts(predictor.pointer(), index, given(buf, "setData"));
    }
    return true;
  }

  public boolean setData(long[] buf) {
    if (readOnly) {
      return false;
    }
    synchronized (predictor) {
      predictor.nativeSetLongs(predictor.pointer(), index, given(buf, "setData"));
    }
    return true;
  }

  /** What was set for an input, what the last run gave for an output; empty before that. */
  public long[] shape() {
    synchronized (predictor) {
      return predictor.nativeShape(predictor.pointer(), input, index);
    }
  }

  public float[] getFloatData() {
    synchronized (predictor) {
      return predictor.nativeGetFloats(predictor.pointer(), input, index);
    }
  }

  /** Elements of type int8, uint8 or bool. */
  public byte[] getByteData() {
    synchronized (predictor) {
      return predictor.nativeGetBytes(predictor.pointer(), input, index);
    }
  }

  public int[] getIntData() {
    synchronized (predictor) {
      return predictor.nativeGetInts(predictor.pointer(), input, index);
    }
  }

  public long[] getLongData() {
    synchronized (predictor) {
      return predictor.nativeGetLongs(predictor.pointer(), input, index);
    }
  }

  private static <T> T given(T array, String call) {
    if (array == null) {
      throw new IllegalArgumentException(call + " was given null");
    }
    return array;
  }
}
