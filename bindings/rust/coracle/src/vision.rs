// SPDX-License-Identifier: Apache-2.0
//! Answers about pictures, by models as they are published; the feature `vision`.
use std::borrow::Cow;
use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut, NonNull};

use coracle_sys as sys;

use crate::error::{c_path, check, text_at, OptionTexts, Result};
use crate::pool::number;

/// Which channel of a pixel comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PixelOrder {
    Rgb,
    /// As OpenCV has it.
    Bgr,
}

impl PixelOrder {
    fn number(self) -> sys::coracle_pixel_order {
        match self {
            PixelOrder::Rgb => sys::CORACLE_RGB,
            PixelOrder::Bgr => sys::CORACLE_BGR,
        }
    }
}

/// Defines the owner of a handle.
macro_rules! owner {
    ($(#[$doc:meta])* $name:ident, $of:ident, $free:ident) => {
        $(#[$doc])*
        pub struct $name(NonNull<sys::$of>);

        // vision.h: it may be used in any thread.
        unsafe impl Send for $name {}

        impl Drop for $name {
            fn drop(&mut self) {
                unsafe { sys::$free(self.0.as_ptr()) }
            }
        }

        impl $name {
            fn made(make: impl FnOnce(*mut *mut sys::$of) -> sys::coracle_status) -> Result<$name> {
                let mut handle = null_mut();
                check(make(&mut handle))?;
                Ok($name(NonNull::new(handle).expect("what was made")))
            }
            fn handle(&self) -> *mut sys::$of {
                self.0.as_ptr()
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).finish()
            }
        }
    };
}

owner!(
    /// A picture, which never changes.
    Image, coracle_image, coracle_image_free
);
owner!(
    /// What was found in a picture. It never changes.
    Prediction, coracle_prediction, coracle_prediction_free
);
owner!(
    /// A model that answers about pictures as its description says. It is for one thread at a time.
    Predictor, coracle_predictor, coracle_predictor_free
);
owner!(
    /// Reads the lines of text in pictures. It is for one thread at a time.
    TextReader, coracle_text_reader, coracle_text_reader_free
);

// vision.h: images and predictions never change and are for any number of threads at once.
unsafe impl Sync for Image {}
unsafe impl Sync for Prediction {}

impl Image {
    /// A PNG, JPEG, BMP or WebP file.
    pub fn read(path: impl AsRef<Path>) -> Result<Image> {
        let path = c_path(path.as_ref())?;
        Image::made(|image| unsafe { sys::coracle_image_read(path.as_ptr(), image) })
    }
    /// The same in memory.
    pub fn decode(bytes: &[u8]) -> Result<Image> {
        Image::made(|image| unsafe { sys::coracle_image_decode(bytes.as_ptr().cast(), bytes.len(), image) })
    }
    /// Of three bytes for each pixel, rows from the top.
    pub fn from_pixels(pixels: &[u8], width: u32, height: u32, order: PixelOrder) -> Result<Image> {
        let expected = u64::from(width).checked_mul(u64::from(height)).and_then(|count| count.checked_mul(3));
        if expected != Some(pixels.len() as u64) {
            let message = format!("{} x {} pixels are not {} bytes", width, height, pixels.len());
            return Err(crate::Error::invalid(message));
        }
        let (width, height) = (number(width as usize), number(height as usize));
        Image::made(|image| unsafe {
            sys::coracle_image_create(pixels.as_ptr().cast(), width, height, 3, 0, order.number(), image)
        })
    }
    pub fn width(&self) -> u32 {
        unsafe { sys::coracle_image_width(self.handle()) as u32 }
    }
    pub fn height(&self) -> u32 {
        unsafe { sys::coracle_image_height(self.handle()) as u32 }
    }
    /// Three bytes for each pixel, rows from the top.
    pub fn pixels(&self, order: PixelOrder) -> Result<Vec<u8>> {
        let mut pixels = vec![0; self.width() as usize * self.height() as usize * 3];
        let (data, bytes) = (pixels.as_mut_ptr().cast(), pixels.len());
        check(unsafe { sys::coracle_image_copy(self.handle(), order.number(), data, bytes) })?;
        Ok(pixels)
    }
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        check(unsafe { sys::coracle_image_write_png(self.handle(), path.as_ptr()) })
    }
}

/// One thing that was found.
#[derive(Clone, Debug)]
pub struct Item<'p> {
    /// Of the class; -1 where there are no classes.
    pub id: i32,
    /// 0 to 1.
    pub score: f32,
    /// The class's name, or the text that was read.
    pub text: Cow<'p, str>,
    /// Of a class of a class map, or of a mask; else 0.
    pub pixels: i64,
    /// x and y of each corner in pixels; empty where what was found has no place in the picture.
    pub outline: &'p [[f32; 2]],
}

impl Prediction {
    /// "classification", "object-detection", "text-reading" and so on.
    pub fn task(&self) -> String {
        unsafe { text_at(sys::coracle_prediction_task(self.handle())) }
    }
    pub fn len(&self) -> usize {
        unsafe { sys::coracle_prediction_size(self.handle()) }
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    pub fn item(&self, index: usize) -> Result<Item<'_>> {
        let mut c = unsafe { std::mem::zeroed::<sys::coracle_vision_item>() };
        check(unsafe { sys::coracle_prediction_item(self.handle(), index, &mut c) })?;
        let outline: &[[f32; 2]] =
            if c.points == 0 { &[] } else { unsafe { std::slice::from_raw_parts(c.outline.cast(), c.points) } };
        let text = unsafe { CStr::from_ptr(c.text) }.to_string_lossy();
        Ok(Item { id: c.id, score: c.score, text, pixels: c.pixels, outline })
    }
    pub fn items(&self) -> Result<Vec<Item<'_>>> {
        (0..self.len()).map(|index| self.item(index)).collect()
    }
    /// The vector of a model of features; empty for others.
    pub fn features(&self) -> &[f32] {
        let mut count = 0;
        let features = unsafe { sys::coracle_prediction_features(self.handle(), &mut count) };
        if features.is_null() {
            return &[];
        }
        unsafe { std::slice::from_raw_parts(features, count) }
    }
    /// The picture, which has to be that of the prediction, with what was found in it.
    pub fn draw(&self, image: &Image) -> Result<Image> {
        Image::made(|drawing| unsafe { sys::coracle_prediction_draw(self.handle(), image.handle(), drawing) })
    }
}

/// How a [`Predictor`] is made.
#[derive(Clone, Debug, Default)]
pub struct PredictorOptions {
    params: Option<PathBuf>,
    description: Option<PathBuf>,
    task: Option<String>,
    labels: Option<PathBuf>,
    topk: Option<usize>,
    threshold: Option<f32>,
    threads: usize,
}

impl PredictorOptions {
    pub fn new() -> Self {
        Self::default()
    }
    /// The parameter file, where Paddle's naming rules do not find it.
    pub fn params(mut self, path: impl AsRef<Path>) -> Self {
        self.params = Some(path.as_ref().to_owned());
        self
    }
    /// inference.yml, where it is not beside the model.
    pub fn description(mut self, path: impl AsRef<Path>) -> Self {
        self.description = Some(path.as_ref().to_owned());
        self
    }
    /// For a model without description.
    pub fn task(mut self, task: impl Into<String>) -> Self {
        self.task = Some(task.into());
        self
    }
    /// A file with a name per line.
    pub fn labels(mut self, path: impl AsRef<Path>) -> Self {
        self.labels = Some(path.as_ref().to_owned());
        self
    }
    /// Classes at most.
    pub fn topk(mut self, count: usize) -> Self {
        self.topk = Some(count);
        self
    }
    /// Least score of what is found.
    pub fn threshold(mut self, score: f32) -> Self {
        self.threshold = Some(score);
        self
    }
    /// 0: [`default_threads`](crate::default_threads).
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }
}

fn path_or_null(texts: &mut OptionTexts, path: &Option<PathBuf>) -> Result<*const std::os::raw::c_char> {
    match path {
        None => Ok(null()),
        Some(path) => Ok(texts.keep(c_path(path)?)),
    }
}

impl Predictor {
    /// From a folder, an archive of one or one of its files.
    pub fn load(path: impl AsRef<Path>, options: &PredictorOptions) -> Result<Predictor> {
        let mut texts = OptionTexts::default();
        let mut c = unsafe { std::mem::zeroed::<sys::coracle_predictor_options>() };
        unsafe { sys::coracle_predictor_options_init(&mut c, std::mem::size_of_val(&c)) };
        c.params = path_or_null(&mut texts, &options.params)?;
        c.description = path_or_null(&mut texts, &options.description)?;
        c.task = texts.add(&options.task)?;
        c.labels = path_or_null(&mut texts, &options.labels)?;
        c.topk = options.topk.map_or(c.topk, number);
        c.threshold = options.threshold.unwrap_or(c.threshold);
        c.threads = number(options.threads);
        let path = texts.keep(c_path(path.as_ref())?);
        Predictor::made(|predictor| unsafe { sys::coracle_predictor_create(path, &c, predictor) })
    }
    /// What [`Prediction::task`] will be.
    pub fn task(&self) -> String {
        unsafe { text_at(sys::coracle_predictor_task(self.handle())) }
    }
    pub fn predict(&mut self, image: &Image) -> Result<Prediction> {
        Prediction::made(|found| unsafe { sys::coracle_predictor_predict(self.handle(), image.handle(), found) })
    }
}

/// The models of a [`TextReader`].
#[derive(Clone, Debug)]
pub struct TextReaderOptions {
    detector: PathBuf,
    recognizer: PathBuf,
    classifier: Option<PathBuf>,
    dictionary: Option<PathBuf>,
    min_score: Option<f32>,
    threads: usize,
}

impl TextReaderOptions {
    /// A model that finds lines, and one that reads them.
    pub fn new(detector: impl AsRef<Path>, recognizer: impl AsRef<Path>) -> Self {
        TextReaderOptions {
            detector: detector.as_ref().to_owned(),
            recognizer: recognizer.as_ref().to_owned(),
            classifier: None,
            dictionary: None,
            min_score: None,
            threads: 0,
        }
    }
    /// A model that tells lines which stand on their head.
    pub fn classifier(mut self, path: impl AsRef<Path>) -> Self {
        self.classifier = Some(path.as_ref().to_owned());
        self
    }
    /// A character per line, where the recogniser has no inference.yml.
    pub fn dictionary(mut self, path: impl AsRef<Path>) -> Self {
        self.dictionary = Some(path.as_ref().to_owned());
        self
    }
    /// Lines below it are left out.
    pub fn min_score(mut self, score: f32) -> Self {
        self.min_score = Some(score);
        self
    }
    /// 0: [`default_threads`](crate::default_threads).
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }
}

impl TextReader {
    pub fn new(options: &TextReaderOptions) -> Result<TextReader> {
        let mut texts = OptionTexts::default();
        let mut c = unsafe { std::mem::zeroed::<sys::coracle_text_reader_options>() };
        unsafe { sys::coracle_text_reader_options_init(&mut c, std::mem::size_of_val(&c)) };
        c.detector = texts.keep(c_path(&options.detector)?);
        c.recognizer = texts.keep(c_path(&options.recognizer)?);
        c.classifier = path_or_null(&mut texts, &options.classifier)?;
        c.dictionary = path_or_null(&mut texts, &options.dictionary)?;
        c.min_score = options.min_score.unwrap_or(c.min_score);
        c.threads = number(options.threads);
        TextReader::made(|reader| unsafe { sys::coracle_text_reader_create(&c, reader) })
    }
    /// The lines of text in reading order.
    pub fn read(&mut self, image: &Image) -> Result<Prediction> {
        Prediction::made(|lines| unsafe { sys::coracle_text_reader_read(self.handle(), image.handle(), lines) })
    }
}
