// SPDX-License-Identifier: Apache-2.0
package com.baidu.paddle.lite;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A predictor of C++, which is freed once: by free(), or when its owner is gone. */
final class PredictorHandle extends PhantomReference<PaddlePredictor> {
  private static final ReferenceQueue<PaddlePredictor> GONE = new ReferenceQueue<>();
  private static final Set<PredictorHandle> LIVE = ConcurrentHashMap.newKeySet();

  static {
    Thread thread = new Thread(PredictorHandle::freeWhatIsGone, "coracle-predictors");
    thread.setDaemon(true);
    thread.setContextClassLoader(null);
    thread.start();
  }

  private long pointer;

  PredictorHandle(PaddlePredictor owner, long pointer) {
    super(owner, GONE);
    this.pointer = pointer;
    LIVE.add(this);
  }

  /** 0 after free(). */
  synchronized long pointer() {
    return pointer;
  }

  synchronized void free() {
    long freed = pointer;
    pointer = 0;
    LIVE.remove(this);
    if (freed != 0) {
      nativeFree(freed);
    }
  }

  static int liveCount() {
    return LIVE.size();
  }

  private static void freeWhatIsGone() {
    while (true) {
      try {
        ((PredictorHandle) GONE.remove()).free();
      } catch (InterruptedException e) {
        // Nobody ends this thread: predictors may come.
      }
    }
  }

  private static native void nativeFree(long pointer);
}
