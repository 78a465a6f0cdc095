import ast
import pydoc
import subprocess
import sys
from pathlib import Path

import allotment


def test_all_names_can_be_had_and_nothing_else():
    for name in allotment.__all__:
        assert getattr(allotment, name) is not None
    assert sorted(dir(allotment)) == sorted(allotment.__all__)


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(allotment.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    seen = {alias.asname for node in imports for alias in node.names}  # `X as X`: it is handed on
    assert seen == set(allotment.__all__) - {"__version__"}


def test_importing_the_package_loads_neither_numba_nor_numpy():
    program = (
        "import sys, allotment; print([m for m in ('numba', 'numpy', 'scipy', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_wrong_name_is_an_attribute_error():
    assert not hasattr(allotment, "Bandit")


def test_the_theory_is_there_after_importing_the_package():
    program = "import allotment as al; print(al.theory.lower_bound(al.Problem([0.5, 0.25], 1.0, 1.0), 1))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0.0"


def test_help_is_readable():
    for name in set(allotment.__all__) - {"__version__"}:
        value = getattr(allotment, name)
        assert "numpy._typing" not in pydoc.plain(pydoc.render_doc(value)), name
    problem = pydoc.plain(pydoc.render_doc(allotment.Problem)).splitlines()
    assert problem[3].startswith(" |  Problem(loss_rates: allotment.arrays.ArrayLike, thresholds: ")
    assert problem[5] == (
        " |  A problem: arms with loss rates, a response to grants, and a budget to split in each round."
    )
