"""zlib: not the C library, but in most programs that compress.

A stream is the caller's object; the library reads and writes it and what it points to (buffers, its own state), and
calls the allocation functions stored in it. It keeps no pointers elsewhere, and calls back only during the call.
A file is the library's own object, which two threads may not use at the same time.
"""

from __future__ import annotations

from typing import Final

from raceproof.facts.library.effect_terms import (
    ALL,
    INT,
    OPAQUE,
    arg,
    both,
    calls,
    constant,
    effects,
    frees,
    into,
    n,
    printf,
    rd,
    rw,
    wr,
)

_STREAM: Final = both(rw(0, ALL), rw(0, ALL, deref=True), calls(0, None, None, None, deref=True))

ZLIB: Final = effects(
    ("deflateInit_ deflateInit2_ inflateInit_ inflateInit2_ inflateBackInit_", _STREAM),
    ("deflate deflateEnd deflateReset deflateResetKeep deflateParams deflateTune deflatePrime deflateBound", _STREAM),
    ("inflate inflateEnd inflateReset inflateReset2 inflateResetKeep inflateSync inflateMark inflatePrime", _STREAM),
    ("inflateBackEnd", _STREAM),
    ("deflateSetDictionary inflateSetDictionary", _STREAM, rd(1, n(2))),
    ("deflatePending", rw(0, ALL), wr(1, ALL), wr(2, ALL)),
    ("inflateBack", _STREAM, calls(1, 2, None), calls(3, 4, None, None)),
    ("adler32 adler32_z crc32 crc32_z", rd(1, n(2))),
    ("adler32_combine adler32_combine64 crc32_combine crc32_combine64 compressBound",),
    ("zlibVersion zError get_crc_table", constant("zlib constants")),
    ("compress compress2 uncompress", wr(0, ALL), rw(1, ALL), rd(2, n(3))),
    ("gzopen gzopen64", rd(0), rd(1), OPAQUE),
    ("gzdopen", rd(1), OPAQUE),
    ("gzread", rw(0, ALL), wr(1, n(2))),
    ("gzwrite", rw(0, ALL), rd(1, n(2))),
    ("gzfread", wr(0, n(1, 2)), rw(3, ALL)),
    ("gzfwrite", rd(0, n(1, 2)), rw(3, ALL)),
    ("gzgets", rw(0, ALL), wr(1, n(2)), arg(1)),
    ("gzputs", rw(0, ALL), rd(1)),
    ("gzprintf", rw(0, ALL), printf(1)),
    ("gzputc gzgetc gzgetc_ gzungetc gzflush gzrewind gzeof gzdirect gzclearerr gzbuffer gzsetparams", rw(0, ALL)),
    ("gzseek gzseek64 gztell gztell64 gzoffset gzoffset64", rw(0, ALL)),
    ("gzerror", rw(0, ALL), wr(1, INT), into(0)),
    ("gzclose gzclose_r gzclose_w", frees(0)),
)
