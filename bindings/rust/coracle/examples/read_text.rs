// SPDX-License-Identifier: Apache-2.0
//! Reads the lines of text in a picture, by the models of `make demo`:
//!
//!     read_text build/demo-models examples/ocr/demo.jpg
use std::io::Write;
use std::path::PathBuf;

use coracle::vision::{Image, TextReader, TextReaderOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().ok_or("usage: read_text MODELS PICTURE")?;
    let picture = arguments.next().ok_or("usage: read_text MODELS PICTURE")?;
    let options = TextReaderOptions::new(
        folder.join("models/ch_PP-OCRv4_det_infer"),
        folder.join("models/ch_PP-OCRv4_rec_infer"),
    )
    .classifier(folder.join("models/ch_ppocr_mobile_v2_cls_infer"))
    .dictionary(folder.join("ch_ppocr_rec/ppocr_keys_v1.txt"));
    let lines = TextReader::new(&options)?.read(&Image::read(picture)?)?;
    let mut out = std::io::stdout().lock();
    for (number, line) in lines.items()?.iter().enumerate() {
        writeln!(out, "{:3}  {:.3}  {}", number + 1, line.score, line.text)?;
    }
    Ok(())
}
