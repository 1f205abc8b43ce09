/* musl's stdio_impl.h with the conditional lock of a stream made unconditional: a stream without a lock is one that no
 * other thread has (`musl.locks` follows these two calls). */
#include_next <stdio_impl.h>
#ifndef MODELLED_STREAM_LOCK
#define MODELLED_STREAM_LOCK
hidden void modelled_lock_stream(FILE *);
hidden void modelled_unlock_stream(FILE *);
#undef FFINALLOCK
#undef FLOCK
#undef FUNLOCK
#define FFINALLOCK(f) modelled_lock_stream(f)
#define FLOCK(f) modelled_lock_stream(f)
#define FUNLOCK(f) modelled_unlock_stream(f)
#endif
