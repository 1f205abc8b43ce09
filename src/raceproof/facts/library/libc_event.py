"""libevent 2: not the C library, but in many servers.

Events and bases are the library's own objects. What it does to them it guards only if the program has asked for that,
so that all of it is told as accesses to one object of the library's own; a loop also touches every event that it may
have been given. Callbacks run in loops, but which of them in which loop is not followed: once an event has its
callback, that may run at any time, on any thread. What of the library buffers or speaks protocols is in no table.
"""

from __future__ import annotations

from typing import Final

from raceproof.facts.library.effect_terms import (
    ALL,
    OPAQUE,
    both,
    calls,
    constant,
    effects,
    frees,
    hidden,
    keeps,
    rd,
    rw,
    store,
    wr,
)
from raceproof.facts.library.effects import STATIC_ARG, Bytes

_EVENT: Final = Bytes(128, ilp32=96)
_TIMEVAL: Final = Bytes(16, sure_ilp32=8)
_STATE: Final = hidden("state of libevent")
_LOOP: Final = both(_STATE, rw(STATIC_ARG, _EVENT, deref=True))
_BASE: Final = both(_STATE, rw(0, ALL))
_USED: Final = both(_STATE, rw(0, _EVENT))
_MADE: Final = both(_STATE, wr(0, _EVENT), keeps(0), store(0, STATIC_ARG))

EVENT: Final = effects(
    ("event_init event_base_new", _STATE, OPAQUE),
    ("event_base_new_with_config", _STATE, rd(0, ALL), OPAQUE),
    ("event_base_free event_base_free_nofinalize", _LOOP, frees(0)),
    ("event_base_loop event_base_dispatch event_reinit", _LOOP, rw(0, ALL)),
    ("event_loop event_dispatch", _LOOP),
    ("event_base_loopexit", _BASE, rd(1, _TIMEVAL)),
    ("event_loopexit", _STATE, rd(0, _TIMEVAL)),
    ("event_base_loopbreak event_base_loopcontinue event_base_got_exit event_base_got_break", _BASE),
    ("event_base_priority_init event_base_get_npriorities event_base_update_cache_time", _BASE),
    ("event_base_get_num_events event_base_get_max_events event_base_get_features", _BASE),
    ("event_base_gettimeofday_cached event_gettime_monotonic", _BASE, wr(1, _TIMEVAL)),
    ("event_base_active_by_fd event_base_active_by_signal", _LOOP, rw(0, ALL)),
    ("event_loopbreak", _STATE),
    ("event_set", _MADE, calls(3, None, None, 4, later=True)),
    ("event_assign", _MADE, rw(1, ALL), calls(4, None, None, 5, later=True)),
    ("event_new", _BASE, OPAQUE, calls(3, None, None, 4, later=True)),
    ("event_base_once", _BASE, rd(5, _TIMEVAL), calls(3, None, None, 4, later=True)),
    ("event_once", _STATE, rd(4, _TIMEVAL), calls(2, None, None, 3, later=True)),
    ("event_base_set", _BASE, rw(1, _EVENT)),
    ("event_add", _USED, rd(1, _TIMEVAL)),
    ("event_del event_del_block event_del_noblock event_remove_timer event_active event_priority_set", _USED),
    ("event_free", _STATE, frees(0)),
    ("event_pending", _USED, wr(2, _TIMEVAL)),
    ("event_initialized event_get_fd event_get_events event_get_priority", _USED),
    ("event_debug_unassign", _USED),
    ("event_config_new", OPAQUE),
    ("event_config_free", frees(0)),
    ("event_config_avoid_method", rw(0, ALL), rd(1)),
    ("event_config_require_features event_config_set_flag event_config_set_num_cpus_hint", rw(0, ALL)),
    ("event_config_set_max_dispatch_interval", rw(0, ALL), rd(1, _TIMEVAL)),
    ("event_get_version event_get_method", constant("libevent constants")),
    ("event_base_get_method", rd(0, ALL), constant("libevent constants")),
    ("event_get_version_number event_get_struct_event_size event_enable_debug_logging",),
    ("event_enable_debug_mode libevent_global_shutdown evthread_use_pthreads", _STATE),
)
