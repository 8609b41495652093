"""How long a text condition may take, estimated before CEL starts: CEL cannot be stopped once it runs.

`exists` and `all` are linear; `filter` and `map` copy what they have gathered at every element, deeply, so they are
quadratic; a pattern is compiled at every element. The estimate is an upper bound in steps of some 0.1 µs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Final

from planboard.blackboard.expression_paths import ELEMENT, Chain, Macro, Part, Reading, Refuse

MAX_ELEMENTS: Final = 10_000
MAX_PRODUCT: Final = 100_000
MAX_STEPS: Final = 5_000_000

_BASE_STEPS: Final = 10
_CHARACTERS_PER_STEP: Final = 512
_CONTAINER_STEPS: Final = 4
_PATTERN_STEPS: Final = 4_500
_PLAIN_PATTERN_STEPS: Final = 150


def leaves(value: Any, parts: tuple[Part, ...]) -> Iterator[Any]:
    """Yield every value that a chain reaches in converted values; what is absent is left out."""
    if not parts:
        yield value
        return
    part, rest = parts[0], parts[1:]
    if part is ELEMENT:
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from leaves(inner, rest)
    elif isinstance(value, dict):
        if part in value:
            yield from leaves(value[part], rest)
    elif isinstance(value, list) and isinstance(part, int) and part < len(value):
        yield from leaves(value[part], rest)


def weight(value: Any) -> int:
    """Return about how many steps a deep copy of a converted value takes."""
    if isinstance(value, str | bytes):
        return 1 + len(value) // _CHARACTERS_PER_STEP
    if isinstance(value, dict):
        return _CONTAINER_STEPS + sum(1 + weight(inner) for inner in value.values())
    if isinstance(value, list):
        return _CONTAINER_STEPS + sum(weight(inner) for inner in value)
    return 1


def check_cost(reading: Reading, values: Mapping[str, Any], refuse: Refuse) -> None:
    """Refuse an evaluation that would walk over too much."""
    if reading.macros:
        _Estimate(reading, values, refuse).check()


@dataclass(slots=True)
class _Estimate:
    reading: Reading
    values: Mapping[str, Any]
    refuse: Refuse

    def check(self) -> None:
        sizes = [self._size(macro) for macro in self.reading.macros]
        for macro, size in zip(self.reading.macros, sizes, strict=True):
            where = f"{macro.over or 'a computed list'} in {macro.kind}()"
            if size > MAX_ELEMENTS:
                self.refuse(f"{where} has {size:,} elements, more than {MAX_ELEMENTS:,}")
            product = size * self._rounds(macro.outer, sizes)
            if product > MAX_PRODUCT:
                self.refuse(f"{where} would be taken {product:,} times, more than {MAX_PRODUCT:,}")
        steps = sum(self._steps(at, sizes) for at in range(len(sizes)))
        if steps > MAX_STEPS:
            self.refuse(
                f"its macros would take about {steps:,} steps, more than {MAX_STEPS:,} "
                f"(map, filter and matches are dear on long lists); use a @condition function"
            )

    def _rounds(self, macro: int | None, sizes: list[int]) -> int:
        """Return how often the body of a macro is evaluated."""
        return 1 if macro is None else sizes[macro] * self._rounds(self.reading.macros[macro].outer, sizes)

    def _growth(self) -> int:
        """Return by how much `map` and `+` can lengthen the longest list or text: each map can repeat the joins."""
        maps = sum(macro.kind == "map" for macro in self.reading.macros)
        joins: int = (1 + self.reading.pluses) ** (1 + maps)
        return joins

    def _size(self, macro: Macro) -> int:
        if macro.over is not None:
            return max((len(leaf) for leaf in self._reached(macro.over) if isinstance(leaf, list | dict)), default=0)
        longest = max((_longest(value) for value in self.values.values()), default=0)
        if self.reading.pluses:
            return (longest + self.reading.commas + 1) * self._growth()
        return max(longest, self.reading.commas + 1)

    def _reached(self, chain: Chain) -> Iterator[Any]:
        return leaves(self.values[chain.root], chain.parts)

    def _steps(self, at: int, sizes: list[int]) -> int:
        macro = self.reading.macros[at]
        read = sum(self._weight(use.chain) for use in self.reading.uses if use.macro == at)
        body = _BASE_STEPS + read // 10
        if macro.pattern_weight:
            body += _PLAIN_PATTERN_STEPS + _PATTERN_STEPS * (macro.pattern_weight - 1)
        rounds = self._rounds(macro.outer, sizes)
        return rounds * sizes[at] * (body + self._copied(at, sizes) // 2)

    def _copied(self, at: int, sizes: list[int]) -> int:
        """Return what `filter` or `map` copies at each element: all that was gathered before."""
        macro = self.reading.macros[at]
        if macro.kind not in {"filter", "map"}:
            return 0
        if macro.kind == "filter" and macro.over is not None:
            return sizes[at] * self._weight(macro.over.then(ELEMENT))
        inside = [use for use in self.reading.uses if use.macro is not None and self._within(use.macro, at)]
        gathered = sum(self._weight(use.chain) * self._inner_rounds(use.macro, at, sizes) for use in inside)
        computed = macro.over is None or any(inner.over is None for inner in self.reading.macros)
        if computed:
            gathered += sum(weight(value) for value in self.values.values())
        return sizes[at] * max(1, gathered) * self._growth()

    def _within(self, macro: int, at: int) -> bool:
        outer = self.reading.macros[macro].outer
        return macro == at or (outer is not None and self._within(outer, at))

    def _inner_rounds(self, macro: int | None, at: int, sizes: list[int]) -> int:
        """Return how often the body of a macro within another is evaluated for one element of that."""
        inner = []
        while macro is not None and macro != at:
            inner.append(sizes[macro])
            macro = self.reading.macros[macro].outer
        return prod(inner)

    def _weight(self, chain: Chain) -> int:
        return max((weight(leaf) for leaf in self._reached(chain)), default=1)


def _longest(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = len(value) if isinstance(value, list | dict) else 0
    return max([own, *(_longest(one) for one in inner)])
