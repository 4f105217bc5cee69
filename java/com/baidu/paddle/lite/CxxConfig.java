// SPDX-License-Identifier: Apache-2.0
package com.baidu.paddle.lite;

/** For models as they are published. Models for {@link MobileConfig} are taken, too. */
public class CxxConfig extends ConfigBase {
  private Place preferredPlace;
  private Place[] validPlaces;

  public Place getPreferredPlace() {
    return preferredPlace;
  }

  /** Has no effect: kernels are those for this machine. */
  public void setPreferredPlace(Place preferredPlace) {
    this.preferredPlace = preferredPlace;
  }

  public Place[] getValidPlaces() {
    return validPlaces;
  }

  /** Has no effect: kernels are those for this machine. */
  public void setValidPlaces(Place[] validPlaces) {
    this.validPlaces = validPlaces;
  }
}
