/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORACLE_VISION_VISION_H_
#define CORACLE_VISION_VISION_H_

/**
 * The C interface of libcoracle_vision: answers about pictures, by models as they are published (docs/predict.md).
 *
 * - Handles are opaque. Whoever gets one from a function that makes it frees it with its `*_free` (null is fine).
 *   Handles do not depend on each other: an image may be freed while a prediction of it lives.
 * - Functions that can fail return a coracle_status and leave a message for coracle_last_error() in the calling thread,
 *   as those of coracle.h do. Nothing throws, prints or aborts.
 * - Images, predictions and documents never change and are for any number of threads at once. A predictor or reader is
 *   for one thread at a time, which is checked (CORACLE_INVALID_ARGUMENT); `*_cancel` is for any thread.
 * - Option structs start with `struct_size`: call `*_options_init` with the size of the struct, then set fields. Fields
 *   are only ever added at the end. Strings are UTF-8 and end with a zero byte; null ones are not given.
 */

#include "coracle/coracle.h"

#if defined(__GNUC__) && !defined(_WIN32)
#define CORACLE_VISION_API __attribute__((visibility("default")))
#else
#define CORACLE_VISION_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct coracle_image coracle_image;
typedef struct coracle_predictor coracle_predictor;
typedef struct coracle_text_reader coracle_text_reader;
typedef struct coracle_prediction coracle_prediction;
typedef struct coracle_document_reader coracle_document_reader;
typedef struct coracle_document coracle_document;

/* ---- images ---- */

typedef enum coracle_pixel_order {
  CORACLE_RGB = 0, /**< red first */
  CORACLE_BGR = 1  /**< blue first, as OpenCV has it */
} coracle_pixel_order;

/**
 * An image of pixels in memory, which are copied: rows from the top, pixels of 8-bit channels. `channels`: 1 (grey),
 * 3, or 4, the last of which, transparency, is dropped. `stride`: bytes from the start of a row to that of the next; 0:
 * there is nothing between rows.
 */
CORACLE_VISION_API coracle_status coracle_image_create(const void* pixels, int32_t width, int32_t height,
                                                       int32_t channels, size_t stride, coracle_pixel_order order,
                                                       coracle_image** image);
/** A PNG, JPEG, BMP or WebP file in memory, turned as its EXIF orientation says. CORACLE_IO if it is none, is damaged
 * or larger than 2^27 pixels. */
CORACLE_VISION_API coracle_status coracle_image_decode(const void* bytes, size_t size, coracle_image** image);
/** The same of a file on disk. */
CORACLE_VISION_API coracle_status coracle_image_read(const char* path, coracle_image** image);
CORACLE_VISION_API void coracle_image_free(coracle_image* image);

/** 0 for null. */
CORACLE_VISION_API int32_t coracle_image_width(const coracle_image* image);
CORACLE_VISION_API int32_t coracle_image_height(const coracle_image* image);
/** Copies the pixels, three bytes each and nothing between rows, to `pixels`, which has room for exactly `bytes`. */
CORACLE_VISION_API coracle_status coracle_image_copy(const coracle_image* image, coracle_pixel_order order,
                                                     void* pixels, size_t bytes);
CORACLE_VISION_API coracle_status coracle_image_write_png(const coracle_image* image, const char* path);

/* ---- camera frames ---- */

/** How the pixels of a frame lie in memory. NV12 and NV21: a plane of Y, then one of pairs for two by two pixels each,
 * U and V (NV12) or V and U (NV21), (width + 1) / 2 pairs in each of (height + 1) / 2 rows. */
typedef enum coracle_frame_format {
  CORACLE_FRAME_RGB = 0,
  CORACLE_FRAME_BGR = 1,
  CORACLE_FRAME_RGBA = 2, /**< the fourth byte is dropped, here and below */
  CORACLE_FRAME_BGRA = 3,
  CORACLE_FRAME_NV12 = 4,
  CORACLE_FRAME_NV21 = 5 /**< what Android's cameras give */
} coracle_frame_format;

/** A frame of a camera, and the input tensor that is to be made of it. */
typedef struct coracle_frame {
  size_t struct_size;
  const void* planes[2]; /**< the second of NV12 and NV21 only */
  size_t strides[2];     /**< bytes from the start of a row to that of the next; 0: there is nothing between rows */
  coracle_frame_format format;
  int32_t width;
  int32_t height;
  int32_t left; /**< the region of interest, in pixels of the frame */
  int32_t top;
  int32_t region_width; /**< 0: up to the frame's edge, here and below */
  int32_t region_height;
  int32_t tensor_width; /**< what the region is resized to */
  int32_t tensor_height;
  coracle_pixel_order order; /**< of the tensor's channels */
  int32_t channels_last;     /**< 0: NCHW, which is what most models take; else NHWC */
  coracle_dtype dtype;       /**< CORACLE_FLOAT32, CORACLE_UINT8 or CORACLE_INT8 */
  float mean[3];             /**< for each channel of the tensor, in its order; 0 after init */
  float scale[3];            /**< 1 after init */
} coracle_frame;

/** Sets `struct_size` and all defaults. `struct_size` is sizeof(coracle_frame). */
CORACLE_VISION_API void coracle_frame_init(coracle_frame* frame, size_t struct_size);

/**
 * Writes the tensor of a frame, of [1, 3, tensor_height, tensor_width] or [1, tensor_height, tensor_width, 3] elements,
 * to `tensor`, which has room for exactly `bytes` and is aligned for its elements. In one step over the rows
 *
 * 1. Y, U and V become red, green and blue as BT.601 has it for video (Y from 16 to 235), rounded to 0 to 255:
 *    R = 1.164 (Y - 16) + 1.596 (V - 128), G = 1.164 (Y - 16) - 0.813 (V - 128) - 0.391 (U - 128),
 *    B = 1.164 (Y - 16) + 2.018 (U - 128), where Y below 16 counts as 16: the bits of OpenCV's COLOR_YUV2RGB_NV12;
 * 2. the region is resized bilinearly, with pixels' centres at halves, to whole numbers from 0 to 255: the bits of
 *    OpenCV's INTER_LINEAR, as coracle_predictor_predict has them;
 * 3. an element is (pixel - mean) * scale; for uint8 and int8 rounded to the nearest whole number that the type has,
 *    half to even.
 *
 * Only pixels that count are read. CORACLE_INVALID_ARGUMENT says what does not fit. For any thread.
 */
CORACLE_VISION_API coracle_status coracle_frame_to_tensor(const coracle_frame* frame, void* tensor, size_t bytes);

/* ---- predictions ---- */

/** One thing that was found. Texts and outlines live as long as the prediction. */
typedef struct coracle_vision_item {
  int32_t id;           /**< of the class; -1 where there are no classes */
  float score;          /**< 0 to 1; of a class of a class map its part of the pixels */
  const char* text;     /**< the class's name, or the text that was read; never null */
  int64_t pixels;       /**< of a class of a class map, or of a mask; else 0 */
  size_t points;        /**< corners of the outline, 0 where what was found has no place in the picture */
  const float* outline; /**< x and y of each corner in pixels: for boxes from the top left on, clockwise; of text boxes
                             the top left is where reading begins; turned boxes of objects in the model's order; a
                             keypoint is one */
} coracle_vision_item;

/** "classification", "multilabel", "text-detection", "text-recognition", "object-detection", "segmentation",
 * "table-structure", "unwarping", "features", "instance-segmentation", "keypoints" or "anomaly"; "text-reading" of a
 * text reader. Lives as long as the prediction. */
CORACLE_VISION_API const char* coracle_prediction_task(const coracle_prediction* prediction);
/** How many things were found. Of a table, item 0 is the whole, its text HTML without the text of the cells, and the
 * others are the cells; of unwarping and features there are none: coracle_prediction_draw gives the flat page,
 * coracle_prediction_features the vector. Of a map of anomalies item 0 is the whole, with its greatest score and how
 * many of its pixels are marked. */
CORACLE_VISION_API size_t coracle_prediction_size(const coracle_prediction* prediction);
CORACLE_VISION_API coracle_status coracle_prediction_item(const coracle_prediction* prediction, size_t index,
                                                          coracle_vision_item* item);
/** Of a text box or line of a detector of bent text, whose outline is a rectangle round it: x and y of the `*points`
 * points of the polygon, as long as the prediction lives; null and 0 for other items. `points` may be null. */
CORACLE_VISION_API const float* coracle_prediction_polygon(const coracle_prediction* prediction, size_t index,
                                                           size_t* points);
/** Segmentation: the class of each pixel, row after row, as long as the prediction lives; null for other tasks. */
CORACLE_VISION_API const int32_t* coracle_prediction_class_map(const coracle_prediction* prediction);
/** Anomaly: the scores of `*width` x `*height` places that lie over the whole picture, row after row, as long as the
 * prediction lives; null and 0 for other tasks. `width` and `height` may be null. */
CORACLE_VISION_API const float* coracle_prediction_scores(const coracle_prediction* prediction, int32_t* width,
                                                          int32_t* height);
/** Anomaly: for each of these 1 in regions above the threshold, else 0; null for other tasks. */
CORACLE_VISION_API const uint8_t* coracle_prediction_marks(const coracle_prediction* prediction);
/** Features: `*count` numbers, a vector of length 1, as long as the prediction lives; null and 0 for other tasks.
 * `count` may be null. */
CORACLE_VISION_API const float* coracle_prediction_features(const coracle_prediction* prediction, size_t* count);
/** Instance segmentation: copies the mask of an item to `pixels`, which has room for exactly `bytes`, one for each
 * pixel of the picture: row after row, 1 inside and 0 outside. */
CORACLE_VISION_API coracle_status coracle_prediction_mask(const coracle_prediction* prediction, size_t index,
                                                          void* pixels, size_t bytes);
/** The same as `*count` run lengths, as long as the prediction lives: how many pixels are outside and inside in turn,
 * outside first, one column after the other from the left and each from the top, which is COCO's uncompressed form.
 * Null and 0 where an item has no mask. `count` may be null. */
CORACLE_VISION_API const uint32_t* coracle_prediction_mask_counts(const coracle_prediction* prediction, size_t index,
                                                                  size_t* count);
/** The picture, which must be that of the prediction or have its size, with what was found in it: outlines with their
 * numbers from 1 on, or classes in colours; of unwarping the flat page. */
CORACLE_VISION_API coracle_status coracle_prediction_draw(const coracle_prediction* prediction,
                                                          const coracle_image* image, coracle_image** drawing);
CORACLE_VISION_API void coracle_prediction_free(coracle_prediction* prediction);

/* ---- one model ---- */

typedef struct coracle_predictor_options {
  size_t struct_size;
  const char* params;      /**< parameter file, where Paddle's naming rules do not find it */
  const char* description; /**< inference.yml, where it is not beside the model */
  const char* task;        /**< for a model without description */
  const char* labels;      /**< file with a name per line; a dictionary of characters for text recognition */
  int32_t topk;            /**< classes at most; negative: as described */
  float threshold;         /**< least score of labels, boxes, objects and points; negative: as described */
  int32_t threads;         /**< 0: coracle_default_threads() */
} coracle_predictor_options;

CORACLE_VISION_API void coracle_predictor_options_init(coracle_predictor_options* options, size_t struct_size);
/** `path`: a folder, an archive of one (.tar, .tar.gz, .zip) or one of its files. `options` may be null. */
CORACLE_VISION_API coracle_status coracle_predictor_create(const char* path, const coracle_predictor_options* options,
                                                           coracle_predictor** predictor);
/** From an archive in memory, whose bytes must stay as they are while the predictor lives. */
CORACLE_VISION_API coracle_status coracle_predictor_create_memory(const void* archive, size_t size,
                                                                  const coracle_predictor_options* options,
                                                                  coracle_predictor** predictor);
/** As coracle_prediction_task says it of what it predicts; null for null. */
CORACLE_VISION_API const char* coracle_predictor_task(const coracle_predictor* predictor);
/** How pictures are prepared where no description says it: a line for the user that names the family of models, or the
 * task, whose way was assumed. Empty where a description says it; null for null. Lives as long as the predictor. */
CORACLE_VISION_API const char* coracle_predictor_assumed(const coracle_predictor* predictor);
CORACLE_VISION_API coracle_status coracle_predictor_predict(coracle_predictor* predictor, const coracle_image* image,
                                                            coracle_prediction** prediction);
/** Ends what another thread has this predictor do, with CORACLE_CANCELLED there, when a model runs or begins to run; as
 * coracle_session_cancel. */
CORACLE_VISION_API coracle_status coracle_predictor_cancel(coracle_predictor* predictor);
/** Not while another thread uses it. */
CORACLE_VISION_API void coracle_predictor_free(coracle_predictor* predictor);

/* ---- reading text ---- */

typedef struct coracle_text_reader_options {
  size_t struct_size;
  const char* detector;   /**< a model that finds lines */
  const char* recognizer; /**< a model that reads them */
  const char* classifier; /**< a model that tells lines which stand on their head; null: none does */
  const char* dictionary; /**< a character per line, where the recogniser has no inference.yml */
  float min_score;        /**< lines below it are left out; 0.5 after init */
  int32_t threads;        /**< 0: coracle_default_threads() */
} coracle_text_reader_options;

CORACLE_VISION_API void coracle_text_reader_options_init(coracle_text_reader_options* options, size_t struct_size);
/** `detector` and `recognizer` must be given. */
CORACLE_VISION_API coracle_status coracle_text_reader_create(const coracle_text_reader_options* options,
                                                             coracle_text_reader** reader);
/** The lines of text in reading order. */
CORACLE_VISION_API coracle_status coracle_text_reader_read(coracle_text_reader* reader, const coracle_image* image,
                                                           coracle_prediction** prediction);
/** As coracle_predictor_cancel. */
CORACLE_VISION_API coracle_status coracle_text_reader_cancel(coracle_text_reader* reader);
CORACLE_VISION_API void coracle_text_reader_free(coracle_text_reader* reader);

/* ---- reading documents ---- */

/** A model for each stage; null: the stage is left out. At least one is needed. */
typedef struct coracle_document_reader_options {
  size_t struct_size;
  const char* orientation; /**< tells which of its four sides is up (classes 0, 90, 180, 270) */
  const char* unwarper;    /**< makes a bent page flat */
  const char* layout;      /**< finds regions: an object detector */
  const char* table;       /**< tells the structure of tables: of the layout's, or without one of the page as a whole */
  const char* detector;    /**< finds lines; null with a recogniser: the page is one line */
  const char* classifier;  /**< tells lines which stand on their head */
  const char* recognizer;  /**< reads lines; null with a detector: they have no text, their score is the detector's */
  const char* dictionary;  /**< a character per line, where the recogniser has no inference.yml */
  float min_score;         /**< lines that were read below it are left out; 0.5 after init */
  int32_t threads;         /**< 0: coracle_default_threads() */
  /* Instead of `table`, models for wired tables, whose cells have lines round them, and for wireless ones. For a kind
   * with a structure alone the structure's cells count; with cells beside it the detector's, which are fitted to the
   * structure; with cells alone the structure comes from them. */
  const char* table_orientation; /**< tells which side of a table is up (classes 0, 90, 180, 270); also with `table` */
  const char* table_classifier;  /**< tells both kinds (classes wired_table, wireless_table); null: there is but one */
  const char* wired_structure;
  const char* wired_cells; /**< finds cells: an object detector */
  const char* wireless_structure;
  const char* wireless_cells;
  const char* seal_detector;   /**< finds text of seals: of the layout's, or without one of the page as a whole */
  const char* seal_recognizer; /**< reads it; null: `recognizer` does */
  const char* seal_dictionary; /**< a character per line, where `seal_recognizer` has no inference.yml */
} coracle_document_reader_options;

CORACLE_VISION_API void coracle_document_reader_options_init(coracle_document_reader_options* options,
                                                             size_t struct_size);
CORACLE_VISION_API coracle_status coracle_document_reader_create(const coracle_document_reader_options* options,
                                                                 coracle_document_reader** reader);
CORACLE_VISION_API coracle_status coracle_document_reader_read(coracle_document_reader* reader,
                                                               const coracle_image* image, coracle_document** document);
/** As coracle_predictor_cancel. */
CORACLE_VISION_API coracle_status coracle_document_reader_cancel(coracle_document_reader* reader);
CORACLE_VISION_API void coracle_document_reader_free(coracle_document_reader* reader);

/** By how many degrees the picture was turned anticlockwise; 0 for null. */
CORACLE_VISION_API int32_t coracle_document_turned(const coracle_document* document);
/** The picture upright and flat, to which all coordinates of a document belong. */
CORACLE_VISION_API coracle_status coracle_document_page(const coracle_document* document, coracle_image** page);
/** The regions in the order of reading, as of "object-detection" on the page. */
CORACLE_VISION_API coracle_status coracle_document_regions(const coracle_document* document,
                                                           coracle_prediction** regions);
/** The lines from top to bottom, as of "text-reading" on the page. */
CORACLE_VISION_API coracle_status coracle_document_lines(const coracle_document* document, coracle_prediction** lines);
/** How many tables there are, in the order of their regions; 0 for null. */
CORACLE_VISION_API size_t coracle_document_tables(const coracle_document* document);
/** A table as of "table-structure" on the page, its cells in whole pixels, but item 0 has the table's outline, and its
 * HTML the text of the cells. */
CORACLE_VISION_API coracle_status coracle_document_table(const coracle_document* document, size_t index,
                                                         coracle_prediction** table);
/** How many seals there are, one for each of their regions, in the same order; 0 for null. */
CORACLE_VISION_API size_t coracle_document_seals(const coracle_document* document);
/** A seal as of "text-reading" on the page, but item 0 is the whole: the outline of its region, with the texts of all
 * lines, a line for each. The others are its lines, those that are bent with their polygons. */
CORACLE_VISION_API coracle_status coracle_document_seal(const coracle_document* document, size_t index,
                                                        coracle_prediction** seal);
/** A page of HTML: regions with their lines in the order of reading, tables as such, then lines in no region. `title`
 * may be null. Free the text with coracle_string_free. */
CORACLE_VISION_API coracle_status coracle_document_html(const coracle_document* document, const char* title,
                                                        char** html);
/** The page as Markdown in the form of PP-StructureV3: titles, paragraphs, tables as HTML and references to pictures in
 * the order of reading. `pictures` goes before the pictures' names: a folder with its slash, and what tells them from
 * those of other pages; null: "imgs/". Free the text with coracle_string_free. */
CORACLE_VISION_API coracle_status coracle_document_markdown(const coracle_document* document, const char* pictures,
                                                            char** markdown);
/** How many pictures the Markdown refers to, in their order there; 0 for null. */
CORACLE_VISION_API size_t coracle_document_pictures(const coracle_document* document);
/** A picture and its name (.jpg) without what goes before it. Free the name with coracle_string_free. */
CORACLE_VISION_API coracle_status coracle_document_picture(const coracle_document* document, size_t index, char** name,
                                                           coracle_image** picture);
/** The pages of a document as one Markdown text, in which paragraphs go on over the end of a page. Names of pictures
 * begin with `pictures` and "page_1_", "page_2_" and so on. Free the text with coracle_string_free. */
CORACLE_VISION_API coracle_status coracle_documents_markdown(const coracle_document* const* documents, size_t count,
                                                             const char* pictures, char** markdown);
/** The page in the structure of PP-StructureV3's res.json: `parsing_res_list` with the blocks in the order of reading,
 * `layout_det_res`, `overall_ocr_res`, `table_res_list`. `path` of the picture may be null. Free the text with
 * coracle_string_free. */
CORACLE_VISION_API coracle_status coracle_document_json(const coracle_document* document, const char* path,
                                                        char** json);
/** The page with the outlines of regions and lines, lines with their numbers. */
CORACLE_VISION_API coracle_status coracle_document_draw(const coracle_document* document, coracle_image** drawing);
CORACLE_VISION_API void coracle_document_free(coracle_document* document);

#ifdef __cplusplus
}
#endif

#endif /* CORACLE_VISION_VISION_H_ */
