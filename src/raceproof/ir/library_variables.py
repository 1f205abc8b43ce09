"""Variables that the C library defines. Any other undefined variable may be the linker's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_NAMES: Final = """
    stdin stdout stderr environ __environ _environ optarg optind opterr optopt timezone daylight tzname signgam
    __timezone __daylight __tzname program_invocation_name program_invocation_short_name __progname
    __progname_full sys_errlist sys_siglist _sys_errlist _sys_siglist sys_nerr _sys_nerr __stack_chk_guard in6addr_any
    in6addr_loopback getdate_err h_errno rpc_createerr svc_fdset svc_pollfd svc_max_pollfd error_print_progname
    error_message_count error_one_per_line argp_program_version argp_program_bug_address argp_program_version_hook
    argp_err_exit_status obstack_alloc_failed_handler obstack_exit_failure re_syntax_options loc1 loc2 locs
    __malloc_hook __free_hook __realloc_hook __memalign_hook __after_morecore_hook __libc_single_threaded
    __dso_handle _res suboptarg mallwatch tr_break __libc_stack_end __libc_enable_secure _nl_msg_cat_cntr
    _nl_domain_bindings __cpu_model __cpu_features2
"""
LIBRARY_VARIABLES: Final = frozenset(_NAMES.split())
"""Variables of libc: they hold pointers to its own memory, not to what the program passes elsewhere."""

LIBRARY_ALIASES: Final[Mapping[str, str]] = {
    "__environ": "environ",
    "_environ": "environ",
    "__timezone": "timezone",
    "__daylight": "daylight",
    "__tzname": "tzname",
    "__progname": "program_invocation_short_name",
    "__progname_full": "program_invocation_name",
    "__signgam": "signgam",
}
"""Other names of variables of the C library."""
