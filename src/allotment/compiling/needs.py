"""Which shared kernels (`sharing.py`) compiled code calls, so that they are loaded before it."""

from importlib import import_module
from typing import Any, NamedTuple


class Need(NamedTuple):
    """A shared kernel, the types it is compiled for, and the name of its machine code."""

    module: str
    name: str
    signature: tuple[Any, ...]
    symbol: str


class Reference:
    """Stands for the machine code of a shared kernel where Numba would link its code."""

    _reload_init: frozenset[Any] = frozenset()

    def __init__(self, need: Need, library: Any) -> None:
        """`library` holds the machine code."""
        self.need, self.library = need, library

    def _ensure_finalized(self) -> None:
        """Numba asks for it before it links; the machine code is there."""

    def _get_module_for_linking(self) -> Any:
        """What is linked: nothing. The callers declare the function, and LLVM finds it by its name."""
        from llvmlite import binding

        return binding.parse_assembly(str(self.library._codegen._create_empty_module(self.need.name)))


def needs_of(library: Any) -> list[Need]:
    """All that some code calls, directly or through its parts."""
    found = dict.fromkeys(getattr(library, "needs", ()))
    for part in getattr(library, "_linking_libraries", ()):
        found |= dict.fromkeys([part.need] if isinstance(part, Reference) else needs_of(part))
    return list(found)


def load_needed(needs: list[Need]) -> None:
    """Load them, or compile them anew; ImportError if one of them is not what it was."""
    for need in needs:
        kernel: Any = getattr(import_module(need.module), need.name)
        kernel.compile(need.signature)
        if kernel.overloads[need.signature].library.need.symbol != need.symbol:
            raise ImportError(f"{need.name} was compiled anew")
