"""The C header of a native bundle: for each entry its functions, and where things stand among their words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import NamedTuple

from rlx_dialect.dtypes import DTYPES
from rlx_passes.bundle.manifest import Entry, TensorSpec
from rlx_passes.bundle.words import Words, unknown

HEADER = "program.h"

_HEAD = """\
/* How to call the functions of program.o; link it with runtime.o, -lpthread and -lm. */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef RLX_TENSOR
#define RLX_TENSOR
/* A function `int32_t f(int64_t *words)` finds in `words` the addresses of its arguments and results, and gives 0 or
   the number of the assertion that does not hold. A tensor lies in memory row by row; one of `bytes` -1 has sizes that
   only a call shows, which stand in the words behind its address. The address of such an output, and its sizes, are
   filled in by the function; its memory is given back by rlx_free. `main` and `prepare` are the word of the entry and
   of its prepare function that holds the address, -1 for none. `role` is 'i'nput, 'p'aram, p'r'epared or 'o'utput. */
struct rlx_tensor {
  const char *name;
  char role;
  int64_t bytes;
  int main, prepare;
};

/* Memory aligned to 64 bytes, and its end. */
void *rlx_alloc(int64_t bytes);
void rlx_free(void *memory);
/* How many threads work, the caller's among them; 0: one for each processor, as if it were never called. */
void rlx_threads(int64_t count);
#endif
"""
_TAIL = """
#ifdef __cplusplus
}
#endif
"""


class Compiled(NamedTuple):
    """A compiled function: its symbol, and the bytes of memory that it wants for itself."""

    symbol: str
    arena: int


def c_header(
    entries: Sequence[tuple[Entry, Compiled, Compiled | None]],
    written: Mapping[str, Mapping[str, str]],
    assertions: Sequence[str],
) -> str:
    """
    The text for entries with the functions that run and prepare them, and the texts of assertions from 1 on.

    `written` has for each entry the inputs that are written over, each with the output that is left in it.
    """
    told = ["", *(f"/* {i}: {_plain(text)} */" for i, text in enumerate(assertions, 1))]
    parts = ["\n".join((*_entry(*each), *_written(written[each[0].name]), "")) for each in entries]
    return "\n".join([_HEAD, *parts, *(told if assertions else ()), _TAIL])


def _entry(entry: Entry, main: Compiled, prepare: Compiled | None) -> Iterator[str]:
    name = main.symbol
    words = Words.of_main(entry, main.arena)
    before = Words.of_prepare(entry, prepare.arena) if prepare is not None else None
    yield f"/* Entry {_plain(entry.name)}. An arena is that many bytes, aligned to 64, for one call at a time. */"
    yield from _function(main, words)
    if prepare is not None and before is not None:
        yield "/* Fills the prepared tensors; called once. */"
        yield from _function(prepare, before)
    places: dict[tuple[str, str], tuple[TensorSpec, int, int]] = {}
    for at, role, spec in words.arguments:
        places[role, spec.name] = spec, at, -1
    for at, role, spec in before.arguments if before is not None else ():
        places[role, spec.name] = spec, places.get((role, spec.name), (spec, -1))[1], at
    for at, spec in before.results if before is not None else ():
        places["prepared", spec.name] = spec, places.get(("prepared", spec.name), (spec, -1))[1], at
    for at, spec in words.results:
        places["output", spec.name] = spec, at, -1
    yield f"#define {name}_TENSORS \\"
    for (role, _), (spec, at, there) in places.items():
        letter = "r" if role == "prepared" else role[0]
        size = -1 if unknown(spec) else DTYPES[spec.dtype].size * prod(each or 0 for each in spec.shape)
        shape = ", ".join("?" if each is None else str(each) for each in spec.shape)
        yield f"  {{{_string(spec.name)}, '{letter}', {size}, {at}, {there}}}, /* {spec.dtype} [{shape}] */ \\"


def _written(outputs: Mapping[str, str]) -> Iterator[str]:
    for donor, output in outputs.items():
        yield f"/* Input {_plain(donor)} is written over; no copy if output {_plain(output)} has its address. */"


def _function(function: Compiled, words: Words) -> Iterator[str]:
    name = function.symbol
    yield f"int32_t {function.symbol}(int64_t *words);"
    yield f"#define {name}_WORDS {words.count}"
    yield f"#define {name}_ARENA {function.arena} /* bytes */"
    yield f"#define {name}_ARENA_WORD {words.arena}"


def _string(text: str) -> str:
    """A string of C."""
    plain = (
        chr(byte) if (chr(byte).isalnum() and byte < 128) or byte in b" _.-+/:" else f"\\{byte:03o}"
        for byte in text.encode()
    )
    return f'"{"".join(plain)}"'


def _plain(text: str) -> str:
    """Text for a comment."""
    return ascii(text).replace("*/", "* /")
