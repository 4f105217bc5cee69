# SPDX-License-Identifier: Apache-2.0
"""ResNet-50 and BERT base in PyTorch, with random weights: their times on the GPU, eager and as a CUDA graph.

    torch_networks.py SECONDS      a JSON object a line: network, batch, numbers, ms of each way; then what failed, if something did

Numbers are strict float32, TF32 (products and convolutions) or float16. Without a GPU it runs on the CPU, eager alone, to try the script.
"""
import json
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional


def convolution(inputs, outputs, kernel, stride=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs))


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        self.body = nn.Sequential(convolution(inputs, width, 1), nn.ReLU(), convolution(width, width, 3, stride), nn.ReLU(),
                                  convolution(width, 4 * width, 1))
        same = inputs == 4 * width and stride == 1
        self.shortcut = nn.Identity() if same else convolution(inputs, 4 * width, 1, stride)

    def forward(self, x):
        return functional.relu(self.body(x) + self.shortcut(x))


def resnet50():
    layers, inputs = [convolution(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(blocks):
            layers.append(Bottleneck(inputs, width, stride if i == 0 else 1))
            inputs = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, length, width)
        x = self.norm1(x + self.out(attended))
        return self.norm2(x + self.down(functional.gelu(self.up(x))))


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places, self.norm = nn.Embedding(30522, 768), nn.Embedding(512, 768), nn.LayerNorm(768)
        self.blocks = nn.Sequential(*[Block(768, 12) for _ in range(12)])

    def forward(self, ids):
        places = torch.arange(ids.shape[1], device=ids.device)
        return self.blocks(self.norm(self.words(ids) + self.places(places)))


NETWORKS = {"resnet50": (resnet50, lambda batch: torch.rand(batch, 3, 224, 224)),
            "bert_base": (Bert, lambda batch: torch.randint(0, 30522, (batch, 128)))}


def median_ms(run, seconds, wait):
    for _ in range(3):
        run()
    wait()
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        wait()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def graph_of(network, x):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            network(x)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        network(x)
    return graph


def measure(name, batch, numbers, seconds):
    gpu = torch.cuda.is_available()
    make, make_input = NETWORKS[name]
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = numbers == "tf32"
    network, x = make().eval(), make_input(batch)
    if gpu:
        network, x = network.cuda(), x.cuda()
    if numbers == "float16":
        network, x = network.half(), x.half() if x.is_floating_point() else x
    wait = torch.cuda.synchronize if gpu else lambda: None
    found = {"network": name, "batch": batch, "numbers": numbers, "eager_ms": median_ms(lambda: network(x), seconds, wait)}
    if gpu:
        found["graph_ms"] = median_ms(graph_of(network, x).replay, seconds, wait)
    return found


def main():
    gpu = torch.cuda.is_available()
    with torch.inference_mode():
        for name in NETWORKS:
            for batch in (1, 16) if gpu else (1,):
                for numbers in ("float32", "tf32", "float16") if gpu else ("float32",):
                    try:
                        print(json.dumps(measure(name, batch, numbers, float(sys.argv[1]))), flush=True)
                    except RuntimeError as error:
                        print(json.dumps({"network": name, "batch": batch, "numbers": numbers, "error": str(error)}), flush=True)


if __name__ == "__main__":
    main()
