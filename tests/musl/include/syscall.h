/* musl's syscall.h with the system calls of sockets made direct: their numbers are constants at the call. */
#include_next <syscall.h>
#ifndef MODELLED_SOCKET_CALLS
#define MODELLED_SOCKET_CALLS
#undef __socketcall
#undef __socketcall_cp
#define __socketcall(nm, a, b, c, d, e, f) __syscall6(SYS_##nm, a, b, c, d, e, f)
#define __socketcall_cp(nm, a, b, c, d, e, f) __syscall_cp6(SYS_##nm, a, b, c, d, e, f)
#endif
