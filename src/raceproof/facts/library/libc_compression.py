"""bzip2, liblzma and zstd: not the C library, but in most programs that compress.

A stream of bzip2 or liblzma is a structure of the program with pointers to buffers and to functions that allocate: a
call touches all that it leads to, and runs these functions before it returns. Contexts of zstd are the library's own
objects. Threads that liblzma and zstd make themselves work on copies, and are waited for by the calls. In no table is
what keeps pointers to buffers or streams of the program.
"""

from __future__ import annotations

from typing import Final

from raceproof.facts.library.effect_terms import (
    ALL,
    INT,
    INT64,
    OPAQUE,
    both,
    calls,
    constant,
    effects,
    frees,
    n,
    rd,
    rw,
    wr,
)
from raceproof.facts.library.effects import REACHED, Callback, Effect

_BZ_STREAM: Final = both(rw(0, ALL), rw(0, ALL, deref=True), calls(0, None, None, None, deref=True))
_BZ_BUFFER: Final = both(wr(0, ALL), rw(1, INT), rd(2, n(3)))
_ALLOCATES: Final = Effect(calls=(Callback(REACHED, (REACHED, None, None)),))
_LZMA_STREAM: Final = both(rw(0, ALL), rw(0, ALL, deref=True), rd(0, ALL, deref=2), _ALLOCATES)
_LZMA_OPTIONS: Final = both(_LZMA_STREAM, rd(1, ALL), rd(1, ALL, deref=True), rd(1, ALL, deref=2))
_ZSTD_BUFFERS: Final = both(rw(0, ALL), rw(1, ALL), wr(1, ALL, deref=True))
_ZSTD_STREAM: Final = both(_ZSTD_BUFFERS, rw(2, ALL), rd(2, ALL, deref=True))
_ZSTD_CONTEXT: Final = both(rw(0, ALL), wr(1, n(2)), rd(3, n(4)))

COMPRESSION: Final = effects(
    # bzip2
    ("BZ2_bzCompressInit BZ2_bzCompress BZ2_bzCompressEnd", _BZ_STREAM),
    ("BZ2_bzDecompressInit BZ2_bzDecompress BZ2_bzDecompressEnd", _BZ_STREAM),
    ("BZ2_bzBuffToBuffCompress BZ2_bzBuffToBuffDecompress", _BZ_BUFFER),
    ("BZ2_bzopen", rd(0), rd(1), OPAQUE),
    ("BZ2_bzdopen", rd(1), OPAQUE),
    ("BZ2_bzread", rw(0, ALL), wr(1, n(2))),
    ("BZ2_bzwrite", rw(0, ALL), rd(1, n(2))),
    ("BZ2_bzflush", rw(0, ALL)),
    ("BZ2_bzclose", frees(0)),
    ("BZ2_bzlibVersion", constant("bzip2 constants")),
    # liblzma
    ("lzma_code lzma_end lzma_memusage lzma_memlimit_get lzma_memlimit_set lzma_get_check", _LZMA_STREAM),
    ("lzma_easy_encoder lzma_stream_decoder lzma_auto_decoder lzma_alone_decoder", _LZMA_STREAM),
    ("lzma_stream_encoder lzma_alone_encoder lzma_raw_encoder lzma_raw_decoder", _LZMA_OPTIONS),
    ("lzma_stream_encoder_mt lzma_stream_decoder_mt", _LZMA_OPTIONS),
    ("lzma_get_progress", rd(0, ALL), rd(0, ALL, deref=True), wr(1, INT64), wr(2, INT64)),
    ("lzma_lzma_preset", wr(0, ALL)),
    ("lzma_crc32 lzma_crc64", rd(0, n(1))),
    ("lzma_version_number lzma_stream_buffer_bound lzma_easy_encoder_memusage lzma_easy_decoder_memusage",),
    ("lzma_check_is_supported lzma_check_size lzma_physmem lzma_cputhreads",),
    ("lzma_version_string", constant("liblzma constants")),
    # zstd
    ("ZSTD_createCCtx ZSTD_createDCtx ZSTD_createCStream ZSTD_createDStream", OPAQUE),
    ("ZSTD_freeCCtx ZSTD_freeDCtx ZSTD_freeCStream ZSTD_freeDStream ZSTD_freeCDict ZSTD_freeDDict", frees(0)),
    ("ZSTD_compress ZSTD_decompress", wr(0, n(1)), rd(2, n(3))),
    ("ZSTD_compressCCtx ZSTD_compress2 ZSTD_decompressDCtx", _ZSTD_CONTEXT),
    ("ZSTD_createCDict ZSTD_createDDict", rd(0, n(1)), OPAQUE),
    ("ZSTD_compress_usingCDict ZSTD_decompress_usingDDict", _ZSTD_CONTEXT, rd(5, ALL)),
    ("ZSTD_compressStream ZSTD_compressStream2 ZSTD_decompressStream", _ZSTD_STREAM),
    ("ZSTD_flushStream ZSTD_endStream", _ZSTD_BUFFERS),
    ("ZSTD_initCStream ZSTD_initDStream ZSTD_CCtx_reset ZSTD_DCtx_reset", rw(0, ALL)),
    ("ZSTD_CCtx_setParameter ZSTD_DCtx_setParameter ZSTD_CCtx_setPledgedSrcSize", rw(0, ALL)),
    ("ZSTD_CCtx_loadDictionary ZSTD_DCtx_loadDictionary", rw(0, ALL), rd(1, n(2))),
    ("ZSTD_getFrameContentSize ZSTD_findFrameCompressedSize ZSTD_getDecompressedSize ZSTD_isFrame", rd(0, n(1))),
    ("ZSTD_compressBound ZSTD_isError ZSTD_maxCLevel ZSTD_minCLevel ZSTD_defaultCLevel ZSTD_versionNumber",),
    ("ZSTD_CStreamInSize ZSTD_CStreamOutSize ZSTD_DStreamInSize ZSTD_DStreamOutSize ZSTD_getErrorCode",),
    ("ZSTD_versionString ZSTD_getErrorName", constant("zstd constants")),
)
