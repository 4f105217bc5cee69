# SPDX-License-Identifier: Apache-2.0
# Reads the text of all pictures of a folder into Parquet: python read_texts.py PICTURES TEXTS --detector DET --recognizer REC
import argparse

import coracle.ray
import ray

parser = argparse.ArgumentParser(description="Reads the text of all pictures of a folder into Parquet.")
parser.add_argument("pictures", help="folder or address of pictures, as ray.data.read_binary_files takes it")
parser.add_argument("texts", help="folder to write: path, text, lines (JSON) and error of each picture")
for model in ("detector", "recognizer", "classifier", "dictionary"):
    parser.add_argument("--" + model, required=model in ("detector", "recognizer"), help="as of coracle.ocr, a path on every machine")
parser.add_argument("--workers", type=int, default=1, help="processes that read, each with one CPU of the cluster")
arguments = vars(parser.parse_args())
pictures, texts, workers = (arguments.pop(name) for name in ("pictures", "texts", "workers"))

ray.data.read_binary_files(pictures, include_paths=True).map_batches(
    coracle.ray.TextReader, fn_constructor_kwargs={**arguments, "errors": "column"}, batch_size=8, num_cpus=1,
    compute=ray.data.ActorPoolStrategy(size=workers)).write_parquet(texts)
