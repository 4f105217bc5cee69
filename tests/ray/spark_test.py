# SPDX-License-Identifier: Apache-2.0
"""Spark itself with two workers, where pyspark and Java are installed: pip install pyspark pandas, apt-get install openjdk-17-jre-headless."""
import shutil

import numpy as np
import pytest
from conftest import ROWS, WIDTH, inputs, long

pytestmark = long
pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("Java is not installed", allow_module_level=True)

import coracle.spark
from pyspark.ml.functions import predict_batch_udf
from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType, FloatType, IntegerType, StructField, StructType


def test_spark_gives_the_same(folder, expected):
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1").getOrCreate()
    try:
        schema = StructType([StructField("id", IntegerType()), StructField("x", ArrayType(FloatType()))])
        frame = spark.createDataFrame([(number, inputs([number])[0].tolist()) for number in range(ROWS)], schema).repartition(4)
        one = predict_batch_udf(coracle.spark.predict_fn(folder, outputs="y"), return_type=ArrayType(FloatType()), batch_size=7,
                                input_tensor_shapes=[[WIDTH]])
        rows = sorted(frame.select("id", one("x").alias("y")).collect())
        assert [row.id for row in rows] == list(range(ROWS))
        assert np.array_equal(np.array([row.y for row in rows], np.float32), expected)
        fields = StructType([StructField(name, ArrayType(FloatType())) for name in ("y", "p")])
        both = predict_batch_udf(coracle.spark.predict_fn(folder, outputs={"y": "y", "p2": "p"}), return_type=fields, batch_size=32,
                                 input_tensor_shapes=[[WIDTH]])
        rows = sorted(frame.select("id", both("x").alias("r")).collect())
        assert np.array_equal(np.array([row.r.y for row in rows], np.float32), expected)
    finally:
        spark.stop()
