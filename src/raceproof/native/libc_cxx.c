/* libc_cxx.c: operators new and delete of C++, under their mangled names (talks to raceproof.explore; see libc.h). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "libc.h"

void rp_lib_free(void *p);

/* There is nobody to catch an exception. */
static void *new_block(size_t size, size_t align) {
    void *block = libc_alloc_fresh(size, align);
    if (block == NULL) libc_die("abort", "operator new: no memory for %zu bytes", size);
    return block;
}

static void delete_block(void *p) { rp_lib_free(p); }

/* m: size_t of 64 bits, j: of 32 bits. The sizes that delete is given are not needed: the caller drops them. */
RP_LIB void *rp_lib__Znwm(size_t size) { return new_block(size, 0); }
RP_LIB void *rp_lib__Znam(size_t size) { return new_block(size, 0); }
RP_LIB void *rp_lib__Znwj(size_t size) { return new_block(size, 0); }
RP_LIB void *rp_lib__Znaj(size_t size) { return new_block(size, 0); }
RP_LIB void *rp_lib__ZnwmSt11align_val_t(size_t size, size_t align) { return new_block(size, align); }
RP_LIB void *rp_lib__ZnamSt11align_val_t(size_t size, size_t align) { return new_block(size, align); }

RP_LIB void *rp_lib__ZnwmRKSt9nothrow_t(size_t size, const void *tag) {
    (void)tag;
    return libc_alloc_fresh(size, 0);
}

RP_LIB void *rp_lib__ZnamRKSt9nothrow_t(size_t size, const void *tag) {
    (void)tag;
    return libc_alloc_fresh(size, 0);
}

RP_LIB void rp_lib__ZdlPv(void *p) { delete_block(p); }
RP_LIB void rp_lib__ZdaPv(void *p) { delete_block(p); }
RP_LIB void rp_lib__ZdlPvm(void *p) { delete_block(p); }
RP_LIB void rp_lib__ZdaPvm(void *p) { delete_block(p); }
RP_LIB void rp_lib__ZdlPvj(void *p) { delete_block(p); }
RP_LIB void rp_lib__ZdaPvj(void *p) { delete_block(p); }
RP_LIB void rp_lib__ZdlPvSt11align_val_t(void *p) { delete_block(p); }
RP_LIB void rp_lib__ZdlPvmSt11align_val_t(void *p) { delete_block(p); }

RP_LIB _Noreturn void rp_lib__ZSt9terminatev(void) { libc_die("abort", "std::terminate() was called"); }
RP_LIB _Noreturn void rp_lib___cxa_pure_virtual(void) { libc_die("crash", "pure virtual method called"); }
