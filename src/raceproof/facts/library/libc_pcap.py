"""libpcap: not the C library, but in most programs that look at packets.

A capture is the library's own object, which two threads may not use at the same time. Packets lie in it, or in memory
that nothing is known of. The library calls back only during the call, and keeps no pointer that it was given.
"""

from __future__ import annotations

from typing import Final

from raceproof.facts.library.effect_terms import (
    ALL,
    INT,
    OPAQUE,
    calls,
    constant,
    effects,
    frees,
    fresh_at,
    hidden,
    into,
    n,
    rd,
    rw,
    static,
    store,
    wr,
)
from raceproof.facts.library.effects import Bytes

_MESSAGE: Final = Bytes(256)  # PCAP_ERRBUF_SIZE

PCAP: Final = effects(
    ("pcap_open_live", rd(0), wr(4, _MESSAGE), OPAQUE),
    ("pcap_create pcap_open_offline", rd(0), wr(1, _MESSAGE), OPAQUE),
    ("pcap_open_dead", OPAQUE),
    (
        "pcap_activate pcap_set_snaplen pcap_set_promisc pcap_set_timeout pcap_set_buffer_size pcap_set_rfmon",
        rw(0, ALL),
    ),
    ("pcap_set_immediate_mode pcap_setdirection pcap_set_datalink pcap_breakloop", rw(0, ALL)),
    ("pcap_setnonblock", rw(0, ALL), wr(2, _MESSAGE)),
    ("pcap_getnonblock", rd(0, ALL), wr(1, _MESSAGE)),
    ("pcap_compile", rw(0, ALL), wr(1, ALL), rd(2), hidden("filter compiler of libpcap")),
    ("pcap_setfilter", rw(0, ALL), rd(1, ALL), rd(1, ALL, deref=True)),
    ("pcap_freecode", rw(0, ALL)),
    ("pcap_loop pcap_dispatch", rw(0, ALL), calls(2, 3, None, None)),
    ("pcap_next", rw(0, ALL), wr(1, ALL), into(0)),
    ("pcap_next_ex", rw(0, ALL), store(0, 1), store(0, 2)),
    ("pcap_sendpacket pcap_inject", rw(0, ALL), rd(1, n(2))),
    ("pcap_stats", rw(0, ALL), wr(1, ALL)),
    ("pcap_datalink pcap_snapshot pcap_fileno pcap_get_selectable_fd pcap_is_swapped", rd(0, ALL)),
    ("pcap_major_version pcap_minor_version", rd(0, ALL)),
    ("pcap_geterr", rd(0, ALL), into(0)),
    ("pcap_perror", rd(0, ALL), rd(1)),
    ("pcap_close", frees(0)),
    ("pcap_lookupnet", rd(0), wr(1, INT), wr(2, INT), wr(3, _MESSAGE)),
    ("pcap_lookupdev", wr(0, _MESSAGE), static("device name of pcap_lookupdev")),
    ("pcap_findalldevs", fresh_at(0, ALL, linked=True), wr(1, _MESSAGE)),
    ("pcap_freealldevs", frees(0)),
    ("pcap_lib_version pcap_strerror pcap_statustostr", constant("libpcap constants")),
    ("pcap_datalink_val_to_name pcap_datalink_val_to_description", constant("libpcap constants")),
    ("pcap_datalink_name_to_val", rd(0)),
    ("pcap_dump_open", rd(0, ALL), rd(1), OPAQUE),
    ("pcap_dump", rw(0, ALL), rd(1, ALL), rd(2, ALL)),
    ("pcap_dump_flush", rw(0, ALL)),
    ("pcap_dump_close", frees(0)),
)
