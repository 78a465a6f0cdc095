"""Parts: functions that only compiled functions call, compiled only as far as inclusion needs.

Numba makes each compiled function ready to be called from Python: it is wrapped, optimised together with all
that it calls, and turned into machine code. Most of ours are only ever called by other compiled functions,
which take in their code and optimise it again. So a part is left as code to be taken in, and what Python
calls in the end is optimised once, as a whole. That takes a third of the time. For states from outside the
package, whose kernels may be anything, everything is compiled as Numba does it by itself.

Shared kernels are large functions whose machine code all callers share. Every function that includes a part
optimises it again and turns it into machine code. For the decision of AnyResponse that takes seconds, and a
dozen functions need it: a rollout for each kind of world, learners, campaigns, their checks. A shared kernel
has machine code of its own, and its callers jump there. Each call hands over the whole state, which takes up
to a microsecond. LLVM finds the machine code by the name of its function. What is kept on disk names the
shared kernels that it calls, and they are loaded first.

All of this is private to Numba. If something that is needed is not there, importing this module fails, and
`decorators.py` does without it; what fails later is compiled in full."""

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import Any

from llvmlite import binding
from numba.core import compiler, types
from numba.core.codegen import JITCodeLibrary
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.registry import CPUDispatcher

from allotment.compiling.compiled_once import CompiledOnce
from allotment.compiling.disk_cache import (
    DiskCache,
    Impl,
    Need,
    Reference,
    calls_of,
    find_calls,
    load_needed,
    needs_of,
)
from allotment.compiling.switches import is_interpreting
from allotment.compiling.user_kernels import names_user_class

NEEDED = (
    (JITCodeLibrary, ("_raise_if_finalized", "_get_module_for_linking", "_finalize_dynamic_globals")),
    (_FunctionCompiler, ("_customize_flags", "_compile_core")),
    (compiler.Flags, ("no_compile", "no_cpython_wrapper", "no_cfunc_wrapper")),
    (compiler.Compiler, ("compile_extra",)),
    (CPUDispatcher, ("add_overload", "get_call_template")),
)
for owner, names in NEEDED:
    for name in names:
        getattr(owner, name)


class _Code(JITCodeLibrary):
    """The code of a part and of all that it calls, neither optimised nor turned into machine code."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            if hasattr(library, "_reload_init"):  # not in older versions
                self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self.needs = needs_of(self)
        self._finish()

    def _finish(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    @property
    def bitcode(self) -> bytes:
        """The code, to be kept."""
        return self._get_module_for_linking().as_bitcode()

    @classmethod
    def from_bitcode(cls, codegen: Any, name: str, bitcode: bytes, needs: list[Need]) -> "_Code":
        """What was kept."""
        self = cls(codegen, name)
        self.needs = needs
        self._final_module = self._shared_module = binding.parse_bitcode(bitcode)
        self._finish()
        return self


class _Pipeline(compiler.Compiler):
    def compile_extra(self, function: Callable[..., Any]) -> Any:
        self.state.library = _Code(self.state.targetctx.codegen(), function.__qualname__)
        return super().compile_extra(function)


class Unnamed:
    """Stands where Numba has the function that Python calls."""


class PartCompiler(_FunctionCompiler):
    """Compiles a function as far as its callers need."""

    in_full: Callable[[], Any]

    def _customize_flags(self, flags: Any) -> Any:
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        return flags

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        if names_user_class(tuple(args)):
            return self._in_full(tuple(args))
        try:
            made = super()._compile_core(args, return_type)._replace(entry_point=Unnamed())
            made.library._ensure_finalized()
            made = self._finished(made)
        except (AttributeError, TypeError):  # Numba has changed inside
            return self._in_full(tuple(args))
        made.target_context.insert_user_function(made.entry_point, made.fndesc, [made.library])
        return made

    def _finished(self, made: Any) -> Any:
        """What callers get to know."""
        return made

    def _in_full(self, signature: tuple[Any, ...]) -> Any:
        complete = self.in_full()
        complete.compile(signature)
        return complete.overloads[signature]._replace(metadata=None)  # whose timings are its own


class PartImpl(Impl):
    """How a part is written to disk and read."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """The beginning of its file's name."""
        return super().get_filename_base(f"{fullname}.part", abiflags)

    def check_cachable(self, made: Any) -> bool:
        """Whether it was compiled as a part, and not in full."""
        return isinstance(made.library, _Code)

    def reduce(self, made: Any) -> tuple[Any, ...]:
        """What is kept."""
        made.fndesc.typemap = made.fndesc.calltypes = None  # need not be kept, and may be large
        code = made.library
        return code.name, code.bitcode, code.needs, made.fndesc, made.signature, made.reload_init

    def rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> Any:
        """What was kept, ready to be included."""
        name, bitcode, needs, fndesc, signature, reload_init = payload
        load_needed(needs)
        library = _Code.from_bitcode(target_context.codegen(), name, bitcode, needs)
        return self.result(target_context, library, fndesc, signature, reload_init)

    def result(self, target_context: Any, library: Any, fndesc: Any, signature: Any, reload_init: Any) -> Any:
        """What Numba makes of a function, but for the function that Python calls."""
        for prepare in reload_init:
            prepare()
        untyped: Any = compiler
        return untyped.compile_result(
            target_context=target_context,
            typing_context=target_context.typing_context,
            entry_point=Unnamed(),
            library=library,
            fndesc=fndesc,
            signature=signature,
            objectmode=False,
            reload_init=reload_init,
        )


class PartCache(DiskCache):
    """The cache of a part."""

    _impl_class = PartImpl


class LinkedKernel(CompiledOnce):
    """A function as part of others. Python can call it too, at the price of compiling it in full."""

    _compiler_class: Any = PartCompiler
    _cache_class: Any = PartCache
    _pipeline_class: Any = _Pipeline

    def __init__(self, function: Callable[..., Any], options: Any, in_full: Callable[[], Any]) -> None:
        super().__init__(function, targetoptions=options, pipeline_class=self._pipeline_class)
        self._compiler = self._compiler_class(function, self.targetdescr, options, {}, self._pipeline_class)
        self._compiler.in_full = lambda: self.in_full
        self._compile_in_full = in_full
        with suppress(OSError, RuntimeError):
            self._cache = self._cache_class(function, options)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The types of a call. Constants count as any other number, or it would be compiled for each anew."""
        named = {name: types.unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template([types.unliteral(kind) for kind in args], named)

    def add_overload(self, made: Any) -> None:
        """Take in what was compiled; unlike others it has nothing that Python could call."""
        self.overloads[tuple(made.signature.args)] = made

    @cached_property
    def in_full(self) -> Any:
        """The function as Numba compiles it by itself."""
        return self._compile_in_full()

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run it, compiled in full or as plain Python."""
        if is_interpreting():
            return self.py_func(*arguments, **named)
        return self.in_full(*arguments, **named)


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
