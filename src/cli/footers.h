// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What stands below the options of each command: what it does, and examples.
namespace coracle::cli {

constexpr const char* kRunFooter =
    "Inputs without a file get made-up values: the same for the same seed, name and shape.\n"
    "\nExamples:\n"
    "  coracle run model_dir --shape x=1,3,640,640 --output-dir out\n"
    "  coracle run inference.json --input x=image.npy --threads 2 --json\n"
    "  coracle run __model__ --params __params__ --input image=photo.jpg --shape image=1,3,224,224\n"
    "  coracle run classifier --input x=photos/ --resize short:256 --mean 0.485,0.456,0.406 --std 0.229,0.224,0.225\n"
    "      --jobs 2 --json     each file of a folder, for a model that was trained so\n"
    "  coracle run model_dir --input inputs.npz     arrays by the names of inputs\n"
    "  coracle run tagger --input words=words.npy --lod words=0,3,7";

constexpr const char* kInspectFooter =
    "Examples:\n"
    "  coracle inspect inference.pdmodel\n"
    "  coracle inspect model_dir --json\n"
    "  coracle inspect model_dir --shape x=1,3,640,640     with the memory of such a run";

constexpr const char* kOptimizeFooter =
    "Writes the model as it is after rewriting, with its weights, to one file that every command takes as a model. It "
    "loads without rewriting and gives the same results to the bit, on every machine. The weights also stand in it in "
    "the "
    "order that kernels want for inputs of the given (else the declared) shapes, on this machine or with --isa: a "
    "first "
    "run of such shapes need not pack them. Other machines and shapes pack what they want for themselves.\n"
    "With --engines or --mark the file keeps which parts of the model engines run, so that loading it looks for none, "
    "and "
    "what the engines compiled for such inputs and threads in place of the packed weights. Where an engine is missing "
    "or "
    "another, the parts are compiled there, or run natively.\n"
    "\nExamples:\n"
    "  coracle optimize model_dir -o model.coracle --shape x=1,3,640,640\n"
    "  coracle optimize model_dir -o model.coracle --no-packed          about half the size\n"
    "  coracle optimize model_dir -o model.coracle --shape x=1,3,640,640 --engines openvino\n"
    "  coracle inspect model.coracle --check                 what it was made of; are its weights as they were "
    "written?";

constexpr const char* kExplainFooter =
    "Examples:\n"
    "  coracle explain model_dir --shape x=1,3,640,640\n"
    "  coracle explain model_dir --shape x=1,3,640,640 --isa avx2 --disable-kernels conv2d.winograd\n"
    "  coracle explain model_dir --shape x=1,3,640,640 --device opencl                         places and copies\n"
    "  coracle explain model_dir --shape x=1,3,640,640 --engines openvino                      blocks of engines";

constexpr const char* kBenchFooter =
    "Examples:\n"
    "  coracle bench model_dir --shape x=1,3,640,640 --threads 2\n"
    "  coracle bench inference.json --shape x=8,3,48,320 --warmup 5 --repeat 200 --json\n"
    "  coracle bench model_dir --shape x=1,3,48,320 --sessions 8 --threads 1 --duration 10     throughput";

constexpr const char* kCompareFooter =
    "A is MODEL; B is OTHER, or MODEL under other options (--b), stored results (--expected), or another engine\n"
    "(--engine). With none of these B is MODEL without rewriting. Options of runs are for both sides; --a and --b set\n"
    "for one: params, isa, passes (on, off), disable-passes, max-rewrites, disable-kernels, precision, emulate-tiles,\n"
    "weights, device, threads. Where outputs differ, the first operator and the rewrite responsible are looked for.\n"
    "Exit code 7 if outputs differ beyond |a - b| <= atol + rtol * |b|; integers must be equal.\n"
    "\nExamples:\n"
    "  coracle compare model_dir --shape x=1,3,640,640 --b isa=avx2\n"
    "  coracle compare model_dir converted_dir --data inputs --rtol 1e-2\n"
    "  coracle compare model_dir --data inputs --expected results       as 'coracle run --output-dir results' wrote\n"
    "  coracle compare model_dir --shape x=1,3,640,640 --engine paddle\n"
    "  coracle compare model_dir model.onnx --shape x=1,3,640,640 --engine onnxruntime --python venv/bin/python";

constexpr const char* kDevicesFooter =
    "Processors and other devices, and the engines that may run parts of models, with what is missing.\n"
    "\nExamples:\n"
    "  coracle devices\n"
    "  coracle devices --json";

constexpr const char* kDoctorFooter =
    "Examples:\n"
    "  coracle doctor                                        the machine\n"
    "  coracle doctor model_dir --shape x=1,3,640,640        the model on it, too";

constexpr const char* kProfileFooter =
    "Examples:\n"
    "  coracle profile model_dir --shape x=1,3,640,640\n"
    "  coracle profile model_dir --shape x=1,3,640,640 --nodes          node by node, the slowest first\n"
    "  coracle profile model_dir --shape x=1,3,640,640 -o trace.json     for chrome://tracing or ui.perfetto.dev";

constexpr const char* kPredictFooter =
    "What is done to a picture before the model runs, and what its outputs mean, is read from inference.yml beside the "
    "model (PaddleX, PaddleClas, PaddleOCR), infer_cfg.yml (PaddleDetection) or deploy.yaml (PaddleSeg). Pictures that "
    "cannot be read are named and do not stop the others; the exit code is then 5.\n"
    "\nExamples:\n"
    "  coracle predict PP-LCNet_x1_0_infer cat.jpg dog.jpg\n"
    "  coracle predict PP-OCRv5_mobile_det_infer scans --draw out --json\n"
    "  coracle predict old_model photos --task classification --labels classes.txt --topk 3 --csv";

constexpr const char* kGraphFooter =
    "Examples:\n"
    "  coracle graph model_dir -o model.html                 to open in a browser; needs no network\n"
    "  coracle graph model_dir --stage loaded -o before.svg  before the first rewrite\n"
    "  coracle graph model_dir --shape x=1,3,640,640 -o model.html     with the shapes of such a run\n"
    "  coracle graph model_dir | dot -Tpdf -o model.pdf      by Graphviz";

constexpr const char* kCompletionFooter =
    "Examples:\n"
    "  source <(coracle completion bash)                                       in ~/.bashrc\n"
    "  coracle completion zsh >~/.zfunc/_coracle                               in a folder of fpath\n"
    "  coracle completion fish >~/.config/fish/completions/coracle.fish";

constexpr const char* kManualFooter =
    "Examples:\n"
    "  coracle manual run | man -l -\n"
    "  coracle manual --output-dir /usr/local/share/man/man1";

constexpr const char* kQuantizeFooter =
    "Products and convolutions with constant weights compute with integers of 8 bits. How far values reach is seen in "
    "runs with real inputs; every fifth set is held back, and answers are compared for those. A decision is which "
    "element of an output is the largest: along dimension 1 of four, else along the last one; of one alone, whether it "
    "is at least one half.\n"
    "\nExamples:\n"
    "  coracle quantize model_dir --input x=photos -o int8_dir               a run for each file of a folder\n"
    "  coracle quantize model_dir --data a.npz --data b.npz -o int8_dir --max-drop 1\n"
    "  coracle quantize model_dir --input x=photos -o model.coracle --method kl --report report.html\n"
    "  coracle quantize model_dir --half -o half_dir                        smaller weights, no inputs needed";

constexpr const char* kShapesFooter =
    "The file is the one that Paddle's CollectShapeRangeInfo writes and EnableTunedTensorRtDynamicShape reads: least, "
    "largest and most frequent sizes of each variable of the model, and the values of small integers.\n"
    "\nExamples:\n"
    "  coracle shapes model_dir --shape x=1,3,640,640 -o shape_range_info.pbtxt\n"
    "  coracle shapes model_dir --data small.npy --data large.npy -o shape_range_info.pbtxt\n"
    "  coracle shapes model_dir --input x=photos -o shape_range_info.pbtxt     a run for each file of a folder";

}  // namespace coracle::cli
