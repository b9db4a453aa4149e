# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Copying a record word by word, written in LLVM's intermediate code.

Numba copies a record as a row of bytes. On the CPU LLVM makes wide moves of that; on CUDA it stays a load and a store for every
byte, 312 of each for a state. So the words are named here, for both.

On a GPU a thread can work on a copy of a record in its local memory: `load_record`, change `current_record`, `store_record`.
Where there is no local memory, as on the CPU, the same calls work on the entry itself.
"""

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

BYTE, I64 = 8, ir.IntType(64)
NO_LOCAL = 0  # in place of local memory: there is none
WORDS_AT_ONCE = 4  # a register of AVX2; what has smaller ones takes several, and CUDA a word at a time


def _word_size(record: Any) -> int:
    """Bytes of the largest word that a record consists of. NumPy aligns its arrays to more than that."""
    return next(size for size in (8, 4, 2, 1) if record.size % size == 0)


def _place(context: Any, build: Any, kind: Any, array: Any, at: Any) -> Any:
    """Where an entry of an array with one axis begins."""
    found = context.make_array(kind)(context, build, array)
    step = build.extract_value(found.strides, 0)
    return build.gep(build.bitcast(found.data, ir.IntType(BYTE).as_pointer()), [build.mul(at, step)])


def _pieces(size: int, word: int) -> list[tuple[int, Any]]:
    """Where each vector of words begins and its type; what is left over at the end as single words."""
    one = ir.IntType(BYTE * word)
    whole = size // (word * WORDS_AT_ONCE) * word * WORDS_AT_ONCE
    vectors = [(at, ir.VectorType(one, WORDS_AT_ONCE)) for at in range(0, whole, word * WORDS_AT_ONCE)]
    return vectors + [(at, one) for at in range(whole, size, word)]


def _is_local(kind: Any) -> bool:
    """Whether this is the type of local memory, an array of words, and not of NO_LOCAL."""
    return hasattr(kind, "ndim")


class _Entry:
    """An entry of an array of records, or its copy in local memory: its words, to be loaded and stored."""

    def __init__(self, build, record, begin) -> None:
        self.build, self.word, self.size, self.begin = build, _word_size(record), record.size, begin

    def _at(self, first: int, kind: Any) -> Any:
        return self.build.bitcast(self.build.gep(self.begin, [I64(first)]), kind.as_pointer())

    def load(self) -> list[Any]:
        """All words."""
        found = [self.build.load(self._at(first, kind)) for first, kind in _pieces(self.size, self.word)]
        for value in found:
            value.align = self.word
        return found

    def store(self, words: list[Any]) -> None:
        """All words, after they were all loaded: LLVM cannot know that two entries do not overlap."""
        for (first, kind), value in zip(_pieces(self.size, self.word), words, strict=True):
            self.build.store(value, self._at(first, kind)).align = self.word


def _entry(context: Any, build: Any, kind: Any, array: Any, at: Any) -> _Entry:
    """An entry of an array with one axis."""
    return _Entry(build, kind.dtype, _place(context, build, kind, array, at))


@intrinsic
def copy_record(typing_context, array, to, source, at):  # noqa: ARG001  (Numba gives the context)
    """An entry of an array of records becomes a copy of one of another array, or of the same."""

    def generate(context, build, signature, args):
        source = _entry(context, build, signature.args[2], args[2], args[3])
        _entry(context, build, signature.args[0], args[0], args[1]).store(source.load())
        return context.get_dummy_value()

    return types.void(array, types.int64, source, types.int64), generate


@intrinsic
def swap_records(typing_context, array, one, other):  # noqa: ARG001
    """Two entries of an array of records change places."""

    def generate(context, build, signature, args):
        first, second = (_entry(context, build, signature.args[0], args[0], at) for at in args[1:])
        words, others = first.load(), second.load()
        first.store(others)
        second.store(words)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


def _current_entry(context: Any, build: Any, kinds: Any, args: Any) -> _Entry:
    """Where an entry is worked on: in local memory or where it is. The arguments begin with an array, the entry, local memory."""
    if _is_local(kinds[2]):
        return _Entry(build, kinds[0].dtype, _place(context, build, kinds[2], args[2], I64(0)))
    return _entry(context, build, kinds[0], args[0], args[1])


@intrinsic
def current_record(typing_context, array, at, local):  # noqa: ARG001
    """The copy of entry `at` in local memory; or that entry where there is no local memory."""

    def generate(context, build, signature, args):
        found = _current_entry(context, build, signature.args, args)
        return build.bitcast(found.begin, context.get_value_type(signature.return_type))

    return array.dtype(array, types.int64, local), generate


@intrinsic
def load_record(typing_context, array, to, local, at):  # noqa: ARG001
    """A copy of entry `at` becomes what is worked on as entry `to`."""

    def generate(context, build, signature, args):
        source = _entry(context, build, signature.args[0], args[0], args[3])
        _current_entry(context, build, signature.args, args).store(source.load())
        return context.get_dummy_value()

    return types.void(array, types.int64, local, types.int64), generate


@intrinsic
def store_record(typing_context, array, to, local):  # noqa: ARG001
    """What was worked on becomes entry `to`, which it is already where there is no local memory."""

    def generate(context, build, signature, args):
        if _is_local(signature.args[2]):
            source = _current_entry(context, build, signature.args, args)
            _entry(context, build, signature.args[0], args[0], args[1]).store(source.load())
        return context.get_dummy_value()

    return types.void(array, types.int64, local), generate
