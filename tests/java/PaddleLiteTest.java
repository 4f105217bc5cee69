// SPDX-License-Identifier: Apache-2.0
import com.baidu.paddle.lite.ConfigBase;
import com.baidu.paddle.lite.CxxConfig;
import com.baidu.paddle.lite.MobileConfig;
import com.baidu.paddle.lite.PaddleLiteInitializer;
import com.baidu.paddle.lite.PaddlePredictor;
import com.baidu.paddle.lite.Place;
import com.baidu.paddle.lite.PowerMode;
import com.baidu.paddle.lite.Tensor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** Paddle Lite's interface for Java: PaddleLiteTest FOLDER, where write_binding_models wrote its models. */
public class PaddleLiteTest {
  /** What is expected to fail. */
  interface Call {
    void run() throws Exception;
  }

  static int failures = 0;
  static String folder;

  static void check(boolean right, String what) {
    if (!right) {
      ++failures;
      System.out.println("FAILED: " + what);
    }
  }

  static void same(Object expected, Object found, String what) {
    check(expected == null ? found == null : expected.equals(found), what + ": expected " + expected + ", found " + found);
  }

  /** That the call is refused with an exception of this type, in words that hold this part. */
  static void refused(Class<?> type, String part, Call call) {
    try {
      call.run();
      check(false, "nothing was thrown, expected: " + part);
    } catch (Exception e) {
      check(type.isInstance(e) && e.getMessage().contains(part), "expected " + type + " with: " + part + "; found " + e);
    }
  }

  static void wrong(String part, Call call) {
    refused(IllegalArgumentException.class, part, call);
  }

  static void failed(String part, Call call) {
    refused(RuntimeException.class, part, call);
  }

  static MobileConfig mobile(String file) {
    MobileConfig config = new MobileConfig();
    config.setModelFromFile(file);
    return config;
  }

  static PaddlePredictor product() {
    CxxConfig config = new CxxConfig();
    config.setModelDir(folder + "/product");
    return PaddlePredictor.createPaddlePredictor(config);
  }

  /** The matrix product of the model for one row. */
  static String productOf(PaddlePredictor predictor, float... row) {
    Tensor input = predictor.getInput(0);
    check(input.resize(new long[] {row.length / 2, 2}) && input.setData(row) && predictor.run(), "a run");
    return Arrays.toString(predictor.getOutput(1).getFloatData());
  }

  static void configurations() {
    CxxConfig cxx = new CxxConfig();
    Place place = new Place(Place.TargetType.ARM, Place.PrecisionType.INT8);
    cxx.setValidPlaces(new Place[] {place});
    cxx.setPreferredPlace(place);
    check(cxx.getValidPlaces()[0] == place && cxx.getPreferredPlace() == place, "places are given back");
    check(place.isValid() && place.getTargetInt() == 4 && place.getPrecisionInt() == 2 && place.getDataLayoutInt() == 1,
        "numbers of a place");
    place.setTarget(Place.TargetType.UNKNOWN);
    place.setDevice(1);
    check(!place.isValid() && place.getDevice() == 1 && !new Place().isValid(), "places of which nothing is known");
    MobileConfig config = mobile("model.nb");
    same(PowerMode.LITE_POWER_HIGH, config.getPowerMode(), "power mode");
    config.setPowerMode(PowerMode.LITE_POWER_RAND_LOW);
    config.setThreads(2);
    config.setModelDir("folder");
    check(config.getPowerModeInt() == 5 && config.getThreads() == 2, "what was set");
    same("model.nb folder", config.getModelFromFile() + " " + config.getModelDir(), "models");
    same("paddle_lite_jni", PaddleLiteInitializer.JNI_LIB_NAME, "the library");
  }

  static void models() throws Exception {
    String saved = folder + "/gespeichert-\u00e9\ud83d\ude80.nb"; // a name that UTF-8 has other bytes for than JNI
    try (PaddlePredictor predictor = product()) {
      same("[7.0, 10.0]", productOf(predictor, 1, 2), "a folder");
      check(predictor.saveOptimizedModel(saved), "saving");
      check(predictor.getVersion().matches("\\d+\\.\\d+\\.\\d+"), "version " + predictor.getVersion());
    }
    MobileConfig config = mobile(saved);
    config.setThreads(2);
    try (PaddlePredictor predictor = PaddlePredictor.createPaddlePredictor(config)) {
      same("[7.0, 10.0, 15.0, 22.0]", productOf(predictor, 1, 2, 3, 4), "a saved model");
    }
    byte[] bytes = Files.readAllBytes(Paths.get(saved));
    config = new MobileConfig();
    config.setModelFromBuffer(bytes);
    try (PaddlePredictor predictor = PaddlePredictor.createPaddlePredictor(config)) {
      Arrays.fill(bytes, (byte) 0); // the predictor has its own
      same("[7.0, 10.0]", productOf(predictor, 1, 2), "bytes");
    }
    config.setModelFromBuffer(new String(Files.readAllBytes(Paths.get(saved)), StandardCharsets.ISO_8859_1));
    try (PaddlePredictor predictor = new PaddlePredictor(config)) {
      same("[7.0, 10.0]", productOf(predictor, 1, 2), "bytes in a text");
    }
  }

  static void modelsThatFail() {
    wrong("is null", () -> new PaddlePredictor(null));
    wrong("names no model", () -> new PaddlePredictor(new MobileConfig()));
    wrong("names no model", () -> new PaddlePredictor(new CxxConfig()));
    wrong("takes a MobileConfig or a CxxConfig", () -> new PaddlePredictor(new ConfigBase()));
    failed("/no/model-\u00e9.nb", () -> new PaddlePredictor(mobile("/no/model-\u00e9.nb")));
    wrong("is no byte", () -> new MobileConfig().setModelFromBuffer("\u4e00"));
    for (byte[] content : new byte[][] {{}, {1, 2, 3}, "no model at all".getBytes(StandardCharsets.UTF_8)}) {
      MobileConfig config = new MobileConfig();
      config.setModelFromBuffer(content);
      failed("", () -> new PaddlePredictor(config));
    }
    for (int threads : new int[] {0, -1, 1025, Integer.MIN_VALUE}) {
      MobileConfig config = mobile(folder + "/product");
      config.setThreads(threads);
      wrong("1 to 1024, given " + threads, () -> new PaddlePredictor(config));
    }
    MobileConfig config = mobile(folder + "/product");
    config.setCoracleDevice("abacus");
    failed("abacus", () -> new PaddlePredictor(config));
  }

  static void types() {
    try (PaddlePredictor predictor = PaddlePredictor.createPaddlePredictor(mobile(folder + "/types.pdmodel"))) {
      Tensor[] in = new Tensor[6];
      Tensor[] out = new Tensor[6];
      for (int i = 0; i < 6; ++i) {
        in[i] = predictor.getInput(i);
        out[i] = predictor.getOutput(i);
        check(in[i].shape().length == 0 && in[i].resize(new long[] {3}) && !in[i].isReadOnly(), "input " + i);
        check(out[i].isReadOnly() && out[i].shape().length == 0, "output " + i + " before a run");
      }
      float[] floats = {1.5f, Float.NaN, -0f};
      int[] ints = {1, Integer.MIN_VALUE, Integer.MAX_VALUE};
      long[] longs = {1, Long.MIN_VALUE, Long.MAX_VALUE};
      byte[] bytes = {1, -128, 127};
      byte[] bools = {1, 0, 1};
      in[0].setData(floats);
      in[1].setData(ints);
      in[2].setData(longs);
      in[3].setData(bytes);
      in[4].setData(bytes);
      in[5].setData(bools);
      predictor.run();
      for (Tensor[] side : new Tensor[][] {in, out}) {
        check(Arrays.equals(floats, side[0].getFloatData()) && Arrays.equals(ints, side[1].getIntData()), "words");
        check(Arrays.equals(longs, side[2].getLongData()) && Arrays.equals(bytes, side[3].getByteData()), "longs, uint8");
        check(Arrays.equals(bytes, side[4].getByteData()) && Arrays.equals(bools, side[5].getByteData()), "int8, bool");
        same("[3]", Arrays.toString(side[5].shape()), "shape");
      }
      for (int i = 0; i < 6; ++i) { // each type with all others
        Tensor input = in[i];
        Tensor output = out[i];
        String type = new String[] {"float32", "int32", "int64", "uint8", "int8", "bool"}[i];
        if (i != 0) {
          failed(type, () -> input.setData(floats));
          failed(type, () -> output.getFloatData());
        }
        if (i != 1) {
          failed(type, () -> input.setData(ints));
          failed(type, () -> output.getIntData());
        }
        if (i != 2) {
          failed(type, () -> input.setData(longs));
          failed(type, () -> input.getLongData());
        }
        if (i < 3) {
          failed(type, () -> input.setData(bytes));
          failed(type, () -> output.getByteData());
        }
        check(!output.setData(bytes) && !output.setData(floats) && !output.setData(ints) && !output.setData(longs)
            && !output.resize(new long[] {3}), "outputs are read only");
      }
      in[0].resize(new long[] {0});
      in[0].setData(new float[0]);
      predictor.run();
      same(0, out[0].getFloatData().length, "no elements");
    }
  }

  static void misuse() {
    PaddlePredictor predictor = product();
    Tensor input = predictor.getInput(0);
    Tensor output = predictor.getOutput(1);
    wrong("[x], there is no input 1", () -> predictor.getInput(1));
    wrong("there is no input -1", () -> predictor.getInput(-1));
    wrong("[twice, product], there is no output 2", () -> predictor.getOutput(2));
    wrong("null", () -> predictor.getTensor(null));
    wrong("null", () -> predictor.saveOptimizedModel(null));
    failed("no name", () -> predictor.saveOptimizedModel(""));
    failed("/no/folder", () -> predictor.saveOptimizedModel("/no/folder/model.nb"));
    failed("'x' was not set", () -> predictor.run());
    failed("'x' was not set", () -> input.getFloatData());
    failed("no outputs before a run", () -> output.getFloatData());
    failed("has no shape yet", () -> input.setData(new float[1]));
    wrong("takes 1 elements, given 2", () -> input.setData(new float[2]));
    wrong("resize was given null", () -> input.resize(null));
    failed("dimension 1 is -2", () -> input.resize(new long[] {1, -2}));
    failed("too large", () -> input.resize(new long[] {Long.MAX_VALUE, Long.MAX_VALUE}));
    input.resize(new long[] {1, 2});
    for (int length : new int[] {0, 1, 3, 1000000}) {
      wrong("shape [1, 2] takes 2 elements, given " + length, () -> input.setData(new float[length]));
    }
    failed("'x' was not set", () -> predictor.run()); // nor by what was refused
    wrong("null", () -> input.setData((float[]) null));
    wrong("null", () -> input.setData((byte[]) null));
    wrong("null", () -> input.setData((int[]) null));
    wrong("null", () -> input.setData((long[]) null));
    input.resize(new long[] {1, 3});
    input.setData(new float[3]);
    failed("[1, 3]", () -> predictor.run());
    same("[7.0, 10.0]", productOf(predictor, 1, 2), "afterwards");

    same(null, predictor.getTensor("w"), "what is no input or output");
    same("[7.0, 10.0]", Arrays.toString(predictor.getTensor("product").getFloatData()), "an output by name");
    Tensor named = predictor.getTensor("x");
    check(named.isReadOnly() && !named.setData(new float[2]), "inputs by name are read only");
    same("[1.0, 2.0]", Arrays.toString(named.getFloatData()), "an input by name");

    predictor.close();
    predictor.close();
    for (Call call : new Call[] {
           () -> predictor.run(), () -> predictor.getInput(0), () -> predictor.getOutput(0),
           () -> predictor.getTensor("x"), () -> predictor.saveOptimizedModel("x"), () -> input.shape(),
           () -> input.setData(new float[2]), () -> input.resize(new long[] {1, 2}), () -> output.getFloatData(),
           () -> named.getFloatData()}) {
      refused(IllegalStateException.class, "was closed", call);
    }
  }

  /** Threads that use and close the same predictors: each call works or says that the predictor was closed. */
  static void threads() throws Exception {
    AtomicInteger others = new AtomicInteger();
    for (int round = 0; round < 20; ++round) {
      PaddlePredictor predictor = product();
      productOf(predictor, 1, 2);
      Tensor output = predictor.getOutput(1);
      Thread[] threads = new Thread[3];
      for (int t = 0; t < threads.length; ++t) {
        boolean closes = t == 2;
        threads[t] = new Thread(() -> {
          try {
            for (int i = 0; i < 50; ++i) {
              predictor.run();
              if (output.getFloatData()[1] != 10f) {
                others.incrementAndGet();
              }
              if (closes && i == 20) {
                predictor.close();
              }
            }
          } catch (IllegalStateException e) {
            // closed
          } catch (Throwable e) {
            others.incrementAndGet();
          }
        });
        threads[t].start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    same(0, others.get(), "threads with other results");
  }

  /** Predictors that nobody closes are freed, but for those whose tensors are kept. */
  static void forgotten() throws Exception {
    Tensor kept = product().getInput(0);
    for (int i = 0; i < 200; ++i) {
      same("[7.0, 10.0]", productOf(product(), 1, 2), "a forgotten predictor");
      if (i % 50 == 0) {
        System.gc();
      }
    }
    java.lang.reflect.Method live = Class.forName("com.baidu.paddle.lite.PredictorHandle").getDeclaredMethod("liveCount");
    live.setAccessible(true);
    for (int i = 0; i < 100 && (int) live.invoke(null) > 1; ++i) {
      System.gc();
      Thread.sleep(20);
    }
    same(1, live.invoke(null), "predictors that are left, with the one whose input is kept");
    check(kept.resize(new long[] {1, 2}) && kept.setData(new float[2]), "a tensor keeps its predictor");
  }

  public static void main(String[] arguments) throws Exception {
    folder = arguments[0];
    configurations();
    models();
    modelsThatFail();
    types();
    misuse();
    threads();
    forgotten();
    if (failures > 0) {
      System.exit(1);
    }
    System.out.println("all as expected");
  }
}
