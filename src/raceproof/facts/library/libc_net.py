"""sys/socket.h, netdb.h, arpa/inet.h, net/if.h, poll.h, sys/select.h, sys/epoll.h.

The data that epoll hands back is the data given to epoll_ctl, through one static object.
"""

from __future__ import annotations

from typing import Final

from raceproof.facts.library.effect_terms import (
    ALL,
    FD_SET,
    INT,
    SIGSET,
    TIMESPEC,
    arg,
    both,
    constant,
    copy,
    effects,
    frees,
    fresh,
    fresh_at,
    hidden,
    n,
    rd,
    receives,
    receives_parts,
    rw,
    sends,
    sends_parts,
    static,
    store,
    wr,
)
from raceproof.facts.library.effects import STATIC_ARG, Bytes, Effect

_EPOLL_EVENT: Final = Bytes(16, ilp32=12, sure=12)
_IN6_ADDR: Final = Bytes(16)
_EPOLL_DATA: Final = Effect(static_object="epoll data")
_EPOLL_WAIT: Final = both(_EPOLL_DATA, wr(1, n(2, unit=16)), copy(1, STATIC_ARG))
_NAME: Final = both(rw(2, INT), wr(1, ALL))  # sockaddr and its length

SOCKETS: Final = effects(
    ("socket listen shutdown sockatmark isfdtype",),
    ("socketpair", wr(3, Bytes(8))),
    ("bind connect", rd(1, n(2))),
    ("accept accept4 getsockname getpeername", _NAME),
    ("send", rd(1, n(2)), sends(1)),
    ("sendto", rd(1, n(2)), rd(4, n(5)), sends(1)),
    ("sendmsg sendmmsg", rw(1, ALL), rd(1, ALL, deref=1), rd(1, ALL, deref=2), sends_parts(1, 2)),
    ("recvmsg", rw(1, ALL), rw(1, ALL, deref=1), wr(1, ALL, deref=2), receives_parts(1, 2)),
    ("recvmmsg", rw(1, ALL), rw(1, ALL, deref=1), wr(1, ALL, deref=2), rw(4, TIMESPEC), receives_parts(1, 2)),
    ("recv __recv_chk", wr(1, n(2)), receives(1)),
    ("recvfrom", wr(1, n(2)), wr(4, ALL), rw(5, INT), receives(1)),
    ("__recvfrom_chk", wr(1, n(2)), wr(5, ALL), rw(6, INT), receives(1)),
    ("getsockopt", rw(4, INT), wr(3, ALL)),
    ("setsockopt", rd(3, n(4))),
)

WAITING: Final = effects(
    ("poll __poll", rw(0, n(1, unit=8))),
    ("__poll_chk", rw(0, n(1, unit=8))),
    ("ppoll", rw(0, n(1, unit=8)), rd(2, TIMESPEC), rd(3, SIGSET)),
    ("select", rw(1, FD_SET), rw(2, FD_SET), rw(3, FD_SET), rw(4, TIMESPEC)),
    ("pselect", rw(1, FD_SET), rw(2, FD_SET), rw(3, FD_SET), rd(4, TIMESPEC), rd(5, SIGSET)),
    ("__fdelt_chk __fdelt_warn",),
    ("epoll_create epoll_create1",),
    ("epoll_ctl", rd(3, _EPOLL_EVENT), _EPOLL_DATA, copy(STATIC_ARG, 3)),
    ("epoll_wait", _EPOLL_WAIT),
    ("epoll_pwait", _EPOLL_WAIT, rd(4, SIGSET)),
    ("epoll_pwait2", _EPOLL_WAIT, rd(3, TIMESPEC), rd(4, SIGSET)),
)


def _entry_r(at: int) -> Effect:
    """Fill the structure at `at` with pointers into the buffer after it, which holds arrays of pointers, too."""
    buffer = at + 1
    return both(wr(at, ALL), wr(buffer, n(at + 2)), store(buffer, at), store(buffer, buffer), store(at, at + 3))


def _kept_name(at: int) -> Effect:
    return Effect(stores=((at, STATIC_ARG),))


NAMES: Final = effects(
    ("htonl htons ntohl ntohs",),
    ("inet_addr inet_network", rd(0)),
    ("inet_aton", rd(0), wr(1, INT)),
    ("inet_ntoa", static("inet_ntoa buffer")),
    ("inet_pton", rd(1), wr(2, _IN6_ADDR)),
    ("inet_ntop", rd(1, _IN6_ADDR), wr(2, n(3)), arg(2)),
    ("inet_makeaddr inet_lnaof inet_netof",),
    ("if_nametoindex", rd(0)),
    ("if_indextoname", wr(1, Bytes(16)), arg(1)),
    ("ether_ntoa", rd(0, Bytes(6)), static("ether buffer")),
    ("ether_aton", rd(0), static("ether buffer")),
    ("ether_ntoa_r", rd(0, Bytes(6)), wr(1), arg(1)),
    ("ether_aton_r", rd(0), wr(1, Bytes(6)), arg(1)),
    # netdb
    ("gethostbyname gethostbyname2", rd(0), static("hostent buffer", linked=True)),
    ("gethostbyaddr", rd(0, n(1)), static("hostent buffer", linked=True)),
    ("gethostent", static("hostent buffer", linked=True)),
    ("gethostbyname_r", rd(0), _entry_r(1), wr(5, INT)),
    ("gethostbyname2_r", rd(0), _entry_r(2), wr(6, INT)),
    ("gethostbyaddr_r", rd(0, n(1)), _entry_r(3), wr(7, INT)),
    ("sethostent endhostent", hidden("hostent buffer")),
    ("getnetbyname", rd(0), static("netent buffer", linked=True)),
    ("getnetbyaddr getnetent", static("netent buffer", linked=True)),
    ("setnetent endnetent", hidden("netent buffer")),
    ("getservent", static("servent buffer", linked=True)),
    ("getprotoent", static("protoent buffer", linked=True)),
    ("getservbyname", rd(0), rd(1), static("servent buffer", linked=True), _kept_name(0)),  # musl: the one asked for
    ("getservbyport", rd(1), static("servent buffer", linked=True), _kept_name(1)),
    ("getservbyname_r", rd(0), rd(1), _entry_r(2), store(0, 2)),
    ("getservbyport_r", rd(1), _entry_r(2), store(1, 2)),
    ("getprotobyname", rd(0), static("protoent buffer", linked=True)),
    ("getprotobynumber", static("protoent buffer", linked=True)),
    ("getprotobyname_r", rd(0), _entry_r(1)),
    ("getprotobynumber_r", _entry_r(1)),
    ("setservent endservent", hidden("servent buffer")),
    ("setprotoent endprotoent", hidden("protoent buffer")),
    ("getaddrinfo", rd(0), rd(1), rd(2, ALL), fresh_at(3, ALL, linked=True)),
    ("freeaddrinfo freeifaddrs if_freenameindex", frees(0)),
    ("gai_strerror hstrerror", constant("messages")),
    ("herror", rd(0)),
    ("getnameinfo", rd(0, n(1)), wr(2, n(3)), wr(4, n(5))),
    ("getifaddrs", fresh_at(0, ALL, linked=True)),
    ("if_nameindex", fresh(ALL, linked=True)),
    ("res_init __res_init", hidden("resolver state")),
    ("dn_expand __dn_expand", rd(0, ALL), rd(2, ALL), wr(3, n(4))),
)

NET: Final = SOCKETS | WAITING | NAMES
