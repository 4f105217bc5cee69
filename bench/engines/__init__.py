# SPDX-License-Identifier: Apache-2.0
"""One module per engine. Each has

    class Engine:
        def __init__(self, files, threads, **options)   loads the model; files: see models.Files
        def set_inputs(self, arrays)                     name -> numpy array, kept by the caller
        def run(self)                                    one run, until the outputs can be read
        def outputs(self)                                list of numpy arrays in the model's order
        version                                          text

Importing the module imports the engine's package: a worker measures its memory before and after.
"""
