// SPDX-License-Identifier: Apache-2.0

// Package vision answers about pictures, by models as they are published, and reads their text. It needs
// libcoracle_vision too. Images and predictions never change and are for any number of goroutines at once; a Predictor and
// a TextReader are for one at a time.
package vision

/*
#cgo pkg-config: coracle
#cgo LDFLAGS: -lcoracle_vision
#include <coracle/vision/vision.h>

static void free_image(void* image) { coracle_image_free((coracle_image*)image); }
static void free_prediction(void* prediction) { coracle_prediction_free((coracle_prediction*)prediction); }
static void free_predictor(void* predictor) { coracle_predictor_free((coracle_predictor*)predictor); }
static void free_text_reader(void* reader) { coracle_text_reader_free((coracle_text_reader*)reader); }
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"coracle.dev/coracle/internal/native"
)

// PixelOrder says which channel of a pixel comes first.
type PixelOrder int

const (
	RGB PixelOrder = C.CORACLE_RGB
	BGR PixelOrder = C.CORACLE_BGR // as OpenCV has it
)

// Image is a picture.
type Image struct {
	handle *native.Handle
}

func newImage(create func(image **C.coracle_image) C.coracle_status) (*Image, error) {
	var image *C.coracle_image
	if err := native.Call(func() int { return int(create(&image)) }); err != nil {
		return nil, err
	}
	return &Image{native.NewHandle("the image", unsafe.Pointer(image), func(image unsafe.Pointer) { C.free_image(image) })}, nil
}

// ReadImage reads a PNG, JPEG, BMP or WebP file.
func ReadImage(path string) (*Image, error) {
	var texts native.Texts
	defer texts.Free()
	name := (*C.char)(texts.Of(path))
	if texts.Err() != nil {
		return nil, texts.Err()
	}
	return newImage(func(image **C.coracle_image) C.coracle_status { return C.coracle_image_read(name, image) })
}

// DecodeImage does the same in memory.
func DecodeImage(bytes []byte) (*Image, error) {
	size := C.size_t(len(bytes))
	if len(bytes) == 0 {
		bytes = nothing[:]
	}
	return newImage(func(image **C.coracle_image) C.coracle_status {
		return C.coracle_image_decode(unsafe.Pointer(&bytes[0]), size, image)
	})
}

// NewImage is an image of three bytes for each pixel, rows from the top.
func NewImage(pixels []byte, width, height int, order PixelOrder) (*Image, error) {
	if width < 0 || height < 0 || width > 1<<27 || height > 1<<27 || len(pixels) != 3*width*height {
		return nil, native.Invalid(fmt.Sprintf("%d x %d pixels are not %d bytes", width, height, len(pixels)))
	}
	if len(pixels) == 0 {
		pixels = nothing[:]
	}
	return newImage(func(image **C.coracle_image) C.coracle_status {
		return C.coracle_image_create(unsafe.Pointer(&pixels[0]), C.int32_t(width), C.int32_t(height), 3, 0, C.coracle_pixel_order(order), image)
	})
}

var nothing [1]byte // where no bytes begin

func (i *Image) use(f func(image *C.coracle_image) error) error {
	if i == nil {
		return native.Invalid("the image is nil")
	}
	return i.handle.Use(func(object unsafe.Pointer) error { return f((*C.coracle_image)(object)) })
}

// Size is how many pixels it is wide and high; 0 once it is closed.
func (i *Image) Size() (width, height int) {
	_ = i.use(func(image *C.coracle_image) error {
		width, height = int(C.coracle_image_width(image)), int(C.coracle_image_height(image))
		return nil
	})
	return width, height
}

// Pixels are three bytes for each pixel, rows from the top.
func (i *Image) Pixels(order PixelOrder) (pixels []byte, err error) {
	err = i.use(func(image *C.coracle_image) error {
		pixels = make([]byte, 3*int(C.coracle_image_width(image))*int(C.coracle_image_height(image)))
		return native.Call(func() int {
			return int(C.coracle_image_copy(image, C.coracle_pixel_order(order), unsafe.Pointer(&pixels[0]), C.size_t(len(pixels))))
		})
	})
	return pixels, err
}

// WritePNG writes it to a file.
func (i *Image) WritePNG(path string) error {
	var texts native.Texts
	defer texts.Free()
	name := (*C.char)(texts.Of(path))
	if texts.Err() != nil {
		return texts.Err()
	}
	return i.use(func(image *C.coracle_image) error {
		return native.Call(func() int { return int(C.coracle_image_write_png(image, name)) })
	})
}

// Close frees it.
func (i *Image) Close() error {
	if i != nil {
		i.handle.Close()
	}
	return nil
}

// Item is one thing that was found.
type Item struct {
	ID      int     // of the class; -1 where there are no classes
	Score   float32 // 0 to 1
	Text    string  // the class's name, or the text that was read
	Pixels  int64   // of a class of a class map, or of a mask; else 0
	Outline [][2]float32
}

// Prediction is what was found in a picture.
type Prediction struct {
	Task  string // "classification", "object-detection", "text-reading" and so on
	Items []Item
	// Features is the vector of a model of features; nil for others.
	Features []float32
	handle   *native.Handle
}

func newPrediction(prediction *C.coracle_prediction) (*Prediction, error) {
	p := &Prediction{Task: C.GoString(C.coracle_prediction_task(prediction)),
		handle: native.NewHandle("the prediction", unsafe.Pointer(prediction), func(prediction unsafe.Pointer) { C.free_prediction(prediction) })}
	err := p.handle.Use(func(unsafe.Pointer) error {
		for index := C.size_t(0); index < C.coracle_prediction_size(prediction); index++ {
			var c C.coracle_vision_item
			if err := native.Call(func() int { return int(C.coracle_prediction_item(prediction, index, &c)) }); err != nil {
				return err
			}
			item := Item{ID: int(c.id), Score: float32(c.score), Text: C.GoString(c.text), Pixels: int64(c.pixels)}
			if c.points > 0 {
				item.Outline = append(item.Outline, unsafe.Slice((*[2]float32)(unsafe.Pointer(c.outline)), int(c.points))...)
			}
			p.Items = append(p.Items, item)
		}
		var count C.size_t
		if features := C.coracle_prediction_features(prediction, &count); features != nil {
			p.Features = append(p.Features, unsafe.Slice((*float32)(unsafe.Pointer(features)), int(count))...)
		}
		return nil
	})
	return p, err
}

// Draw is the picture, which has to be that of the prediction, with what was found in it.
func (p *Prediction) Draw(image *Image) (drawing *Image, err error) {
	if p == nil {
		return nil, native.Invalid("the prediction is nil")
	}
	err = p.handle.Use(func(prediction unsafe.Pointer) error {
		return image.use(func(image *C.coracle_image) error {
			drawing, err = newImage(func(drawing **C.coracle_image) C.coracle_status {
				return C.coracle_prediction_draw((*C.coracle_prediction)(prediction), image, drawing)
			})
			return err
		})
	})
	return drawing, err
}

// Close frees what Draw needs; the fields stay.
func (p *Prediction) Close() error {
	if p != nil {
		p.handle.Close()
	}
	return nil
}

// ended makes a call that cancel ends from another thread, as soon as the context says so.
func ended(ctx context.Context, cancel func(), call func() int) error {
	if err := ctx.Err(); err != nil {
		return &native.Error{Status: native.Cancelled, Message: "cancelled before it began: " + err.Error(), Cause: err}
	}
	over, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-over:
			return
		case <-ctx.Done():
		}
		for { // what has not begun yet does not see it
			cancel()
			select {
			case <-over:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	err := native.Call(call)
	close(over)
	<-stopped
	var failure *native.Error
	if errors.As(err, &failure) && failure.Status == native.Cancelled {
		failure.Cause = ctx.Err()
	}
	return err
}

// PredictorOptions say how a Predictor is made; the zero value is the default.
type PredictorOptions struct {
	Params      string  // the parameter file, where Paddle's naming rules do not find it
	Description string  // inference.yml, where it is not beside the model
	Task        string  // for a model without description
	Labels      string  // a file with a name per line
	TopK        int     // classes at most; 0: as described
	Threshold   float32 // least score of what is found; 0: as described
	Threads     int     // 0: coracle.DefaultThreads
}

// Predictor is a model that answers about pictures as its description says.
type Predictor struct {
	handle *native.Handle
}

// NewPredictor loads a model from a folder, an archive of one or one of its files.
func NewPredictor(path string, options PredictorOptions) (*Predictor, error) {
	var texts native.Texts
	defer texts.Free()
	var c C.coracle_predictor_options
	C.coracle_predictor_options_init(&c, C.sizeof_coracle_predictor_options)
	c.params, c.description = (*C.char)(texts.Or(options.Params)), (*C.char)(texts.Or(options.Description))
	c.task, c.labels = (*C.char)(texts.Or(options.Task)), (*C.char)(texts.Or(options.Labels))
	if options.TopK != 0 {
		c.topk = C.int32_t(options.TopK)
	}
	if options.Threshold != 0 {
		c.threshold = C.float(options.Threshold)
	}
	c.threads = C.int32_t(options.Threads)
	name := (*C.char)(texts.Of(path))
	if texts.Err() != nil {
		return nil, texts.Err()
	}
	var predictor *C.coracle_predictor
	if err := native.Call(func() int { return int(C.coracle_predictor_create(name, &c, &predictor)) }); err != nil {
		return nil, err
	}
	return &Predictor{native.NewHandle("the predictor", unsafe.Pointer(predictor), func(predictor unsafe.Pointer) { C.free_predictor(predictor) })}, nil
}

// Predict answers about a picture. The context ends it.
func (p *Predictor) Predict(ctx context.Context, image *Image) (prediction *Prediction, err error) {
	if p == nil {
		return nil, native.Invalid("the predictor is nil")
	}
	err = p.handle.Use(func(object unsafe.Pointer) error {
		predictor := (*C.coracle_predictor)(object)
		return image.use(func(image *C.coracle_image) error {
			var found *C.coracle_prediction
			err := ended(ctx, func() { C.coracle_predictor_cancel(predictor) }, func() int {
				return int(C.coracle_predictor_predict(predictor, image, &found))
			})
			if err == nil {
				prediction, err = newPrediction(found)
			}
			return err
		})
	})
	return prediction, err
}

// Close frees it, when a call of another goroutine that uses it now has ended.
func (p *Predictor) Close() error {
	if p != nil {
		p.handle.Close()
	}
	return nil
}

// TextReaderOptions name the models of a TextReader; Detector and Recognizer are needed.
type TextReaderOptions struct {
	Detector   string  // a model that finds lines
	Recognizer string  // a model that reads them
	Classifier string  // a model that tells lines which stand on their head
	Dictionary string  // a character per line, where the recogniser has no inference.yml
	MinScore   float32 // lines below it are left out; 0: 0.5
	Threads    int     // 0: coracle.DefaultThreads
}

// TextReader reads the lines of text in pictures.
type TextReader struct {
	handle *native.Handle
}

// NewTextReader loads the models of a reader.
func NewTextReader(options TextReaderOptions) (*TextReader, error) {
	var texts native.Texts
	defer texts.Free()
	var c C.coracle_text_reader_options
	C.coracle_text_reader_options_init(&c, C.sizeof_coracle_text_reader_options)
	c.detector, c.recognizer = (*C.char)(texts.Or(options.Detector)), (*C.char)(texts.Or(options.Recognizer))
	c.classifier, c.dictionary = (*C.char)(texts.Or(options.Classifier)), (*C.char)(texts.Or(options.Dictionary))
	if options.MinScore != 0 {
		c.min_score = C.float(options.MinScore)
	}
	c.threads = C.int32_t(options.Threads)
	if texts.Err() != nil {
		return nil, texts.Err()
	}
	var reader *C.coracle_text_reader
	if err := native.Call(func() int { return int(C.coracle_text_reader_create(&c, &reader)) }); err != nil {
		return nil, err
	}
	return &TextReader{native.NewHandle("the reader", unsafe.Pointer(reader), func(reader unsafe.Pointer) { C.free_text_reader(reader) })}, nil
}

// Read is the lines of text in reading order. The context ends it.
func (r *TextReader) Read(ctx context.Context, image *Image) (lines *Prediction, err error) {
	if r == nil {
		return nil, native.Invalid("the reader is nil")
	}
	err = r.handle.Use(func(object unsafe.Pointer) error {
		reader := (*C.coracle_text_reader)(object)
		return image.use(func(image *C.coracle_image) error {
			var found *C.coracle_prediction
			err := ended(ctx, func() { C.coracle_text_reader_cancel(reader) }, func() int {
				return int(C.coracle_text_reader_read(reader, image, &found))
			})
			if err == nil {
				lines, err = newPrediction(found)
			}
			return err
		})
	})
	return lines, err
}

// Close frees it, when a call of another goroutine that uses it now has ended.
func (r *TextReader) Close() error {
	if r != nil {
		r.handle.Close()
	}
	return nil
}
