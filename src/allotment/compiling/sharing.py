"""Shared kernels: large functions whose machine code all callers share.

Every function that includes a part (`linking.py`) optimises it again and turns it into machine code. For the
decision of AnyResponse that takes seconds, and a dozen functions need it: a rollout for each kind of world,
learners, campaigns, their checks. A shared kernel has machine code of its own, and its callers jump there.
Each call hands over the whole state, which takes up to a microsecond.

LLVM finds the machine code by the name of its function. What is kept on disk names the shared kernels that it
calls (`needs.py`), and they are loaded first.
"""

from typing import Any

from llvmlite import binding
from numba.core import compiler

from allotment.compiling.disk_cache import calls_of, find_calls
from allotment.compiling.linking import LinkedKernel, PartCache, PartCompiler, PartImpl
from allotment.compiling.needs import Need, Reference, load_needed, needs_of


class _SharingCompiler(PartCompiler):
    def _finished(self, made: Any) -> Any:
        name = self.py_func.__name__
        return made._replace(library=_published(made, self.py_func.__module__, name))


def _published(made: Any, module: str, name: str) -> Reference:
    """The code under its name, for LLVM to find."""
    symbol = made.fndesc.llvm_func_name
    binding.add_symbol(symbol, made.library.get_pointer_to_function(symbol))
    return Reference(Need(module, name, tuple(made.signature.args), symbol), made.library)


class _SharingImpl(PartImpl):
    def check_cachable(self, made: Any) -> bool:
        return isinstance(made.library, Reference)

    def reduce(self, made: Any) -> tuple[Any, ...]:
        made.fndesc.typemap = made.fndesc.calltypes = None  # need not be kept, and may be large
        code, need = made.library.library, made.library.need
        about = (made.fndesc, made.signature, made.reload_init, need.module, need.name)
        return calls_of(code), needs_of(code), code.serialize_using_object_code(), *about

    def rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> Any:
        calls, needs, kept, fndesc, signature, reload_init, module, name = payload
        load_needed(needs)
        find_calls(calls, target_context)
        library = target_context.codegen().unserialize_library(kept)
        library.needs = needs
        made = self.result(target_context, library, fndesc, signature, reload_init)
        return made._replace(library=_published(made, module, name))


class _SharingCache(PartCache):
    _impl_class = _SharingImpl


class SharedKernel(LinkedKernel):
    """A function with machine code of its own, for other compiled functions."""

    _compiler_class = _SharingCompiler
    _cache_class = _SharingCache
    _pipeline_class = compiler.Compiler
