# SPDX-License-Identifier: Apache-2.0
"""Each case of tests/misuse/cases.txt through both interfaces of Python: the exception and what it says are those of the table, and
the interface works on.
"""
import types

import coracle
import coracle.paddle.inference as paddle_infer
import numpy as np
import program_file
import pytest
from conftest import ROOT

PAIR = np.array([[1, 2]], np.float32)
DATES = np.zeros((1, 2), "datetime64[s]")


def table():
    """{case: {interface: (status, text)}}"""
    rows = {}
    for line in (ROOT / "tests/misuse/cases.txt").read_text("utf-8").splitlines():
        if line.startswith("  "):
            interface, answer = line.split("|", 1)
            status, text = answer.split(":", 1)
            rows[name][interface.strip()] = status.strip(), text.strip()
        elif line and not line.startswith("#"):
            name = line.strip()
            rows[name] = {}
    return rows


TABLE = table()


def product():
    """product = x w and twice = x + x, for x float32 [?, 2]."""
    operators = [program_file.operator("matmul_v2", {"X": ["x"], "Y": ["w"]}, {"Out": ["product"]}),
                 program_file.operator("elementwise_add", {"X": ["x"], "Y": ["x"]}, {"Out": ["twice"]}, {"axis": -1})]
    return program_file.model([("x", "float32", (-1, 2))], operators, [("twice", "float32", (-1, 2)), ("product", "float32", (-1, 2))],
                              {"w": np.array([[1, 2], [3, 4]], np.float32)})


def reader():
    """Rows of a table by words, which are 0 to 19."""
    lookup = program_file.operator("lookup_table_v2", {"Ids": ["words"], "W": ["w"]}, {"Out": ["rows"]}, {"padding_idx": -1})
    return program_file.model([("words", "int64", (-1, -1))], [lookup], [("rows", "float32", (-1, -1, 3))],
                              {"w": np.ones((20, 3), np.float32)})


def unknown_operator():
    wish = program_file.operator("wish", {"X": ["x"]}, {"Out": ["y"]})
    return program_file.model([("x", "float32", (-1, 2))], [wish], [("y", "float32", (-1, 2))])


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Paths by the names of the models: a folder each, and the two files in it."""
    root = tmp_path_factory.mktemp("models")

    def files(name):
        return root / name / "inference.pdmodel", root / name / "inference.pdiparams"

    program, params = product()
    for name, pair in (("product", (program, params)), ("reader", reader()), ("unknown_operator", unknown_operator()),
                       ("bad_program", (program[:len(program) // 2], params)), ("bad_params", (program, params[:len(params) // 2]))):
        (root / name).mkdir()
        for path, data in zip(files(name), pair):
            path.write_bytes(data)
    (root / "empty").mkdir()
    return types.SimpleNamespace(folder=lambda name: root / name, files=lambda name: tuple(map(str, files(name))))


def refusal(call):
    """(status, text) as the table has it."""
    try:
        call()
    except Exception as error:
        kind = coracle.errors.BY_STATUS.get(getattr(error, "status", 0), type(error)).__name__
        assert kind.endswith("Error"), kind
        return kind[:-len("Error")], str(error)
    return "ok", ""


def session_of(models, ran=False, **options):
    session = coracle.load(models.folder("product")).session(**options)
    if ran:
        session.run(PAIR)
    return session


def with_session(call, ran=False, **options):
    return lambda models: refusal(lambda: call(session_of(models, ran, **options)))


def load(name, **options):
    return lambda models: refusal(lambda: coracle.load(models.folder(name), **options))


def given(value, **arguments):
    return with_session(lambda session: session.run(value, **arguments))


def observed(models):
    session, seen = session_of(models), []
    with session.observe(lambda value: seen.append(refusal(session.release_memory))):
        session.run(PAIR)
    return seen[0]


def words(models):
    return refusal(lambda: coracle.load(models.folder("reader")).session().run(np.array([[3, 100]])))


PYTHON = {
    "no_such_model": load("nowhere"),
    "no_such_params": lambda models: refusal(lambda: coracle.load(models.files("product")[0], models.files("nowhere")[1])),
    "empty_folder": load("empty"),
    "damaged_program": load("bad_program"),
    "damaged_params": load("bad_params"),
    "unknown_operator": load("unknown_operator"),
    "null_path": lambda models: refusal(lambda: coracle.load(None)),
    "null_program": lambda models: refusal(lambda: coracle.load_memory(None)),
    "null_data": given({"x": None}),
    "unknown_input": given({7: PAIR}),
    "unknown_output": with_session(lambda session: session.output(7), ran=True),
    "unknown_variable": with_session(lambda session: session.tensor("nothing"), ran=True),
    "run_without_input": with_session(lambda session: session.run()),
    "result_before_a_run": with_session(lambda session: session.output(1)),
    "input_of_another_type": given(PAIR.astype(np.int64)),
    "no_element_type": given(DATES),
    "another_rank": given(PAIR[0]),
    "another_dimension": given(PAIR.T),
    "too_many_dimensions": given(np.ones((1,) * 10, np.float32)),
    "offsets_do_not_begin_at_0": given({"x": PAIR}, lod={"x": [[1, 1]]}),
    "offsets_decrease": given({"x": PAIR}, lod={"x": [[0, 1, 0, 1]]}),
    "offsets_do_not_end_at_the_rows": given({"x": PAIR}, lod={"x": [[0, 3]]}),
    "threads_out_of_range": with_session(None, threads=-2),
    "unknown_pass": load("product", disable_passes="wishing"),
    "unknown_instruction_set": load("product", cpu_isa="abacus"),
    "unknown_form_of_mark": load("product", marks="matmul"),
    "too_few_operators_of_an_engine": load("product", min_ops=0),
    "unknown_way_of_loading_weights": load("product", weights="borrowed"),
    "files_of_a_model_from_memory": lambda models: refusal(coracle.load_memory(*product()).check_files),
    "memory_limit": with_session(lambda session: session.run(np.ones((10000, 2), np.float32)), memory_limit=1024),
    "index_out_of_range": words,
    "used_while_it_runs": observed,
}


def python_answers(models):
    session = session_of(models)
    assert refusal(lambda: session.run(PAIR.T))[0] != "ok"
    return session.run(PAIR)["product"].tolist() == [[7, 10]]


def predictor_of(models, name="product"):
    return paddle_infer.create_predictor(paddle_infer.Config(*models.files(name)))


def create(*where):
    return refusal(lambda: paddle_infer.create_predictor(paddle_infer.Config(*where)))


def with_predictor(call, ran=False):
    """`call` is given the predictor and its handles: input x, output product."""
    def case(models):
        predictor = predictor_of(models)
        handles = predictor.get_input_handle("x"), predictor.get_output_handle("product")
        if ran:
            handles[0].copy_from_cpu(PAIR)
            predictor.run()
        return refusal(lambda: call(predictor, *handles))
    return case


def copied(array, lod=None):
    def call(predictor, given, _):
        given.copy_from_cpu(array)
        if lod is not None:
            given.set_lod(lod)
        predictor.run()
    return with_predictor(call)


def hooked(models):
    predictor, seen = predictor_of(models), []
    predictor.register_input_hook(lambda *_: seen.append(refusal(predictor.try_shrink_memory)))
    predictor.get_input_handle("x").copy_from_cpu(PAIR)
    predictor.run()
    return seen[0]


def words_by_handle(models):
    predictor = predictor_of(models, "reader")
    predictor.get_input_handle("words").copy_from_cpu(np.array([[3, 100]]))
    return refusal(predictor.run)


def used_twice(models):
    config = paddle_infer.Config(*models.files("product"))
    paddle_infer.create_predictor(config)
    return refusal(lambda: paddle_infer.create_predictor(config))


PADDLE_PY = {
    "no_such_model": lambda models: create(*models.files("nowhere")),
    "no_such_params": lambda models: create(models.files("product")[0], models.files("nowhere")[1]),
    "empty_folder": lambda models: create(str(models.folder("empty"))),
    "damaged_program": lambda models: create(*models.files("bad_program")),
    "damaged_params": lambda models: create(*models.files("bad_params")),
    "unknown_operator": lambda models: create(*models.files("unknown_operator")),
    "null_path": lambda models: refusal(lambda: paddle_infer.Config().set_model(None)),
    "null_program": lambda models: refusal(lambda: paddle_infer.Config().set_model_buffer(None, 3, b"", 0)),
    "null_handle": lambda models: refusal(lambda: paddle_infer.create_predictor(None)),
    "null_data": copied(None),
    "unknown_input": with_predictor(lambda predictor, *_: predictor.get_input_handle("y")),
    "unknown_output": with_predictor(lambda predictor, *_: predictor.get_output_handle("y")),
    "run_without_input": with_predictor(lambda predictor, *_: predictor.run()),
    "result_before_a_run": with_predictor(lambda predictor, _, result: result.copy_to_cpu()),
    "output_is_set": with_predictor(lambda predictor, _, result: result.reshape([1, 2])),
    "input_of_another_type": copied(PAIR.astype(np.int64)),
    "no_element_type": copied(DATES),
    "another_rank": copied(PAIR[0]),
    "another_dimension": copied(PAIR.T),
    "negative_dimension": with_predictor(lambda predictor, given, _: given.reshape([1, -2])),
    "too_many_dimensions": copied(np.ones((1,) * 10, np.float32)),
    "offsets_do_not_begin_at_0": copied(PAIR, [[1, 1]]),
    "offsets_decrease": copied(PAIR, [[0, 1, 0, 1]]),
    "offsets_do_not_end_at_the_rows": copied(PAIR, [[0, 3]]),
    "config_used_twice": used_twice,
    "index_out_of_range": words_by_handle,
    "used_while_it_runs": hooked,
}


def paddle_answers(models):
    predictor = predictor_of(models)
    given, result = predictor.get_input_handle("x"), predictor.get_output_handle("product")
    given.copy_from_cpu(PAIR.T)
    assert refusal(predictor.run)[0] != "ok"
    given.copy_from_cpu(PAIR)
    predictor.run()
    return result.copy_to_cpu().tolist() == [[7, 10]]


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("interface, cases, answers", [("python", PYTHON, python_answers), ("paddle_py", PADDLE_PY, paddle_answers)],
                         ids=["python", "paddle_py"])
def test_case(models, interface, cases, answers, name):
    status, text = TABLE[name][interface]
    if status == "-":
        assert name not in cases, "cases.txt says that this cannot be"
        return
    found = cases[name](models)
    assert found[0] == status and text in found[1], found
    assert answers(models)


def test_the_table_has_every_case():
    assert not (PYTHON.keys() | PADDLE_PY.keys()) - TABLE.keys()
