"""Abstract objects and pointer values: what one bit of a points-to set stands for.

A pointer value is an object, an offset, and *dimensions*: arrays over which the pointer ranges, because its index
is not known. It stands for the addresses

    object + offset + k1*stride1 + k2*stride2 + ...        0 <= k_i*stride_i < extent_i

with `offset` in the first element of every dimension. `&a[2].f` keeps its exact offset, `&a[i].f` is `a + f` with
the dimension (0, sizeof a[0], sizeof a). An offset of None is anywhere in the object.

Arithmetic over-approximates the addresses. Two rules of C are relied on: a pointer stays within its object,
and stepping forwards by whole elements stays within the array.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gcd
from typing import Final

from raceproof.core import SourcePos
from raceproof.facts.pointers.layout import ArrayPart, Level, Shape
from raceproof.facts.pointers.propagation import members
from raceproof.ir import SiteId, TypeId
from raceproof.model import ObjectKind

Dims = tuple[Level, ...]
Offsets = tuple[int | None, int | None, int | None]
"""The first one (None: anywhere), how far they are apart (None: there is one), how many there are (None: no end)."""
ObjectKey = tuple[object, ...]
"""What one object is called in every solution of the same program; several may share one."""
Context = tuple[SiteId, ...]
"""The calls through which a cloned function was reached; empty for the function itself."""

MAX_OFFSETS: Final = 256
"""Exact offsets per object; further ones lose their array index, or everything."""
MAX_RANGES: Final = 64
"""Pointer values with dimensions per object."""
MAX_OUTSIDE: Final = 8
FAR_OUTSIDE: Final = 4096
"""How many offsets outside an object are followed, and how far."""
MAX_LEAVING: Final = 16
MAX_INNER: Final = 64
"""Elements of an array within an array that are spelled out in answers."""
MAX_STEPS: Final = 16


@dataclass(slots=True, eq=False)
class AbstractObject:
    """One abstract object while the solver runs.

    `flat`: all offsets are one (functions, threads, the outside world). `cells` maps canonical offsets to
    graph nodes; the rest of memory is in `cells.py`. `is_declared`: its type is not just a guess, so that
    pointers into its arrays stay there.
    """

    number: int
    kind: ObjectKind
    name: str
    source_type: TypeId | None
    size: int | None
    pos: SourcePos | None
    shape: Shape | None = None
    flat: bool = False
    site: SiteId | None = None
    function: str | None = None
    context: Context = ()
    is_constant: bool = False
    is_declared: bool = True
    exact_offsets: int = 0
    outside_offsets: int = 0
    ranges: int = 0
    cells: dict[int, int] = field(default_factory=dict)

    def contains(self, offset: int) -> bool:
        return offset >= 0 and (self.size is None or offset < self.size)

    @property
    def key(self) -> ObjectKey:
        return (self.kind, self.name, self.pos, self.site, self.function, self.context)

    @property
    def has_contents(self) -> bool:
        return self.kind is not ObjectKind.FUNCTION and self.kind is not ObjectKind.THREAD


class PointerValues:
    """All objects and all pointer values, numbered as they appear; the arithmetic on pointer values."""

    def __init__(self, pointer_size: int) -> None:
        self._pointer_size = pointer_size
        self.objects: list[AbstractObject] = []
        self.object_of: list[AbstractObject] = []
        self.offset_of: list[int | None] = []
        self.dims_of: list[Dims] = []
        self._number: dict[tuple[int, int | None, Dims], int] = {}
        self._anywheres = 0  # as a set: the values that stand for all of an object
        self._of_object: dict[int, int] = {}  # object -> all its values, as a set
        self._covered: dict[int, tuple[int, int]] = {}

    def new_object(
        self,
        kind: ObjectKind,
        name: str,
        *,
        source_type: TypeId | None = None,
        size: int | None = None,
        pos: SourcePos | None = None,
        shape: Shape | None = None,
        flat: bool = False,
        site: SiteId | None = None,
        function: str | None = None,
        context: Context = (),
    ) -> AbstractObject:
        flat = flat or kind in (ObjectKind.FUNCTION, ObjectKind.THREAD)
        made = AbstractObject(
            len(self.objects), kind, name, source_type, size, pos, shape, flat, site, function, context
        )
        self.objects.append(made)
        return made

    def base(self, obj: AbstractObject) -> int:
        """The pointer to the first byte; for a flat object, the one pointer there is."""
        return self.anywhere(obj) if obj.flat else self._value(obj, 0, ())

    def anywhere(self, obj: AbstractObject) -> int:
        return self._value(obj, None, ())

    def exact(self, obj: AbstractObject, offset: int) -> int:
        """The pointer to one byte; far outside the object, or beyond the limit on offsets, precision is given up.

        A little outside is kept: `container_of` on the head of a list gives such a pointer, and the way back from it
        to the head must be found. Nothing can be stored there.
        """
        found = self._number.get((obj.number, offset, ()))
        if found is not None:
            return found
        if obj.flat:
            return self.anywhere(obj)
        if offset != obj.size and not obj.contains(offset):
            is_far = offset < -FAR_OUTSIDE or (obj.size is not None and offset > obj.size + FAR_OUTSIDE)
            if is_far or obj.outside_offsets >= MAX_OUTSIDE:
                return self.anywhere(obj)
            obj.outside_offsets += 1
            return self._value(obj, offset, ())
        if obj.exact_offsets >= MAX_OFFSETS:
            levels = obj.shape.levels(offset) if obj.shape is not None else ()
            return self._range_over(obj, offset, (), levels) if levels else self.anywhere(obj)
        obj.exact_offsets += 1
        return self._value(obj, offset, ())

    def _value(self, obj: AbstractObject, offset: int | None, dims: Dims) -> int:
        key = (obj.number, offset, dims)
        found = self._number.get(key)
        if found is None:
            if dims:
                if obj.ranges >= MAX_RANGES:
                    return self.anywhere(obj)
                obj.ranges += 1
            found = self._number[key] = len(self.object_of)
            self.object_of.append(obj)
            self.offset_of.append(offset)
            self.dims_of.append(dims)
            if not obj.flat:
                self._of_object[obj.number] = self._of_object.get(obj.number, 0) | 1 << found
                if offset is None:
                    self._anywheres |= 1 << found
        return found

    def covered(self, bits: int) -> int:
        """Of a set of values, those that add nothing because their whole object is in the set."""
        anywheres = bits & self._anywheres
        if not anywheres:
            return 0
        count, covered = self._covered.get(anywheres, (0, 0))
        if count != len(self.object_of):
            covered = 0
            for value in members(anywheres):
                covered |= self._of_object[self.object_of[value].number]
            covered &= ~anywheres
            self._covered[anywheres] = (len(self.object_of), covered)
        return bits & covered

    def member(self, value: int, distance: int) -> tuple[int, ...]:
        """Add the offset of a struct's member: a pointer for which that leaves the object points to no such struct."""
        moved = self.shift(value, distance)
        return tuple(v for v in moved if (offset := self.offset_of[v]) is None or self.object_of[v].contains(offset))

    def shift(self, value: int, distance: int) -> tuple[int, ...]:
        """Add a constant number of bytes."""
        obj, offset, dims = self.object_of[value], self.offset_of[value], self.dims_of[value]
        if offset is None or distance == 0:
            return (value,)
        if not dims:
            array = self.plain_array(obj, offset)
            if array is not None and not _is_within(array, offset + distance):
                if self._is_elsewhere(obj, offset, distance):
                    return (self._range_over(obj, offset, (), (array,)), self.exact(obj, offset + distance))
                return tuple(self._leave_plain_array(obj, offset, array, [offset + distance]))
            return (self.exact(obj, offset + distance),)
        _, stride, extent = dims[-1]
        if distance < 0 or distance % stride:  # backwards it may be container_of on a member that is an array
            return tuple(dict.fromkeys(self._settle(obj, offset + distance, dims)))
        if extent is None or distance < extent:
            return (value,)
        return tuple(dict.fromkeys((value, *self._settle(obj, offset + distance, dims))))  # into the next row

    def _is_elsewhere(self, obj: AbstractObject, offset: int, distance: int) -> bool:
        """Whether a constant may lead out of an array: into one that ends at `offset`, to the same place in another
        element, or anywhere else in an object whose type is a guess."""
        levels = obj.shape.levels(offset) if obj.shape is not None else ()
        if obj.kind is ObjectKind.HEAP:
            return obj.contains(offset + distance)
        return any(first <= offset + distance for first, _, _ in self._ending_at(obj, offset)) or any(
            distance % level[1] == 0 and _is_within(level, offset + distance) for level in levels[:-1]
        )

    def _ending_at(self, obj: AbstractObject, offset: int) -> list[Level]:
        """The arrays that end at `offset`: a pointer there may be the end of one of them, and lead back into it."""
        levels = obj.shape.levels(offset - 1) if obj.shape is not None else ()
        return [level for level in levels if level[2] is not None and level[0] + level[2] == offset]

    def _leave_plain_array(self, obj: AbstractObject, offset: int, array: Level, targets: list[int]) -> list[int]:
        """Move from `offset` out of an array of characters: back to the struct around it, or not really out."""
        inside = self._range_over(obj, offset, (), (array,))
        records = obj.shape.records(offset) if obj.shape is not None else frozenset()
        return [inside, *(self.exact(obj, target) for target in targets if target in records)]

    def _settle(self, obj: AbstractObject, offset: int, dims: Dims) -> list[int]:
        """Pointer values for `offset` + dims where `offset` may lie outside the first element.

        What leaves the innermost array is told apart by its index (container_of on an array member).
        """
        if not dims:
            return [self.exact(obj, offset)]
        first, stride, extent = dims[-1]
        if first <= offset < first + stride:
            return [self._value(obj, offset, dims)]
        wrapped = self._value(obj, first + (offset - first) % stride, dims)
        if extent is None and (first == 0 or offset > first):
            return [wrapped]
        leaving = -((offset - first) // stride)
        count = -(-extent // stride) if extent is not None else leaving + 1
        if offset < first:
            leaving = min(count, leaving)
            indices = range(leaving)
        else:
            leaving = min(count, (offset - first) // stride)
            indices = range(count - leaving, count)
        result = [wrapped] if leaving < count else []
        array = self.plain_array(obj, first) if len(dims) == 1 else None
        if obj.shape is not None and array is not None and any(dims[0][::2] == x[::2] for x in obj.shape.levels(first)):
            records = obj.shape.records(first)
            targets = [offset + k * stride for k in indices]
            if any(_is_within(array, target) for target in targets):  # another row of a matrix
                result.append(self._range_over(obj, first, (), (array,)))
            return [*result, *(self.exact(obj, target) for target in targets if target in records)]
        if leaving > MAX_LEAVING:
            return [*result, self.anywhere(obj)]
        for k in indices:
            result.extend(self._settle(obj, offset + k * stride, dims[:-1]))
        return result

    def add_term(self, value: int, scale: int, count: int | None, is_forward: bool = False) -> tuple[int, ...]:
        """Add `k*scale` for an unknown k, in [0, count) if `count` is given, not negative if `is_forward`.

        In an array whose element size divides `scale` the pointer ranges over that array; the largest such
        element wins. Otherwise it ranges over everything in step. From the start of an array it may lead back into
        another one that ends there.
        """
        made = self._forwards(value, scale, count, is_forward)
        if count is not None or is_forward:
            return made
        return tuple(
            dict.fromkeys(
                (*made, *(v for end in self._before(value, scale) for v in self._forwards(end, scale, None, False)))
            )
        )

    def _before(self, value: int, scale: int) -> list[int]:
        """A pointer to the last `scale` bytes of an array that ends where `value` points, if there is one."""
        obj, offset, dims = self.object_of[value], self.offset_of[value], self.dims_of[value]
        if offset is None or scale == 0:
            return []
        first, stride = dims[-1][:2] if dims else (0, 0)
        end = offset + stride if offset == first else offset  # in the element before
        at = end - abs(scale)
        if at < first or not any(start <= at and scale % step == 0 for start, step, _ in self._ending_at(obj, end)):
            return []
        return [self._value(obj, at, dims) if dims else self.exact(obj, at)]

    def _forwards(self, value: int, scale: int, count: int | None, is_forward: bool) -> tuple[int, ...]:
        obj, offset, dims = self.object_of[value], self.offset_of[value], self.dims_of[value]
        scale = abs(scale)
        if offset is None or scale == 0:
            return (value,)
        if not obj.contains(offset):  # `&a[-1]` or `&a[n]`: as far as known, the same as `&a[0]` plus some k
            end = obj.size
            offset = offset % scale if offset < 0 or end is None else end - scale + (offset - end) % scale
            if not obj.contains(offset):
                return (self.anywhere(obj),)
        levels = obj.shape.levels(offset) if obj.shape is not None else ()
        chosen = _array_for(levels, scale, offset, count)
        # Forwards, an array without an end cannot be left; otherwise the type may be a wrong guess.
        stays = count is not None or (is_forward and chosen is not None and levels[chosen][2] is None)
        if chosen is not None and (stays or not self._may_leave(obj, offset, scale, chosen)):
            first, _, extent = levels[chosen]
            over = [(first, scale, extent)]
            while count is None and chosen > 0 and levels[chosen - 1][1] == levels[chosen][2]:
                chosen -= 1  # rows of a matrix: the pointer may run on into the next row
                over[-1] = (first, gcd(over[-1][1], levels[chosen][1]), extent)
                over.insert(0, levels[chosen])
            return (self._range_over(obj, offset, dims, tuple(over)),)
        if count is not None and count > 1:
            return (self._overlay(obj, offset, dims, scale, count),)
        if is_forward and not dims and obj.size is not None and scale < obj.size - offset <= scale * MAX_STEPS:
            return (self._value(obj, offset, ((offset, scale, obj.size - offset),)),)
        return self._step_over(obj, offset, dims, scale)

    def _step_over(self, obj: AbstractObject, offset: int, dims: Dims, scale: int) -> tuple[int, ...]:
        """Range over the whole object in steps: over what of it is in step, or anywhere if that is too much."""
        step = gcd(scale, *(stride for _, stride, _ in dims))
        if obj.size is not None:
            if scale >= obj.size:  # nowhere to go but one past the end
                here = self._value(obj, offset, dims)
                return (here, self.exact(obj, obj.size)) if offset + scale == obj.size else (here,)
            if obj.size // step <= MAX_STEPS:
                first = offset % step
                return (self._value(obj, first, ((first, step, obj.size - first),)),)
        elif obj.shape is None:
            return (self._value(obj, offset % step, ((0, step, None),)),)
        return (self.anywhere(obj),)

    def _may_leave(self, obj: AbstractObject, offset: int, scale: int, chosen: int) -> bool:
        """Whether a pointer into an array of the layout may be about more than that array.

        Bytes from the start of a struct on may be the struct's, not those of a character array that it begins with.
        Of a guessed type only the repetition of the whole is relied on, which any number of steps obeys.
        """
        if obj.shape is None or (chosen == 0 and isinstance(obj.shape.root, ArrayPart)):
            return False
        is_start = obj.shape.levels(offset)[chosen][0] == offset
        return not obj.is_declared or (scale == 1 and is_start and chosen in obj.shape.leading(offset))

    def _overlay(self, obj: AbstractObject, offset: int, dims: Dims, scale: int, count: int) -> int:
        """Range over an array that the object's layout does not know."""
        extent = scale * count
        if obj.size is not None:
            extent = min(extent, max(obj.size - offset, 0))
        if extent <= scale:
            return self._value(obj, offset, dims)
        if dims and dims[-1][1] <= scale:
            return self.anywhere(obj)
        return self._value(obj, offset, (*dims, (offset, scale, extent)))

    def _range_over(self, obj: AbstractObject, offset: int, dims: Dims, over: Dims) -> int:
        """Forget the index of `offset` in each array of `over` (outermost first)."""
        result = list(dims)
        moved = 0
        for first, stride, extent in over:
            first -= moved
            same = [d for d in result if d[0] == first and d[2] == extent]
            for dim in same:
                stride = gcd(stride, dim[1])
                result.remove(dim)
            skip = (offset - first) // stride * stride
            offset -= skip
            moved += skip
            result = [(f - skip if f > first and s < stride else f, s, e) for f, s, e in result]
            result.append((first, stride, extent))
        result.sort(key=lambda d: (-d[1], d[0]))
        return self._value(obj, offset, tuple(result))

    def into(self, value: int) -> int:
        """A pointer somewhere into the string or buffer that `value` points to."""
        obj, offset, dims = self.object_of[value], self.offset_of[value], self.dims_of[value]
        if offset is None:
            return value
        levels = obj.shape.levels(offset) if obj.shape is not None else ()
        if not levels or levels[-1][1] > 4:  # not characters
            return self.anywhere(obj)
        return self._range_over(obj, offset, dims, levels)

    def element(self, value: int) -> tuple[int, ...]:
        """Pointers to the elements of the array that `value` points to, and `value` itself."""
        obj, offset, dims = self.object_of[value], self.offset_of[value], self.dims_of[value]
        if offset is None:
            return (value,)
        if obj.shape is None or not obj.is_declared:
            return (value, self.anywhere(obj))
        levels = obj.shape.levels(offset)
        arrays = (levels[: i + 1] for i in range(len(levels)))  # a row of a matrix, or the matrix
        return (value, *dict.fromkeys(self._range_over(obj, offset, dims, over) for over in arrays))

    def window(self, value: int, size: int | None) -> int:
        """A pointer to any of the `size` bytes (None: not known how many) from `value` on."""
        obj, offset, dims = self.object_of[value], self.offset_of[value], self.dims_of[value]
        if offset is None or obj.flat:
            return value
        array = self.plain_array(obj, offset)
        if array is not None and array[2] is not None:
            return self._range_over(obj, offset, (), (array,))
        end = obj.size if size is None else offset + size
        if dims or end is None or end <= offset:
            return self.anywhere(obj)
        return self._value(obj, offset, ((offset, 1, end - offset),))

    def plain_array(self, obj: AbstractObject, offset: int) -> Level | None:
        """The array of characters or small numbers, within a struct, that a pointer to `offset` is certainly about.

        None if there is no such array, or if the pointer may as well be one to the struct that it begins.
        """
        if obj.shape is None or not obj.is_declared:
            return None
        levels = obj.shape.levels(offset)
        if not levels or levels[-1][1] >= self._pointer_size:
            return None
        outer = len(levels) - 1
        while outer > 0 and levels[outer - 1][1] == levels[outer][2]:
            outer -= 1  # rows of a matrix
        first, _, extent = levels[outer]
        is_start = outer in obj.shape.leading(offset) and first == offset
        return None if is_start or not obj.shape.records(offset) else (first, levels[-1][1], extent)

    def masked(self, value: int, mask: int, tag: int = 0) -> int:
        """The pointer after `& mask | tag`, which change some of the lowest four bits.

        Sound for objects that are aligned to what changes, as all allocators align to 16.
        """
        obj, offset, dims = self.object_of[value], self.offset_of[value], self.dims_of[value]
        if offset is None or obj.flat:
            return value
        return self.anywhere(obj) if dims else self.exact(obj, offset & mask | tag)

    def addresses(self, value: int) -> list[Offsets]:
        """The value as offsets, of which the first may be repeated; strides within strides are spelled out."""
        obj, offset, dims = self.object_of[value], self.offset_of[value], list(self.dims_of[value])
        if offset is None or not dims:
            return [(offset, None, None)]
        while len(dims) > 1 and dims[-1][::2] == dims[-2][:2] and dims[-2][1] % dims[-1][1] == 0:
            first, _, extent = dims[-2]  # rows of a matrix
            dims[-2:] = [(first, dims[-1][1], extent)]
        kept = 0 if obj.shape is not None and dims[0] not in self.layout_dims(value) else 1
        offsets = [offset]
        for _, stride, extent in dims[kept:]:
            if extent is None or len(offsets) * (extent // stride) > MAX_INNER:
                return [(None, None, None)]
            offsets = [o + k for o in offsets for k in range(0, extent, stride)]
        if not kept:
            return [(o, None, None) for o in offsets]
        return [_repeated(o, dims[0], self._may_begin_more(obj, offset, dims[0])) for o in offsets]

    def _may_begin_more(self, obj: AbstractObject, offset: int, array: Level) -> bool:
        """Whether a pointer into the array may be one to a struct that begins with it."""
        if obj.shape is None:
            return False
        levels, leading = obj.shape.levels(offset), obj.shape.leading(offset)
        return any(level[::2] == array[::2] and i in leading for i, level in enumerate(levels))

    def is_smashed(self, value: int) -> bool:
        """Whether the value ranges only over arrays whose elements share cells, so that it has one cell."""
        obj, offset = self.object_of[value], self.offset_of[value]
        if obj.shape is None or offset is None:
            return False
        smashed = {(first, extent): stride for first, stride, extent in obj.shape.smashed(offset)}
        return all(
            (first, extent) in smashed and stride % smashed[first, extent] == 0
            for first, stride, extent in self.dims_of[value]
        )

    def layout_dims(self, value: int) -> list[Level]:
        """The dimensions of the value that are arrays of the object's layout, matrices flattened too."""
        obj, offset = self.object_of[value], self.offset_of[value]
        if obj.shape is None or offset is None:
            return []
        levels = obj.shape.levels(offset)
        known = {(first, extent): stride for first, stride, extent in levels}
        result = [d for d in self.dims_of[value] if (d[0], d[2]) in known and d[1] % known[d[0], d[2]] == 0]
        for i in range(1, len(levels)):
            if levels[i - 1][1] == levels[i][2] and levels[i - 1][0] == levels[i][0]:
                result.append((levels[i - 1][0], levels[i][1], levels[i - 1][2]))
        return result


def _repeated(offset: int, array: Level, is_open: bool) -> Offsets:
    """From the first element of the array on; without an end where it has none, or may be left."""
    first, stride, extent = array
    start = first + (offset - first) % stride
    return start, stride, None if extent is None or is_open else max(-(-(first + extent - start) // stride), 1)


def _is_within(array: Level, offset: int) -> bool:
    """Whether an offset lies in an array, or is its end."""
    first, _, extent = array
    return first <= offset and (extent is None or offset <= first + extent)


def _array_for(levels: tuple[Level, ...], scale: int, offset: int, count: int | None) -> int | None:
    """Which of the arrays around `offset` an index steps over, of an array with `count` elements if that is known.

    That may be another view of the same bytes (a union, a guess of the type): then it has no room in what is found.
    """
    best: int | None = None
    for i, (first, stride, extent) in enumerate(levels):
        start = (offset - first) // stride * stride
        has_room = extent is None or count is None or count <= 1 or start + scale * count <= extent
        fits = scale % stride == 0 and (extent is None or extent > scale) and has_room
        if fits and (best is None or stride > levels[best][1]):
            best = i
    return best
