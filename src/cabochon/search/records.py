# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Copying a record word by word, written in LLVM's intermediate code.

Numba copies a record as a row of bytes. On the CPU LLVM makes wide moves of that; on CUDA it stays a load and a store for every
byte, 312 of each for a state. So the words are named here, for both.
"""

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

BYTE, I64 = 8, ir.IntType(64)
NO_DESK = 0
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


def _is_desk(kind: Any) -> bool:
    """Whether this is the type of a desk, an array of one record, and not of NO_DESK."""
    return hasattr(kind, "ndim")


class _Entry:
    """An entry of an array of records: its words, to be loaded and stored."""

    def __init__(self, context, build, kind, array, at) -> None:
        self.build, self.word = build, _word_size(kind.dtype)
        self.begin, self.size = _place(context, build, kind, array, at), kind.dtype.size

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


@intrinsic
def copy_record(typing_context, array, to, source, at):  # noqa: ARG001  (Numba gives the context)
    """An entry of an array of records becomes a copy of one of another array, or of the same."""

    def generate(context, build, signature, args):
        target = _Entry(context, build, signature.args[0], args[0], args[1])
        target.store(_Entry(context, build, signature.args[2], args[2], args[3]).load())
        return context.get_dummy_value()

    return types.void(array, types.int64, source, types.int64), generate


@intrinsic
def swap_records(typing_context, array, one, other):  # noqa: ARG001
    """Two entries of an array of records change places."""

    def generate(context, build, signature, args):
        first, second = (_Entry(context, build, signature.args[0], args[0], at) for at in args[1:])
        words, others = first.load(), second.load()
        first.store(others)
        second.store(words)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


def _worked_on(context: Any, build: Any, kinds: Any, args: Any) -> _Entry:
    """Where an entry of an array is worked on: the desk, or where it is. Given the array, the entry and the desk."""
    if _is_desk(kinds[2]):
        return _Entry(context, build, kinds[2], args[2], I64(0))
    return _Entry(context, build, kinds[0], args[0], args[1])


@intrinsic
def worked_on(typing_context, array, at, desk):  # noqa: ARG001
    """The record on the desk, which is a copy of entry `at`; or that entry where there is no desk."""

    def generate(context, build, signature, args):
        found = _worked_on(context, build, signature.args, args)
        return build.bitcast(found.begin, context.get_value_type(signature.return_type))

    return array.dtype(array, types.int64, desk), generate


@intrinsic
def copy_to_work(typing_context, array, to, desk, at):  # noqa: ARG001
    """A copy of entry `at` becomes what is worked on as entry `to`."""

    def generate(context, build, signature, args):
        source = _Entry(context, build, signature.args[0], args[0], args[3])
        _worked_on(context, build, signature.args, args).store(source.load())
        return context.get_dummy_value()

    return types.void(array, types.int64, desk, types.int64), generate


@intrinsic
def keep_work(typing_context, array, to, desk):  # noqa: ARG001
    """What was worked on becomes entry `to`, which it is already where there is no desk."""

    def generate(context, build, signature, args):
        if _is_desk(signature.args[2]):
            source = _worked_on(context, build, signature.args, args)
            _Entry(context, build, signature.args[0], args[0], args[1]).store(source.load())
        return context.get_dummy_value()

    return types.void(array, types.int64, desk), generate
