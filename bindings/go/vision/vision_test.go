// SPDX-License-Identifier: Apache-2.0
package vision_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"coracle.dev/coracle"
	"coracle.dev/coracle/vision"
)

func TestPixelsComeBack(t *testing.T) {
	pixels := make([]byte, 18)
	for i := range pixels {
		pixels[i] = byte(i)
	}
	image, err := vision.NewImage(pixels, 3, 2, vision.RGB)
	if err != nil {
		t.Fatal(err)
	}
	if width, height := image.Size(); width != 3 || height != 2 {
		t.Error(width, height)
	}
	if found, err := image.Pixels(vision.BGR); err != nil || !bytes.Equal(found[:3], []byte{2, 1, 0}) {
		t.Error(found, err)
	}
	path := filepath.Join(t.TempDir(), "a.png")
	if err := image.WritePNG(path); err != nil {
		t.Fatal(err)
	}
	file, _ := os.ReadFile(path)
	for _, read := range []func() (*vision.Image, error){
		func() (*vision.Image, error) { return vision.ReadImage(path) },
		func() (*vision.Image, error) { return vision.DecodeImage(file) },
	} {
		again, err := read()
		if err != nil {
			t.Fatal(err)
		}
		if found, err := again.Pixels(vision.RGB); err != nil || !bytes.Equal(found, pixels) {
			t.Error(found, err)
		}
	}
	image.Close()
	image.Close()
	if width, height := image.Size(); width != 0 || height != 0 {
		t.Error(width, height)
	}
	if _, err := image.Pixels(vision.RGB); !errors.Is(err, coracle.ErrClosed) {
		t.Error(err)
	}
}

func TestWrongPicturesAndModelsAreErrors(t *testing.T) {
	for _, each := range []struct {
		status coracle.Status
		err    error
	}{
		{coracle.InvalidArgument, failure(vision.NewImage(make([]byte, 5), 1, 2, vision.RGB))},
		{coracle.InvalidArgument, failure(vision.NewImage(nil, 0, 0, vision.RGB))},
		{coracle.IO, failure(vision.DecodeImage([]byte("no picture")))},
		{coracle.IO, failure(vision.DecodeImage(nil))},
		{coracle.IO, failure(vision.ReadImage("nowhere.png"))},
		{coracle.IO, failure(vision.NewTextReader(vision.TextReaderOptions{Detector: "nowhere", Recognizer: "nowhere"}))},
		{coracle.InvalidArgument, failure(vision.NewTextReader(vision.TextReaderOptions{}))},
		{coracle.IO, failure(vision.NewPredictor("nowhere", vision.PredictorOptions{}))},
		{coracle.InvalidArgument, failure((*vision.TextReader)(nil).Read(context.Background(), nil))},
		{coracle.InvalidArgument, failure((*vision.Prediction)(nil).Draw(nil))},
	} {
		if !errors.Is(each.err, each.status) {
			t.Errorf("expected %v, found %v", each.status, each.err)
		}
	}
}

func failure[T any](_ T, err error) error { return err }
