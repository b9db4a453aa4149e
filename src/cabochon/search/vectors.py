# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""The vector operations of the net, written in LLVM's intermediate code.

LLVM makes vector code of plain loops too, but not this code: of a product of two 16-bit numbers it does not find that only the
high half is wanted, which is one instruction on every processor, and it keeps no sums in registers while it walks over rows. The
net is nearly all of a search's time, so that is worth a module. LLVM turns the vectors here into what a processor has: one
register of AVX-512, two of AVX2, four of SSE or NEON.

All numbers are rounded in the same order everywhere, so a search finds the same on every machine. The arrays must be contiguous,
and their rows a multiple of BLOCK long; nothing is checked. `aligned` puts an array where no load crosses a cache line.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

LANES = 32  # 16-bit numbers in a vector: 64 bytes
BLOCK = 4 * LANES  # units that are summed up at once: four vectors, few enough to stay in registers
FLOATS = 16  # single-precision numbers in a vector: 64 bytes
CHUNK = 8  # products that are added up in 16 bits before they go on in 32
CACHE_LINE = 64

Scalar = TypeVar("Scalar", bound=np.generic)
BIT, I16, I32, I64, F32 = ir.IntType(1), ir.IntType(16), ir.IntType(32), ir.IntType(64), ir.FloatType()
SHORTS, WIDE, SINGLES = ir.VectorType(I16, LANES), ir.VectorType(I32, LANES), ir.VectorType(F32, FLOATS)
MASK_UNITS = 64  # looked at by one call of `positive_units`


def aligned(array: np.ndarray[Any, np.dtype[Scalar]]) -> np.ndarray[Any, np.dtype[Scalar]]:
    """A copy that begins at a cache line: NumPy's own arrays do not, and then every load of 64 bytes reads two lines."""
    room = np.empty(array.nbytes + CACHE_LINE, np.uint8)
    first = -room.ctypes.data % CACHE_LINE
    copy = room[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


class _Code:
    """The code of one operation: shorthands for what LLVM's builder takes many words for."""

    def __init__(self, context, builder, signature, args) -> None:
        self.build, self.args, self.types, self.context = builder, args, signature.args, context

    def data(self, number: int) -> Any:
        """Where the numbers of an array begin."""
        return self.context.make_array(self.types[number])(self.context, self.build, self.args[number]).data

    def size(self, number: int) -> Any:
        """How many numbers an array has along its only axis."""
        array = self.context.make_array(self.types[number])(self.context, self.build, self.args[number])
        return self.build.extract_value(array.shape, 0)

    def load(self, data: Any, at: Any, kind: Any) -> Any:
        """A vector from an array."""
        place = self.build.bitcast(self.build.gep(data, [at]), kind.as_pointer())
        found = self.build.load(place)
        found.align = kind.element.width // 8 if isinstance(kind.element, ir.IntType) else 4
        return found

    def store(self, vector: Any, data: Any, at: Any) -> None:
        """A vector into an array."""
        place = self.build.bitcast(self.build.gep(data, [at]), vector.type.as_pointer())
        kept = self.build.store(vector, place)
        kept.align = vector.type.element.width // 8 if isinstance(vector.type.element, ir.IntType) else 4

    def variables(self, kind: Any, count: int) -> list[Any]:
        """Vectors that change: LLVM keeps them in registers."""
        return [cgutils.alloca_once(self.build, kind) for _ in range(count)]

    def set_all(self, variables: Sequence[Any], value: Any) -> None:
        """The same value for each."""
        for variable in variables:
            self.build.store(value, variable)

    def combine(self, variable: Any, operation: Callable[[Any, Any], Any], value: Any) -> None:
        """A variable becomes what an operation makes of it and of a value."""
        self.build.store(operation(self.build.load(variable), value), variable)

    def plus(self, number: Any, more: int) -> Any:
        return self.build.add(number, I64(more))

    def row(self, rows: Any, i: Any, width: Any, first: Any) -> Any:
        """Where the part of a row from `first` on begins in a table; its number is an entry of `rows`."""
        number = self.build.sext(self.build.load(self.build.gep(rows, [i])), I64)
        return self.build.add(self.build.mul(number, width), first)

    def splat(self, number: Any, kind: Any) -> Any:
        """A vector of one number."""
        single = self.build.insert_element(kind(ir.Undefined), number, I32(0))
        return self.build.shuffle_vector(single, single, ir.VectorType(I32, kind.count)(None))

    def add_saturating(self, one: Any, other: Any) -> Any:
        """A sum that stops at the ends of the range."""
        name = f"llvm.sadd.sat.v{LANES}i16"
        add = cgutils.get_or_insert_function(self.build.module, ir.FunctionType(SHORTS, (SHORTS, SHORTS)), name)
        return self.build.call(add, (one, other))

    def high_half(self, one: Any, other: Any) -> Any:
        """The upper 16 of the 32 bits of each product; LLVM knows this pattern as one instruction."""
        product = self.build.mul(self.build.sext(one, WIDE), self.build.sext(other, WIDE))
        return self.build.trunc(self.build.lshr(product, WIDE([16] * LANES)), SHORTS)

    def halves(self, vector: Any, combine: Callable[[Any, Any], Any]) -> Any:
        """One number of a vector: its halves are combined until one is left."""
        width = vector.type.count
        while width > 1:
            width //= 2
            low, high = (ir.VectorType(I32, width)(list(range(at, at + width))) for at in (0, width))
            vector = combine(self.build.shuffle_vector(vector, vector, low), self.build.shuffle_vector(vector, vector, high))
        return self.build.extract_element(vector, I32(0))

    def larger(self, one: Any, other: Any) -> Any:
        return self.build.select(self.build.fcmp_ordered(">", one, other), one, other)


@intrinsic
def sum_rows(typing, table, rows, n, first, out):  # noqa: ARG001
    """`out` = `first` + the rows of a table whose numbers are the first n of `rows`; sums stop at the ends of 16 bits."""

    def generate(context, builder, signature, args):
        code = _Code(context, builder, signature, args)
        table, rows, first, out, width = code.data(0), code.data(1), code.data(3), code.data(4), code.size(4)
        sums = code.variables(SHORTS, BLOCK // LANES)
        with cgutils.for_range(builder, builder.udiv(width, I64(BLOCK))) as block:
            begin = builder.mul(block.index, I64(BLOCK))
            for k, sum_ in enumerate(sums):
                builder.store(code.load(first, code.plus(begin, k * LANES), SHORTS), sum_)
            with cgutils.for_range(builder, args[2]) as at:
                row = code.row(rows, at.index, width, begin)
                for k, sum_ in enumerate(sums):
                    part = code.load(table, code.plus(row, k * LANES), SHORTS)
                    code.combine(sum_, code.add_saturating, part)
            for k, sum_ in enumerate(sums):
                code.store(builder.load(sum_), out, code.plus(begin, k * LANES))
        return context.get_dummy_value()

    return types.void(table, rows, types.int64, first, out), generate


@intrinsic
def sum_products(typing, table, rows, factors, n, out):  # noqa: ARG001
    """`out` = the sum of n rows of a table, each times its factor / 2^16 and rounded down, in 32 bits.

    A few products are added up in 16 bits first, twice as many at once; with weights that use all 16 bits, and factors that
    mostly do not, so few stay in the range.
    """

    def generate(context, builder, signature, args):
        code = _Code(context, builder, signature, args)
        table, rows, factors, out, width = code.data(0), code.data(1), code.data(2), code.data(4), code.size(4)
        chunk_sums, sums = code.variables(SHORTS, BLOCK // LANES), code.variables(WIDE, BLOCK // LANES)
        chunks = builder.udiv(code.plus(args[3], CHUNK - 1), I64(CHUNK))
        with cgutils.for_range(builder, builder.udiv(width, I64(BLOCK))) as block:
            begin = builder.mul(block.index, I64(BLOCK))
            code.set_all(sums, WIDE(None))
            with cgutils.for_range(builder, chunks) as chunk:
                start = builder.mul(chunk.index, I64(CHUNK))
                whole = code.plus(start, CHUNK)
                end = builder.select(builder.icmp_signed("<", whole, args[3]), whole, args[3])
                code.set_all(chunk_sums, SHORTS(None))
                with cgutils.for_range_slice(builder, start, end, I64(1)) as (i, _):
                    row = code.row(rows, i, width, begin)
                    factor = code.splat(builder.load(builder.gep(factors, [i])), SHORTS)
                    for k, sum_ in enumerate(chunk_sums):
                        product = code.high_half(code.load(table, code.plus(row, k * LANES), SHORTS), factor)
                        code.combine(sum_, code.add_saturating, product)
                for chunk_sum, sum_ in zip(chunk_sums, sums, strict=True):
                    wide = builder.sext(builder.load(chunk_sum), WIDE)
                    code.combine(sum_, builder.add, wide)
            for k, sum_ in enumerate(sums):
                code.store(builder.load(sum_), out, code.plus(begin, k * LANES))
        return context.get_dummy_value()

    return types.void(table, rows, factors, types.int64, out), generate


@intrinsic
def positive_units(typing, units, first):  # noqa: ARG001
    """Which of the MASK_UNITS 16-bit units from `first` on are above zero, as a mask."""

    def generate(context, builder, signature, args):
        code = _Code(context, builder, signature, args)
        found = code.load(code.data(0), args[1], ir.VectorType(I16, MASK_UNITS))
        return builder.bitcast(builder.icmp_signed(">", found, found.type(None)), I64)

    return types.int64(units, types.int64), generate


@intrinsic
def activate(typing, sums, half, scales, factor, biases, out):  # noqa: ARG001
    """`out` = ReLU((sums + half) * scales * factor + biases); returns the largest of them."""

    def generate(context, builder, signature, args):
        code = _Code(context, builder, signature, args)
        sums, scales, biases, out = code.data(0), code.data(2), code.data(4), code.data(5)
        half, factor = code.splat(args[1], SINGLES), code.splat(args[3], SINGLES)
        (largest,) = code.variables(SINGLES, 1)
        builder.store(SINGLES(None), largest)
        with cgutils.for_range(builder, builder.udiv(code.size(5), I64(FLOATS))) as vector:
            at = builder.mul(vector.index, I64(FLOATS))
            whole = builder.sitofp(code.load(sums, at, ir.VectorType(I32, FLOATS)), SINGLES)
            scale = builder.fmul(code.load(scales, at, SINGLES), factor)
            unit = builder.fadd(builder.fmul(builder.fadd(whole, half), scale), code.load(biases, at, SINGLES))
            unit = code.larger(unit, SINGLES(None))
            code.store(unit, out, at)
            code.combine(largest, code.larger, unit)
        return code.halves(builder.load(largest), code.larger)

    floats = types.float32
    return floats(sums, floats, scales, floats, biases, out), generate


@intrinsic
def dot(typing, one, other):  # noqa: ARG001
    """The scalar product of two rows, with several sums side by side, so that none waits for the one before."""

    def generate(context, builder, signature, args):
        code = _Code(context, builder, signature, args)
        one, other = code.data(0), code.data(1)
        sums = code.variables(SINGLES, BLOCK // LANES)
        code.set_all(sums, SINGLES(None))
        step = FLOATS * len(sums)
        with cgutils.for_range(builder, builder.udiv(code.size(1), I64(step))) as vector:
            begin = builder.mul(vector.index, I64(step))
            for k, sum_ in enumerate(sums):
                at = code.plus(begin, k * FLOATS)
                product = builder.fmul(code.load(one, at, SINGLES), code.load(other, at, SINGLES))
                code.combine(sum_, builder.fadd, product)
        a, b, c, d = (builder.load(sum_) for sum_ in sums)
        return code.halves(builder.fadd(builder.fadd(a, b), builder.fadd(c, d)), builder.fadd)

    return types.float32(one, other), generate
