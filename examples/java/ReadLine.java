// SPDX-License-Identifier: Apache-2.0
// Reads a line of text in a picture, by a recogniser of PaddleOCR: ReadLine MODEL DICTIONARY PICTURE
import com.baidu.paddle.lite.MobileConfig;
import com.baidu.paddle.lite.PaddlePredictor;
import com.baidu.paddle.lite.Tensor;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.List;
import javax.imageio.ImageIO;

public class ReadLine {
  static final int HEIGHT = 32;
  static final int LEAST_WIDTH = 320;

  public static void main(String[] arguments) throws Exception {
    MobileConfig config = new MobileConfig();
    config.setModelFromFile(arguments[0]);
    List<String> dictionary = Files.readAllLines(Paths.get(arguments[1]), StandardCharsets.UTF_8);
    BufferedImage picture = ImageIO.read(new File(arguments[2]));
    int width = Math.max(1, picture.getWidth() * HEIGHT / picture.getHeight());

    PaddlePredictor predictor = PaddlePredictor.createPaddlePredictor(config);
    Tensor input = predictor.getInput(0);
    input.resize(new long[] {1, 3, HEIGHT, Math.max(width, LEAST_WIDTH)});
    input.setData(planes(scaled(picture, width), Math.max(width, LEAST_WIDTH)));
    predictor.run();
    Tensor output = predictor.getOutput(0);
    System.out.println(text(output.getFloatData(), (int) output.shape()[2], dictionary));
  }

  static BufferedImage scaled(BufferedImage picture, int width) {
    BufferedImage result = new BufferedImage(width, HEIGHT, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = result.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
    graphics.drawImage(picture, 0, 0, width, HEIGHT, null);
    graphics.dispose();
    return result;
  }

  /** Blue, green and red from -1 to 1, with zeros to the right of the picture. */
  static float[] planes(BufferedImage picture, int width) {
    float[] values = new float[3 * HEIGHT * width];
    for (int c = 0; c < 3; ++c) {
      for (int y = 0; y < HEIGHT; ++y) {
        for (int x = 0; x < picture.getWidth(); ++x) {
          values[(c * HEIGHT + y) * width + x] = ((picture.getRGB(x, y) >> (8 * c)) & 255) / 127.5f - 1;
        }
      }
    }
    return values;
  }

  /** The best class of each step: 0 is no character, and one that follows itself counts once. */
  static String text(float[] scores, int classes, List<String> dictionary) {
    StringBuilder result = new StringBuilder();
    int last = 0;
    for (int step = 0; step < scores.length / classes; ++step) {
      int best = 0;
      for (int k = 1; k < classes; ++k) {
        best = scores[step * classes + k] > scores[step * classes + best] ? k : best;
      }
      if (best != 0 && best != last) {
        result.append(best <= dictionary.size() ? dictionary.get(best - 1) : " ");
      }
      last = best;
    }
    return result.toString();
  }
}
