// SPDX-License-Identifier: Apache-2.0
package com.baidu.paddle.lite;

/** Where, in what precision and in what layout Paddle Lite computes. Coracle chooses these and keeps a place only. */
public class Place {
  /** Kinds of processors. */
  public enum TargetType {
    UNKNOWN(0),
    HOST(1),
    X86(2),
    CUDA(3),
    ARM(4),
    OPEN_CL(5),
    FPGA(7),
    NPU(8),
    ANY(6);

    public final int value;

    TargetType(int value) {
      this.value = value;
    }
  }

  /** Types of elements. */
  public enum PrecisionType {
    UNKNOWN(0),
    FLOAT(1),
    INT8(2),
    FP16(5),
    INT32(3),
    ANY(4),
    BOOL(6);

    public final int value;

    PrecisionType(int value) {
      this.value = value;
    }
  }

  /** Orders of the axes of pictures. */
  public enum DataLayoutType {
    UNKNOWN(0),
    NCHW(1),
    NHWC(3),
    ANY(2);

    public final int value;

    DataLayoutType(int value) {
      this.value = value;
    }
  }

  private TargetType target;
  private PrecisionType precision;
  private DataLayoutType layout;
  private int device;

  /** A place of which nothing is known. */
  public Place() {
    this(TargetType.UNKNOWN, PrecisionType.UNKNOWN, DataLayoutType.UNKNOWN);
  }

  public Place(TargetType target) {
    this(target, PrecisionType.FLOAT);
  }

  public Place(TargetType target, PrecisionType precision) {
    this(target, precision, DataLayoutType.NCHW);
  }

  public Place(TargetType target, PrecisionType precision, DataLayoutType layout) {
    this(target, precision, layout, 0);
  }

  public Place(TargetType target, PrecisionType precision, DataLayoutType layout, int device) {
    this.target = target;
    this.precision = precision;
    this.layout = layout;
    this.device = device;
  }

  /** Whether all of it is known. */
  public boolean isValid() {
    return target != TargetType.UNKNOWN && precision != PrecisionType.UNKNOWN && layout != DataLayoutType.UNKNOWN;
  }

  public TargetType getTarget() {
    return target;
  }

  public void setTarget(TargetType target) {
    this.target = target;
  }

  public PrecisionType getPrecision() {
    return precision;
  }

  public void setPrecision(PrecisionType precision) {
    this.precision = precision;
  }

  public DataLayoutType getLayout() {
    return layout;
  }

  public void setLayout(DataLayoutType layout) {
    this.layout = layout;
  }

  public int getDevice() {
    return device;
  }

  public void setDevice(int device) {
    this.device = device;
  }

  public int getTargetInt() {
    return target.value;
  }

  public int getPrecisionInt() {
    return precision.value;
  }

  public int getDataLayoutInt() {
    return layout.value;
  }
}
