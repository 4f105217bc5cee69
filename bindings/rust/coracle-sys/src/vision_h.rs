// SPDX-License-Identifier: Apache-2.0
// Made by scripts/bindings/check.py from include/coracle/vision/vision.h.
use crate::c::*;
use crate::coracle_h::*;

opaque!(coracle_image);
opaque!(coracle_predictor);
opaque!(coracle_text_reader);
opaque!(coracle_prediction);
opaque!(coracle_document_reader);
opaque!(coracle_document);

pub type coracle_pixel_order = c_uint;
pub const CORACLE_RGB: coracle_pixel_order = 0;
pub const CORACLE_BGR: coracle_pixel_order = 1;

pub type coracle_frame_format = c_uint;
pub const CORACLE_FRAME_RGB: coracle_frame_format = 0;
pub const CORACLE_FRAME_BGR: coracle_frame_format = 1;
pub const CORACLE_FRAME_RGBA: coracle_frame_format = 2;
pub const CORACLE_FRAME_BGRA: coracle_frame_format = 3;
pub const CORACLE_FRAME_NV12: coracle_frame_format = 4;
pub const CORACLE_FRAME_NV21: coracle_frame_format = 5;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct coracle_frame {
    pub struct_size: usize,
    pub planes: [*const c_void; 2],
    pub strides: [usize; 2],
    pub format: coracle_frame_format,
    pub width: i32,
    pub height: i32,
    pub left: i32,
    pub top: i32,
    pub region_width: i32,
    pub region_height: i32,
    pub tensor_width: i32,
    pub tensor_height: i32,
    pub order: coracle_pixel_order,
    pub channels_last: i32,
    pub dtype: coracle_dtype,
    pub mean: [f32; 3],
    pub scale: [f32; 3],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct coracle_vision_item {
    pub id: i32,
    pub score: f32,
    pub text: *const c_char,
    pub pixels: i64,
    pub points: usize,
    pub outline: *const f32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct coracle_predictor_options {
    pub struct_size: usize,
    pub params: *const c_char,
    pub description: *const c_char,
    pub task: *const c_char,
    pub labels: *const c_char,
    pub topk: i32,
    pub threshold: f32,
    pub threads: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct coracle_text_reader_options {
    pub struct_size: usize,
    pub detector: *const c_char,
    pub recognizer: *const c_char,
    pub classifier: *const c_char,
    pub dictionary: *const c_char,
    pub min_score: f32,
    pub threads: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct coracle_document_reader_options {
    pub struct_size: usize,
    pub orientation: *const c_char,
    pub unwarper: *const c_char,
    pub layout: *const c_char,
    pub table: *const c_char,
    pub detector: *const c_char,
    pub classifier: *const c_char,
    pub recognizer: *const c_char,
    pub dictionary: *const c_char,
    pub min_score: f32,
    pub threads: i32,
    pub table_orientation: *const c_char,
    pub table_classifier: *const c_char,
    pub wired_structure: *const c_char,
    pub wired_cells: *const c_char,
    pub wireless_structure: *const c_char,
    pub wireless_cells: *const c_char,
    pub seal_detector: *const c_char,
    pub seal_recognizer: *const c_char,
    pub seal_dictionary: *const c_char,
}

extern "C" {
    pub fn coracle_image_create(pixels: *const c_void, width: i32, height: i32, channels: i32, stride: usize, order: coracle_pixel_order, image: *mut *mut coracle_image) -> coracle_status;
    pub fn coracle_image_decode(bytes: *const c_void, size: usize, image: *mut *mut coracle_image) -> coracle_status;
    pub fn coracle_image_read(path: *const c_char, image: *mut *mut coracle_image) -> coracle_status;
    pub fn coracle_image_free(image: *mut coracle_image);
    pub fn coracle_image_width(image: *const coracle_image) -> i32;
    pub fn coracle_image_height(image: *const coracle_image) -> i32;
    pub fn coracle_image_copy(image: *const coracle_image, order: coracle_pixel_order, pixels: *mut c_void, bytes: usize) -> coracle_status;
    pub fn coracle_image_write_png(image: *const coracle_image, path: *const c_char) -> coracle_status;
    pub fn coracle_frame_init(frame: *mut coracle_frame, struct_size: usize);
    pub fn coracle_frame_to_tensor(frame: *const coracle_frame, tensor: *mut c_void, bytes: usize) -> coracle_status;
    pub fn coracle_prediction_task(prediction: *const coracle_prediction) -> *const c_char;
    pub fn coracle_prediction_size(prediction: *const coracle_prediction) -> usize;
    pub fn coracle_prediction_item(prediction: *const coracle_prediction, index: usize, item: *mut coracle_vision_item) -> coracle_status;
    pub fn coracle_prediction_polygon(prediction: *const coracle_prediction, index: usize, points: *mut usize) -> *const f32;
    pub fn coracle_prediction_class_map(prediction: *const coracle_prediction) -> *const i32;
    pub fn coracle_prediction_scores(prediction: *const coracle_prediction, width: *mut i32, height: *mut i32) -> *const f32;
    pub fn coracle_prediction_marks(prediction: *const coracle_prediction) -> *const u8;
    pub fn coracle_prediction_features(prediction: *const coracle_prediction, count: *mut usize) -> *const f32;
    pub fn coracle_prediction_mask(prediction: *const coracle_prediction, index: usize, pixels: *mut c_void, bytes: usize) -> coracle_status;
    pub fn coracle_prediction_mask_counts(prediction: *const coracle_prediction, index: usize, count: *mut usize) -> *const u32;
    pub fn coracle_prediction_draw(prediction: *const coracle_prediction, image: *const coracle_image, drawing: *mut *mut coracle_image) -> coracle_status;
    pub fn coracle_prediction_free(prediction: *mut coracle_prediction);
    pub fn coracle_predictor_options_init(options: *mut coracle_predictor_options, struct_size: usize);
    pub fn coracle_predictor_create(path: *const c_char, options: *const coracle_predictor_options, predictor: *mut *mut coracle_predictor) -> coracle_status;
    pub fn coracle_predictor_create_memory(archive: *const c_void, size: usize, options: *const coracle_predictor_options, predictor: *mut *mut coracle_predictor) -> coracle_status;
    pub fn coracle_predictor_task(predictor: *const coracle_predictor) -> *const c_char;
    pub fn coracle_predictor_assumed(predictor: *const coracle_predictor) -> *const c_char;
    pub fn coracle_predictor_predict(predictor: *mut coracle_predictor, image: *const coracle_image, prediction: *mut *mut coracle_prediction) -> coracle_status;
    pub fn coracle_predictor_cancel(predictor: *mut coracle_predictor) -> coracle_status;
    pub fn coracle_predictor_free(predictor: *mut coracle_predictor);
    pub fn coracle_text_reader_options_init(options: *mut coracle_text_reader_options, struct_size: usize);
    pub fn coracle_text_reader_create(options: *const coracle_text_reader_options, reader: *mut *mut coracle_text_reader) -> coracle_status;
    pub fn coracle_text_reader_read(reader: *mut coracle_text_reader, image: *const coracle_image, prediction: *mut *mut coracle_prediction) -> coracle_status;
    pub fn coracle_text_reader_cancel(reader: *mut coracle_text_reader) -> coracle_status;
    pub fn coracle_text_reader_free(reader: *mut coracle_text_reader);
    pub fn coracle_document_reader_options_init(options: *mut coracle_document_reader_options, struct_size: usize);
    pub fn coracle_document_reader_create(options: *const coracle_document_reader_options, reader: *mut *mut coracle_document_reader) -> coracle_status;
    pub fn coracle_document_reader_read(reader: *mut coracle_document_reader, image: *const coracle_image, document: *mut *mut coracle_document) -> coracle_status;
    pub fn coracle_document_reader_cancel(reader: *mut coracle_document_reader) -> coracle_status;
    pub fn coracle_document_reader_free(reader: *mut coracle_document_reader);
    pub fn coracle_document_turned(document: *const coracle_document) -> i32;
    pub fn coracle_document_page(document: *const coracle_document, page: *mut *mut coracle_image) -> coracle_status;
    pub fn coracle_document_regions(document: *const coracle_document, regions: *mut *mut coracle_prediction) -> coracle_status;
    pub fn coracle_document_lines(document: *const coracle_document, lines: *mut *mut coracle_prediction) -> coracle_status;
    pub fn coracle_document_tables(document: *const coracle_document) -> usize;
    pub fn coracle_document_table(document: *const coracle_document, index: usize, table: *mut *mut coracle_prediction) -> coracle_status;
    pub fn coracle_document_seals(document: *const coracle_document) -> usize;
    pub fn coracle_document_seal(document: *const coracle_document, index: usize, seal: *mut *mut coracle_prediction) -> coracle_status;
    pub fn coracle_document_html(document: *const coracle_document, title: *const c_char, html: *mut *mut c_char) -> coracle_status;
    pub fn coracle_document_markdown(document: *const coracle_document, pictures: *const c_char, markdown: *mut *mut c_char) -> coracle_status;
    pub fn coracle_document_pictures(document: *const coracle_document) -> usize;
    pub fn coracle_document_picture(document: *const coracle_document, index: usize, name: *mut *mut c_char, picture: *mut *mut coracle_image) -> coracle_status;
    pub fn coracle_documents_markdown(documents: *const *const coracle_document, count: usize, pictures: *const c_char, markdown: *mut *mut c_char) -> coracle_status;
    pub fn coracle_document_json(document: *const coracle_document, path: *const c_char, json: *mut *mut c_char) -> coracle_status;
    pub fn coracle_document_draw(document: *const coracle_document, drawing: *mut *mut coracle_image) -> coracle_status;
    pub fn coracle_document_free(document: *mut coracle_document);
}

/// Appends a line for each struct and field: its size, and of a field its place before it.
pub(crate) fn layout(lines: &mut Vec<String>) {
    layout!(lines, coracle_frame, struct_size, planes, strides, format, width, height, left, top, region_width, region_height, tensor_width, tensor_height, order, channels_last, dtype, mean, scale);
    layout!(lines, coracle_vision_item, id, score, text, pixels, points, outline);
    layout!(lines, coracle_predictor_options, struct_size, params, description, task, labels, topk, threshold, threads);
    layout!(lines, coracle_text_reader_options, struct_size, detector, recognizer, classifier, dictionary, min_score, threads);
    layout!(lines, coracle_document_reader_options, struct_size, orientation, unwarper, layout, table, detector, classifier, recognizer, dictionary, min_score, threads, table_orientation, table_classifier, wired_structure, wired_cells, wireless_structure, wireless_cells, seal_detector, seal_recognizer, seal_dictionary);
}
