"""Compiled functions that call each other are optimised once, where Python calls in, and not once for every caller.

Numba by itself makes every compiled function ready for a call from Python: it adds two wrappers, links in all that the function
calls, optimises that and emits machine code. A rule is a function of a few lines that others call, so the same code went through
LLVM again and again, and three quarters of the time of a first start were spent on machine code that nobody ever called.

Here a function that another compiled function calls is a **part**: it is typed and lowered to LLVM's intermediate code, and no
more. A function that Python calls is an **entry**: all parts it needs are linked into it once, and that is optimised. A function
can be both. The wheel has entries that are linked and not optimised (`bitcode`).
"""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core import compiler, sigutils, types, typing
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.environment import lookup_environment
from numba.core.event import trigger_event
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.runtime.nrt import rtsys
from numba.core.typed_passes import IRLegalization, NativeLowering, NoPythonBackend, NopythonTypeInference, PreLowerStripPhis
from numba.core.untyped_passes import (
    DeadBranchPrune,
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    RewriteSemanticConstants,
    TranslateByteCode,
)

from . import bitcode
from .compile_progress import progress

PASSES = (
    TranslateByteCode, FixupArgs, IRProcessing, RewriteSemanticConstants, DeadBranchPrune, GenericRewrites, ReconstructSSA,
    NopythonTypeInference, PreLowerStripPhis, IRLegalization, NativeLowering, NoPythonBackend,
)  # fmt: skip
ENVIRONMENT_PREFIX = "_ZN08NumbaEnv"


def shareable(module: Any) -> Any:
    """The functions of a module may also be in others that are linked with it; unused ones are dropped."""
    for function in module.functions:
        if not function.is_declaration and function.linkage == llvm.Linkage.external:
            function.linkage = "linkonce_odr"
    return module


def environments_in(module: Any) -> list[Any]:
    """The environments (constants and names for errors) of the functions in a module."""
    names = [variable.name for variable in module.global_variables]
    return [found for name in names if name.startswith(ENVIRONMENT_PREFIX) and (found := lookup_environment(name))]


class _Library(JITCodeLibrary):  # type: ignore[misc]
    """Links every part once, however many functions in between call it."""

    def add_linking_library(self, library: Any) -> None:
        # A caller before what it calls: the linker takes only functions that were asked for before.
        wanted = (library, *library._linking_libraries) if isinstance(library, Part) else (library,)
        for one in wanted:
            if one not in self._linking_libraries:
                super().add_linking_library(one)

    def _optimize_functions(self, module: Any) -> None:
        """Numba makes a pass manager for every function that is only declared, too; most of them are."""
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)


class Part(_Library):
    """The intermediate code of one function, to be linked into others: not optimised as a whole, and has no machine code."""

    environments: tuple[Any, ...] = ()

    def finalize(self) -> None:
        self._finalize_dynamic_globals()
        self._shared_module = shareable(self._final_module)
        self._finalized = True

    def with_all_it_calls(self) -> bytes:
        """Its own code and that of all parts it needs, to be kept on disk."""
        module = self._final_module.clone()
        for library in self._linking_libraries:
            if library is not rtsys.library:  # Numba's runtime: every entry has it anyway
                module.link_in(library._get_module_for_linking(), preserve=True)
        return bytes(module.as_bitcode())

    @property
    def all_environments(self) -> tuple[Any, ...]:
        """Also of the parts it needs."""
        parts = [library for library in self._linking_libraries if isinstance(library, Part)]
        return tuple({found.env_name: found for part in (self, *parts) for found in part.environments}.values())


class Entry(_Library):
    """A function that Python calls, with all its parts."""

    linked = b""
    environments: tuple[Any, ...] = ()

    def _optimize_final_module(self) -> None:
        """Numba does it twice, to find superfluous counting of references; kernels count none."""
        if bitcode.is_recording:
            self.linked = bytes(self._final_module.as_bitcode())
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


def reduced(result: Any) -> tuple[Any, ...]:
    """A compiled entry as it is kept in the package: its code before it was optimised, and what Numba knows of it."""
    result.fndesc.typemap = result.fndesc.calltypes = None
    linked = result.library.linked
    environments = tuple(environments_in(llvm.parse_bitcode(linked)))
    return linked, result.fndesc, result.environment, result.signature, result.reload_init, environments


def rebuilt(target: Any, library: Entry, kept: tuple[Any, ...]) -> Any:
    """The same entry in another process, optimised for this processor."""
    code, descriptor, environment, signature, reload_init, environments = kept
    restore(library, code, reload_init, environments)
    executable = target.get_executable(library, descriptor, environment)
    return result_of(target, library, descriptor, signature, reload_init, entry_point=executable, environment=environment)


def restore(library: Any, code: bytes, reload_init: Any, environments: tuple[Any, ...]) -> None:
    """Fill a library with code that was kept."""
    for initialise in reload_init or ():
        initialise()
    library._final_module = llvm.parse_bitcode(code)
    library.environments = environments
    library.finalize()


def result_of(target: Any, library: Any, descriptor: Any, signature: Any, reload_init: Any, **of_an_entry: Any) -> Any:
    """What Numba calls the result of a compilation."""
    return compiler.compile_result(
        typing_context=target.typing_context,
        target_context=target,
        library=library,
        fndesc=descriptor,
        signature=signature,
        objectmode=False,
        lifted=(),
        reload_init=reload_init,
        **of_an_entry,
    )


class _PartFiles(CompileResultCacheImpl):  # type: ignore[misc]
    """How a part is kept on disk: beside the entry of the same function, as intermediate code."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"part-{super().get_filename_base(fullname, abiflags)}"

    def reduce(self, result: Any) -> tuple[Any, ...]:
        result.fndesc.typemap = result.fndesc.calltypes = None  # as Numba does: not needed, and not to be pickled
        library = result.library
        code = library.with_all_it_calls()
        return library.name, code, result.fndesc, result.signature, result.reload_init, library.all_environments

    def rebuild(self, target: Any, kept: tuple[Any, ...]) -> Any:
        name, code, descriptor, signature, reload_init, environments = kept
        library = Part(target.codegen(), name)
        restore(library, code, reload_init, environments)
        return result_of(target, library, descriptor, signature, reload_init)


class _PartCache(FunctionCache):  # type: ignore[misc]
    _impl_class = _PartFiles


class _Flags(compiler.Flags):  # type: ignore[misc]
    """The settings of one compilation. Numba compares two of them thousands of times, forty options each time."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash(_Flags)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, _Flags) and bool(self._values == other._values))


class Pipeline(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's passes without those for what no kernel has: closures, `with`, expressions of whole arrays, unrolled literals."""

    def define_pipelines(self) -> list[Any]:
        passes = PassManager("kernel")
        for one in PASSES:
            passes.add_pass(one, one.__name__)
        passes.finalize()
        return [passes]


class _Compiler(_FunctionCompiler):  # type: ignore[misc]
    """Numba's compiler of one function; the library says whether it becomes a part or an entry."""

    key: Callable[[], str] | None = None  # a name for the sources it is made of

    def compile_into(self, library: Any, args: tuple[Any, ...], return_type: Any) -> Any:
        """Like Numba's own `_compile_core`, into a library of ours."""
        flags = _Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        if isinstance(library, Part):
            flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        library.enable_object_caching()
        return compiler.compile_extra(
            self.targetdescr.typing_context,
            self.targetdescr.target_context,
            self.py_func,
            args=args,
            return_type=return_type,
            flags=flags,
            locals=self.locals,
            library=library,
            pipeline_class=self.pipeline_class,
        )

    def _compile_core(self, args: tuple[Any, ...], return_type: Any) -> Any:
        """An entry, from the bitcode of the package if that has it."""
        target = self.targetdescr.target_context
        name = self.py_func.__qualname__
        library = Entry(target.codegen(), name)
        file = bitcode.file_of(self.key(), name, args) if self.key and bitcode.is_usual() else None
        found = file and not bitcode.is_recording and bitcode.read(file)
        if found:
            progress.step(is_long=True)
            library.enable_object_caching()
            return rebuilt(target, library, found)
        result = self.compile_into(library, args, return_type)
        if file and bitcode.is_recording:
            bitcode.write(file, reduced(result))
        return result


class _LateTarget:
    """What Numba knows about this machine, made when something is compiled: `import cabochon` need not wait for LLVM."""

    def __getattr__(self, name: str) -> Any:
        return getattr(cpu_target.target_context, name)


NOT_YET = SimpleNamespace(typing_context=cpu_target.typing_context, target_context=_LateTarget())


class LinkingDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A compiled function: called from Python it is an entry, called from a compiled function a part of that one."""

    def __init__(self, py_func: Any, locals: Any, targetoptions: Any, pipeline_class: Any = compiler.Compiler) -> None:  # noqa: A002
        self.targetdescr = NOT_YET  # while Numba asks for it
        super().__init__(py_func, locals, targetoptions, pipeline_class)
        del self.targetdescr
        self._compiler = _Compiler(py_func, self.targetdescr, targetoptions, locals, pipeline_class)
        self._parts: dict[tuple[Any, ...], Any] = {}
        self._part_cache: Any = None
        self._folder: Callable[[], Path] | None = None

    @property
    def targetctx(self) -> Any:
        """The true one; Numba has set the late one."""
        return self.targetdescr.target_context

    @targetctx.setter
    def targetctx(self, _value: Any) -> None:
        """It is asked for anew each time."""

    def keep(self, key: Callable[[], str], folder: Callable[[], Path]) -> None:
        """Keep what is compiled on disk. The folder is asked for at the first use: most functions are never used."""
        self._compiler.key = key
        self._folder = folder

    def _open_folder(self) -> None:
        folder, self._folder = self._folder, None
        if folder is not None:
            config: Any = numba.config
            before, config.CACHE_DIR = config.CACHE_DIR, str(folder())
            try:
                self.enable_caching()
                self._part_cache = _PartCache(self.py_func)
            finally:
                config.CACHE_DIR = before

    def compile(self, signature: Any) -> Any:
        """An entry; the constants of its parts are put where its machine code looks for them."""
        with global_compiler_lock:
            args = tuple(sigutils.normalize_signature(signature)[0])
            if args in self.overloads:
                return self.overloads[args].entry_point
            self._open_folder()
            progress.begin()
            try:
                point = super().compile(signature)
            finally:
                progress.end()
            library = self.overloads[args].library
            if isinstance(library, Entry):  # and not from disk
                for environment in environments_in(library._final_module):
                    library.codegen.set_env(environment.env_name, environment)
            return point

    def part(self, args: tuple[Any, ...]) -> Any:
        """The function as a part, compiled or from disk."""
        with global_compiler_lock:
            if args not in self._parts:
                self._open_folder()
                found = self._part_cache and self._part_cache.load_overload(args, self.targetctx)
                self._parts[args] = self._callable(found or self._compile_part(args))
                if self._part_cache and not found:
                    self._part_cache.save_overload(args, self._parts[args])
            return self._parts[args]

    def _compile_part(self, args: tuple[Any, ...]) -> Any:
        details = {"dispatcher": self, "args": args, "return_type": None}
        with self._compiling_counter, trigger_event("numba:compile", data=details):
            library = Part(self.targetctx.codegen(), self.py_func.__qualname__)
            result = self._compiler.compile_into(library, args, None)
            library.environments = (result.environment,)
            library._ensure_finalized()
            progress.step()
            return result

    def _callable(self, result: Any) -> Any:
        """Let other functions call it. Numba finds a compiled function by its entry point; a part has a name instead."""
        result = result._replace(entry_point=result.fndesc.mangled_name)
        self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        return result

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Asked when another function that calls this one is typed."""
        signature, folded = self._compiler.fold_argument_types(args, kws)
        folded = tuple(types.unliteral(one) for one in folded)  # type: ignore[attr-defined]  # not once more for every constant
        if self._can_compile:
            self.part(tuple(folded))
        found = [result.signature for result in self._parts.values()]
        name = self.py_func.__name__
        return typing.make_concrete_template(f"CallTemplate({name})", key=name, signatures=found), signature, folded, {}

    def get_overload(self, signature: Any) -> Any:
        """Asked when a call of this function is lowered."""
        return self._parts[tuple(sigutils.normalize_signature(signature)[0])].entry_point
