# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""The vector operations of the net, written in LLVM's intermediate code.

LLVM makes vector code of plain loops too, but not this code: of a product of two 16-bit numbers it does not find that only the
high half is wanted, which is one instruction on every processor, and it keeps no sums in registers while it walks over rows. The
net is nearly all of a search's time, so that is worth a module. LLVM turns the vectors here into what a processor has: one
register of AVX-512, two of AVX2, four of SSE or NEON.

All numbers are rounded in the same order everywhere, so a search finds the same on every machine. The arrays must be contiguous,
their rows whole vectors and MIN_UNITS long or more, those of `dot` multiples of DOT_UNITS; nothing is checked. `aligned` puts an
array where no load crosses a cache line.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

LANES = 32  # 16-bit numbers in a vector: 64 bytes
MIN_VECTORS, MAX_VECTORS = 4, 7  # summed up at once: few enough for the registers of AVX-512; any larger number is a sum of these
MIN_UNITS = MIN_VECTORS * LANES
FLOATS = 16  # single-precision numbers in a vector: 64 bytes
DOT_SUMS = 4
DOT_UNITS = DOT_SUMS * FLOATS
CHUNK = 8  # products that are added up in 16 bits before they go on in 32
CACHE_LINE = 64

Scalar = TypeVar("Scalar", bound=np.generic)
I8, I16, I32, I64, F32 = ir.IntType(8), ir.IntType(16), ir.IntType(32), ir.IntType(64), ir.FloatType()
SHORTS, WIDE, SINGLES = ir.VectorType(I16, LANES), ir.VectorType(I32, LANES), ir.VectorType(F32, FLOATS)
BYTE, BYTE_VALUES = 8, 256


def aligned_empty(shape: tuple[int, ...], kind: type[Scalar]) -> np.ndarray[Any, np.dtype[Scalar]]:
    """An array that begins at a cache line: NumPy's own arrays do not, and then every load of 64 bytes reads two lines."""
    size = math.prod(shape) * np.dtype(kind).itemsize
    room = np.empty(size + CACHE_LINE, np.uint8)
    first = -room.ctypes.data % CACHE_LINE
    return room[first : first + size].view(kind).reshape(shape)


def aligned(array: np.ndarray[Any, np.dtype[Scalar]]) -> np.ndarray[Any, np.dtype[Scalar]]:
    """A copy that begins at a cache line."""
    copy = aligned_empty(array.shape, array.dtype.type)
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

    def number(self, numbers: Any, i: Any) -> Any:
        """An entry of a list of numbers."""
        return self.build.sext(self.build.load(self.build.gep(numbers, [i])), I64)

    def splat(self, number: Any, kind: Any) -> Any:
        """A vector of one number."""
        single = self.build.insert_element(kind(ir.Undefined), number, I32(0))
        return self.build.shuffle_vector(single, single, ir.VectorType(I32, kind.count)(None))

    def add_saturating(self, one: Any, other: Any) -> Any:
        """A sum that stops at the ends of the range."""
        return self._saturating("sadd", one, other)

    def sub_saturating(self, one: Any, other: Any) -> Any:
        """A difference that stops at the ends of the range."""
        return self._saturating("ssub", one, other)

    def _saturating(self, operation: str, one: Any, other: Any) -> Any:
        name = f"llvm.{operation}.sat.v{LANES}i16"
        function = cgutils.get_or_insert_function(self.build.module, ir.FunctionType(SHORTS, (SHORTS, SHORTS)), name)
        return self.build.call(function, (one, other))

    def high_half(self, one: Any, other: Any) -> Any:
        """The upper 16 of the 32 bits of each product; LLVM knows this pattern as one instruction."""
        product = self.build.mul(self.build.sext(one, WIDE), self.build.sext(other, WIDE))
        return self.build.trunc(self.build.lshr(product, WIDE([16] * LANES)), SHORTS)

    def for_blocks(self, width: Any, generate: Callable[[Any, int], None]) -> None:
        """The code for a row in blocks of MIN_VECTORS to MAX_VECTORS vectors, as few and as alike as they can be.

        `generate` is given where a block begins and how many vectors it has: every number of vectors has code of its own.
        """
        build, begin = self.build, cgutils.alloca_once_value(self.build, I64(0))
        with cgutils.loop_nest(build, (self.block_count(width),), I64) as (block,):
            left = build.udiv(build.sub(width, build.load(begin)), I64(LANES))
            size = self.rounded_up(left, build.sub(self.block_count(width), block))
            for vectors in range(MIN_VECTORS, MAX_VECTORS + 1):
                with build.if_then(build.icmp_unsigned("==", size, I64(vectors))):
                    generate(build.load(begin), vectors)
            build.store(build.add(build.load(begin), build.mul(size, I64(LANES))), begin)

    def block_count(self, width: Any) -> Any:
        return self.rounded_up(width, I64(MAX_VECTORS * LANES))

    def rounded_up(self, number: Any, divisor: Any) -> Any:
        """A quotient, rounded up."""
        return self.build.udiv(self.build.add(number, self.build.sub(divisor, I64(1))), divisor)

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

        def sum_block(begin: Any, vectors: int) -> None:
            sums = code.variables(SHORTS, vectors)
            for k, sum_ in enumerate(sums):
                builder.store(code.load(first, code.plus(begin, k * LANES), SHORTS), sum_)
            with cgutils.for_range(builder, args[2]) as at:
                number = code.number(rows, at.index)
                row = builder.add(builder.mul(number, width), begin)
                for k, sum_ in enumerate(sums):
                    part = code.load(table, code.plus(row, k * LANES), SHORTS)
                    code.combine(sum_, code.add_saturating, part)
            for k, sum_ in enumerate(sums):
                code.store(builder.load(sum_), out, code.plus(begin, k * LANES))

        code.for_blocks(width, sum_block)
        return context.get_dummy_value()

    return types.void(table, rows, types.int64, first, out), generate


@intrinsic
def change_rows(typing, table, added, n, removed, m, sums):  # noqa: ARG001
    """Add the rows of a table whose numbers are the first n of `added` to `sums`, and subtract the first m of `removed`; whether
    every sum stayed within 16 bits on the way. If not, `sums` says nothing.

    Both ways of adding go side by side, one that stops at the ends of the range and one that goes round: they differ as soon as a
    sum leaves it. Reading the rows takes longer than adding them, so that costs next to nothing.
    """

    def generate(context, builder, signature, args):
        code = _Code(context, builder, signature, args)
        table, added, removed, sums, width = code.data(0), code.data(1), code.data(3), code.data(5), code.size(5)
        (difference,) = code.variables(SHORTS, 1)
        builder.store(SHORTS(None), difference)

        def change_block(begin: Any, vectors: int) -> None:
            stopping, wrapping = code.variables(SHORTS, vectors), code.variables(SHORTS, vectors)
            for k in range(vectors):
                first = code.load(sums, code.plus(begin, k * LANES), SHORTS)
                code.set_all((stopping[k], wrapping[k]), first)
            changes = ((added, args[2], code.add_saturating, builder.add), (removed, args[4], code.sub_saturating, builder.sub))
            for rows, count, stop, wrap in changes:
                with cgutils.for_range(builder, count) as at:
                    row = builder.add(builder.mul(code.number(rows, at.index), width), begin)
                    for k in range(vectors):
                        part = code.load(table, code.plus(row, k * LANES), SHORTS)
                        code.combine(stopping[k], stop, part)
                        code.combine(wrapping[k], wrap, part)
            for k in range(vectors):
                found = builder.load(stopping[k])
                code.combine(difference, builder.or_, builder.xor(found, builder.load(wrapping[k])))
                code.store(found, sums, code.plus(begin, k * LANES))

        code.for_blocks(width, change_block)
        return builder.icmp_signed("==", code.halves(builder.load(difference), builder.or_), I16(0))

    return types.boolean(table, added, types.int64, removed, types.int64, sums), generate


@intrinsic
def sum_products(typing, table, rows, factors, n, out):  # noqa: ARG001
    """`out` = the sum of n rows of a table, each times the factor of its number / 2^16 and rounded down, in 32 bits.

    A few products are added up in 16 bits first, twice as many at once; with weights that use all 16 bits, and factors that
    mostly do not, so few stay in the range.
    """

    def generate(context, builder, signature, args):
        code = _Code(context, builder, signature, args)
        table, rows, factors, out, width = code.data(0), code.data(1), code.data(2), code.data(4), code.size(4)
        chunks = builder.udiv(code.plus(args[3], CHUNK - 1), I64(CHUNK))

        def sum_block(begin: Any, vectors: int) -> None:
            chunk_sums, sums = code.variables(SHORTS, vectors), code.variables(WIDE, vectors)
            code.set_all(sums, WIDE(None))
            with cgutils.for_range(builder, chunks) as chunk:
                start = builder.mul(chunk.index, I64(CHUNK))
                whole = code.plus(start, CHUNK)
                end = builder.select(builder.icmp_signed("<", whole, args[3]), whole, args[3])
                code.set_all(chunk_sums, SHORTS(None))
                with cgutils.for_range_slice(builder, start, end, I64(1)) as (i, _):
                    number = code.number(rows, i)
                    row = builder.add(builder.mul(number, width), begin)
                    factor = code.splat(builder.load(builder.gep(factors, [number])), SHORTS)
                    for k, sum_ in enumerate(chunk_sums):
                        product = code.high_half(code.load(table, code.plus(row, k * LANES), SHORTS), factor)
                        code.combine(sum_, code.add_saturating, product)
                for chunk_sum, sum_ in zip(chunk_sums, sums, strict=True):
                    wide = builder.sext(builder.load(chunk_sum), WIDE)
                    code.combine(sum_, builder.add, wide)
            for k, sum_ in enumerate(sums):
                code.store(builder.load(sum_), out, code.plus(begin, k * LANES))

        code.for_blocks(width, sum_block)
        return context.get_dummy_value()

    return types.void(table, rows, factors, types.int64, out), generate


def places_of_bits() -> ir.Constant:
    """For every byte the places of the bits that are set in it, one behind the other."""
    places = [[bit for bit in range(BYTE) if byte >> bit & 1] for byte in range(BYTE_VALUES)]
    row, table = ir.ArrayType(I8, BYTE), ir.ArrayType(ir.ArrayType(I8, BYTE), BYTE_VALUES)
    return ir.Constant(table, [ir.Constant(row, [I8(place) for place in (one + BYTE * [0])[:BYTE]]) for one in places])


@intrinsic
def list_positive(typing, units, count, rows):  # noqa: ARG001
    """The numbers of those of the first `count` units that are above zero, into `rows`; how many there are.

    Which they are is as good as random, so a branch for each would be predicted wrong half of the time. Here is none: for every
    eight units eight numbers are written, and the next eight begin behind those that count: never past the units looked at.
    """

    def generate(context, builder, signature, args):
        code = _Code(context, builder, signature, args)
        units, rows, byte_places = code.data(0), code.data(2), ir.VectorType(I8, BYTE)
        table = cgutils.global_constant(builder.module, "places_of_bits", places_of_bits())
        count_bits = builder.module.declare_intrinsic("llvm.ctpop", [I64])
        n = cgutils.alloca_once_value(builder, I64(0))
        with cgutils.for_range(builder, builder.udiv(args[1], I64(LANES))) as vector:
            begin = builder.mul(vector.index, I64(LANES))
            found = code.load(units, begin, SHORTS)
            mask = builder.bitcast(builder.icmp_signed(">", found, SHORTS(None)), I32)
            for first in range(0, LANES, BYTE):
                byte = builder.zext(builder.and_(builder.lshr(mask, I32(first)), I32(BYTE_VALUES - 1)), I64)
                at = builder.bitcast(builder.gep(table, [I64(0), byte, I64(0)]), byte_places.as_pointer())
                places = builder.load(at)
                places.align = 1
                whole = ir.VectorType(I32, BYTE)
                number = code.splat(builder.trunc(code.plus(begin, first), I32), whole)
                code.store(builder.add(builder.zext(places, whole), number), rows, builder.load(n))
                builder.store(builder.add(builder.load(n), builder.call(count_bits, [byte])), n)
        return builder.load(n)

    return types.int64(units, types.int64, rows), generate


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
        sums = code.variables(SINGLES, DOT_SUMS)
        code.set_all(sums, SINGLES(None))
        with cgutils.for_range(builder, builder.udiv(code.size(1), I64(DOT_UNITS))) as vector:
            begin = builder.mul(vector.index, I64(DOT_UNITS))
            for k, sum_ in enumerate(sums):
                at = code.plus(begin, k * FLOATS)
                product = builder.fmul(code.load(one, at, SINGLES), code.load(other, at, SINGLES))
                code.combine(sum_, builder.fadd, product)
        a, b, c, d = (builder.load(sum_) for sum_ in sums)
        return code.halves(builder.fadd(builder.fadd(a, b), builder.fadd(c, d)), builder.fadd)

    return types.float32(one, other), generate
