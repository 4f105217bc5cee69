// SPDX-License-Identifier: Apache-2.0
#![cfg(feature = "vision")]
use coracle::vision::{Image, PixelOrder, Predictor, PredictorOptions, TextReader, TextReaderOptions};
use coracle::Status;

#[test]
fn pixels_come_back() {
    let pixels: Vec<u8> = (0..18).collect();
    let image = Image::from_pixels(&pixels, 3, 2, PixelOrder::Rgb).unwrap();
    assert_eq!((image.width(), image.height()), (3, 2));
    assert_eq!(image.pixels(PixelOrder::Bgr).unwrap()[..3], [2, 1, 0]);
    let path = std::env::temp_dir().join(format!("coracle-rust-{}.png", std::process::id()));
    image.write_png(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(Image::read(&path).unwrap().pixels(PixelOrder::Rgb).unwrap(), pixels);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(Image::decode(&bytes).unwrap().pixels(PixelOrder::Rgb).unwrap(), pixels);
}

#[test]
fn wrong_pictures_and_models_are_errors() {
    let error = Image::from_pixels(&[0; 5], 1, 2, PixelOrder::Rgb).unwrap_err();
    assert_eq!((error.status(), error.to_string().as_str()), (Status::InvalidArgument, "1 x 2 pixels are not 5 bytes"));
    assert_eq!(Image::decode(b"no picture").unwrap_err().status(), Status::Io);
    assert_eq!(Image::read("nowhere.png").unwrap_err().status(), Status::Io);
    assert_eq!(TextReader::new(&TextReaderOptions::new("nowhere", "nowhere")).unwrap_err().status(), Status::Io);
    assert_eq!(Predictor::load("nowhere", &PredictorOptions::new()).unwrap_err().status(), Status::Io);
}
