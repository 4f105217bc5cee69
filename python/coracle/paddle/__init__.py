# SPDX-License-Identifier: Apache-2.0
"""Paddle's Python interface for inference over Coracle: `import coracle.paddle.inference as paddle_infer`."""
