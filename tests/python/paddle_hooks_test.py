# SPDX-License-Identifier: Apache-2.0
"""Hooks, ranges of shapes and dumps of graphs of coracle.paddle.inference."""
import pathlib
import subprocess
import sys

import coracle
import coracle.paddle.inference as paddle_infer
import numpy as np
import program_file
import pytest
import watch_script

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "build" / "demo-models" / "models"
VENVS = {"2.6.2": ROOT / "build" / "oracle-venv", "3.3.1": ROOT / "build" / "oracle-venv-3.3"}
X = np.arange(8, dtype=np.float32).reshape(2, 4) - 3


@pytest.fixture
def config(linear_files):
    return paddle_infer.Config(*map(str, linear_files))


def run(predictor, x=X):
    predictor.get_input_handle("x").copy_from_cpu(x)
    assert predictor.run()
    return predictor.get_output_handle("y").copy_to_cpu()


def test_hooks_see_every_argument_of_every_operator(config):
    config.switch_ir_optim(False)
    predictor = paddle_infer.create_predictor(config)
    results, operands = {}, []
    predictor.register_output_hook(lambda op, name, tensor: results.update({name: tensor}))
    predictor.register_input_hook(lambda op, name, tensor: operands.append((op, name)))
    y = run(predictor)
    assert operands == [("matmul", "x"), ("matmul", "w000"), ("relu", "p0")] and list(results.keys()) == ["p0", "y"]
    tensor = results["y"]
    assert np.array_equal(tensor.numpy(), y) and tensor.shape == [2, 4] and tensor.name == "y" and tensor.dtype == np.float32
    assert np.array_equal(np.array(tensor), y) and tensor.max() == y.max() and "name=y" in repr(tensor)
    assert not hasattr(tensor, "no_such_thing")
    run(predictor.clone())
    assert len(operands) == 3, "clones have no hooks"


def test_fused_operators_show_what_comes_out(config):
    predictor = paddle_infer.create_predictor(config)
    names = []
    predictor.register_output_hook(lambda op, name, tensor: names.append(name))
    run(predictor)
    assert names and "y" in names


def test_what_a_hook_raises_comes_out_of_run(config):
    predictor = paddle_infer.create_predictor(config)
    angry = [True]

    def hook(op, name, tensor):
        if angry:
            raise IndexError("of the hook")

    predictor.register_input_hook(hook)
    with pytest.raises(IndexError, match="of the hook"):
        run(predictor)
    angry.clear()
    assert run(predictor).shape == (2, 4)
    predictor.register_output_hook(lambda *_: predictor.run())
    with pytest.raises(coracle.InvalidArgumentError, match="its own observer"):
        predictor.run()
    with pytest.raises(TypeError, match="function of three arguments"):
        predictor.register_output_hook(None)


def test_ranges_are_written_when_the_last_predictor_is_gone(config, tmp_path):
    file = tmp_path / "shapes.txt"
    assert not config.shape_range_info_collected() and config.shape_range_info_path() == ""
    config.collect_shape_range_info(str(file))
    assert config.shape_range_info_collected() and config.shape_range_info_path() == str(file)
    predictor = paddle_infer.create_predictor(config)
    clone = predictor.clone()
    for rows in (2, 5, 5, 3):
        run(clone if rows == 2 else predictor, np.ones((rows, 4), np.float32))
    del predictor
    assert not file.exists()
    del clone
    record = 'shape_range_info {\n  name: "%s"\n' + "".join("  %s_shape: %%d\n  %s_shape: 4\n" % (kind, kind)
                                                              for kind in ("min", "max", "opt")) + "}\n"
    assert file.read_text() == record % ("p0", 2, 5, 5) + record % ("w000", 4, 4, 4) + record % ("x", 2, 5, 5)


def test_ranges_of_values(tmp_path):
    program, params = program_file.doubled("int64")
    config = paddle_infer.Config()
    config.set_model_buffer(program, len(program), params, len(params))
    config.collect_shape_range_info(str(tmp_path / "shapes.txt"))
    predictor = paddle_infer.create_predictor(config)
    for row in ([1, 9], [3, 9], [2, 7]):
        run(predictor, np.array([row], np.int64))
    del predictor
    assert "  min_value: 1\n  min_value: 7\n  max_value: 3\n  max_value: 9\n  opt_value: 2\n  opt_value: 9\n}" in (
        tmp_path / "shapes.txt").read_text()


def test_a_script_that_just_ends_has_written_its_ranges(linear_files, tmp_path):
    code = ("import sys, numpy, coracle.paddle.inference as p\nc = p.Config(*sys.argv[1:3])\nc.collect_shape_range_info(sys.argv[3])\n"
            "predictor = p.create_predictor(c)\npredictor.run([numpy.ones((3, 4), 'float32')])\n")
    subprocess.run([sys.executable, "-c", code, *map(str, linear_files), str(tmp_path / "shapes.txt")], check=True)
    assert (tmp_path / "shapes.txt").read_text().count("name:") == 3


def test_ranges_that_cannot_be_written(config, tmp_path):
    with pytest.raises(coracle.InvalidArgumentError, match="path of a file"):
        config.collect_shape_range_info("")
    config.collect_shape_range_info(str(tmp_path / "no" / "shapes.txt"))
    with pytest.raises(coracle.FileError, match="cannot write file"):
        paddle_infer.create_predictor(config)


def records(text):
    return dict((block.split('"')[1], block) for block in text.split("shape_range_info {")[1:])


def same_ranges(theirs, ours, whole):
    if whole:
        assert ours == theirs
    # What is known before a run, and reshapes that move nothing, are not run here.
    wanted, found = records(theirs), records(ours)
    assert list(found) == sorted(found) and found == {name: wanted[name] for name in found}
    assert len(found) > 0.9 * len(wanted), sorted(set(wanted) - set(found))


def same_results(theirs, ours):
    """Of names that both show. Here batch_norm does not write its mean and variance (w_1, w_2) again."""
    both = [name for name in theirs if name in ours]
    for name in both:
        assert np.allclose(theirs[name], ours[name], 1e-3, 2e-5 * max(1.0, np.abs(theirs[name]).max(initial=0))), name
    missing = sorted(name for name in theirs if name not in ours and not name.endswith((".w_1", ".w_2")))
    assert len(both) > 0.9 * (len(both) + len(missing)), missing


@pytest.mark.parametrize("version", sorted(VENVS))
def test_watched_is_what_paddle_shows(version, linear_files, tmp_path):
    if not (VENVS[version] / "complete").exists():
        pytest.skip("Paddle %s is absent (%s); make migration installs it" % (version, VENVS[version].name))
    cases = [(*linear_files, ((2, 4), (5, 4), (5, 4), (3, 4), (3, 4)))]
    classifier = MODELS / "ch_ppocr_mobile_v2_cls_infer"
    if classifier.is_dir():
        cases.append((classifier / "inference.pdmodel", classifier / "inference.pdiparams", ((1, 3, 48, 192), (3, 3, 48, 192))))
    for program, params, shapes in cases:
        theirs, ours, tensors = tmp_path / "theirs.txt", tmp_path / "ours.txt", tmp_path / "tensors.npz"
        subprocess.run([VENVS[version] / "bin" / "python", watch_script.__file__, program, params, theirs, repr(shapes), tensors],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={"GLOG_minloglevel": "3"})
        watch_script.collect(paddle_infer, str(program), str(params), str(ours), shapes)
        same_ranges(theirs.read_text(), ours.read_text(), program == linear_files[0])
        same_results({name.replace("|", "/"): array for name, array in np.load(tensors).items()},
                     watch_script.results(paddle_infer, str(program), str(params), shapes[0]))


def test_graphs_are_written_after_each_rewrite(config, tmp_path):
    folder = tmp_path / "dump"
    config.set_optim_cache_dir(str(folder))
    config.switch_ir_debug()
    config.delete_pass("fc_fuse_pass")
    assert "ir_debug" in config.summary()
    paddle_infer.create_predictor(config)
    kept = [name for name in coracle.pass_names() if name != "fuse_linear"]
    expected = ["%d_ir_%s" % each for each in enumerate(["loaded", *kept])]
    assert sorted(path.name for path in folder.iterdir()) == sorted(name + end for name in expected for end in (".dot", ".txt"))
    assert "matmul" in (folder / "0_ir_loaded.txt").read_text() and (folder / "0_ir_loaded.dot").read_text().startswith("digraph")
    config = paddle_infer.Config(config)
    config.switch_ir_debug(False)
    config.set_optim_cache_dir(str(tmp_path / "none"))
    paddle_infer.create_predictor(config)
    assert not (tmp_path / "none").exists()


def test_graphs_go_to_the_working_directory_otherwise(config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config.pass_builder().turn_on_debug()
    paddle_infer.create_predictor(paddle_infer.Config(config))
    assert (tmp_path / "0_ir_loaded.dot").exists()


def test_graphs_that_cannot_be_written(config, tmp_path):
    config.switch_ir_debug()
    config.set_optim_cache_dir(str(tmp_path / "no" / "where"))
    with pytest.raises(coracle.FileError, match="switch_ir_debug: cannot write"):
        paddle_infer.create_predictor(config)
