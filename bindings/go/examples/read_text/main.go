// SPDX-License-Identifier: Apache-2.0

// Reads the lines of text in a picture, by the models of make demo:
//
//	go run ./examples/read_text build/demo-models examples/ocr/demo.jpg
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"coracle.dev/coracle/vision"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: read_text MODELS PICTURE")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := read(ctx, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "read_text:", err)
		os.Exit(1)
	}
}

func read(ctx context.Context, models, picture string) error {
	reader, err := vision.NewTextReader(vision.TextReaderOptions{
		Detector:   filepath.Join(models, "models/ch_PP-OCRv4_det_infer"),
		Recognizer: filepath.Join(models, "models/ch_PP-OCRv4_rec_infer"),
		Classifier: filepath.Join(models, "models/ch_ppocr_mobile_v2_cls_infer"),
		Dictionary: filepath.Join(models, "ch_ppocr_rec/ppocr_keys_v1.txt"),
	})
	if err != nil {
		return err
	}
	defer reader.Close()
	image, err := vision.ReadImage(picture)
	if err != nil {
		return err
	}
	lines, err := reader.Read(ctx, image)
	if err != nil {
		return err
	}
	for number, line := range lines.Items {
		if _, err := fmt.Printf("%3d  %.3f  %s\n", number+1, line.Score, line.Text); err != nil {
			return err
		}
	}
	return nil
}
