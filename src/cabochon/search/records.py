# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Copying a record word by word, written in LLVM's intermediate code.

Numba copies a record as a row of bytes. On the CPU LLVM makes wide moves of that; on CUDA it stays a load and a store for every
byte, which for a state was a third of what selecting wrote. So the words are named here, for both.
"""

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

BYTE, I64 = 8, ir.IntType(64)
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
