/* libc_verifier.c: the functions of SV-COMP's rules (talks to raceproof.explore; see libc.h).
 *
 * Every input is a choice of the search. __VERIFIER_atomic_begin and _end are part of the scheduler.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "libc.h"
#include "program_types.h"

#include <limits.h>
#include <stdbool.h>

#define BITS(type) ((int)(sizeof(type) * CHAR_BIT))
#define UNSIGNED(type, name) ((type)rp_choose_input(BITS(type), 0, name))
#define SIGNED(type, name) ((type)rp_choose_input(BITS(type), 1, name))

RP_LIB bool rp_lib___VERIFIER_nondet_bool(void) { return rp_choose_input(1, 0, "bool") & 1; }
RP_LIB bool rp_lib___VERIFIER_nondet__Bool(void) { return rp_choose_input(1, 0, "bool") & 1; }
RP_LIB char rp_lib___VERIFIER_nondet_char(void) {
    return CHAR_MIN < 0 ? SIGNED(char, "char") : UNSIGNED(char, "char");
}
RP_LIB signed char rp_lib___VERIFIER_nondet_schar(void) { return SIGNED(signed char, "schar"); }
RP_LIB unsigned char rp_lib___VERIFIER_nondet_uchar(void) { return UNSIGNED(unsigned char, "uchar"); }
RP_LIB unsigned char rp_lib___VERIFIER_nondet_unsigned_char(void) { return UNSIGNED(unsigned char, "uchar"); }
RP_LIB short rp_lib___VERIFIER_nondet_short(void) { return SIGNED(short, "short"); }
RP_LIB unsigned short rp_lib___VERIFIER_nondet_ushort(void) { return UNSIGNED(unsigned short, "ushort"); }
RP_LIB int rp_lib___VERIFIER_nondet_int(void) { return SIGNED(int, "int"); }
RP_LIB unsigned rp_lib___VERIFIER_nondet_uint(void) { return UNSIGNED(unsigned, "uint"); }
RP_LIB unsigned rp_lib___VERIFIER_nondet_unsigned(void) { return UNSIGNED(unsigned, "uint"); }
RP_LIB long rp_lib___VERIFIER_nondet_long(void) { return SIGNED(long, "long"); }
RP_LIB unsigned long rp_lib___VERIFIER_nondet_ulong(void) { return UNSIGNED(unsigned long, "ulong"); }
RP_LIB long long rp_lib___VERIFIER_nondet_longlong(void) { return SIGNED(long long, "longlong"); }
RP_LIB unsigned long long rp_lib___VERIFIER_nondet_ulonglong(void) { return UNSIGNED(unsigned long long, "ulonglong"); }
RP_LIB size_t rp_lib___VERIFIER_nondet_size_t(void) { return UNSIGNED(size_t, "size_t"); }
RP_LIB ssize_t rp_lib___VERIFIER_nondet_ssize_t(void) { return SIGNED(ssize_t, "ssize_t"); }
RP_LIB ptrdiff_t rp_lib___VERIFIER_nondet_ptrdiff_t(void) { return SIGNED(ptrdiff_t, "ptrdiff_t"); }
RP_LIB long long rp_lib___VERIFIER_nondet_loff_t(void) { return SIGNED(long long, "loff_t"); }
RP_LIB program_offset rp_lib___VERIFIER_nondet_off_t(void) { return SIGNED(program_offset, "off_t"); }
RP_LIB unsigned long rp_lib___VERIFIER_nondet_sector_t(void) { return UNSIGNED(unsigned long, "sector_t"); }
RP_LIB unsigned long rp_lib___VERIFIER_nondet_pthread_t(void) { return UNSIGNED(unsigned long, "pthread_t"); }
RP_LIB int8_t rp_lib___VERIFIER_nondet_s8(void) { return SIGNED(int8_t, "s8"); }
RP_LIB int16_t rp_lib___VERIFIER_nondet_s16(void) { return SIGNED(int16_t, "s16"); }
RP_LIB int32_t rp_lib___VERIFIER_nondet_s32(void) { return SIGNED(int32_t, "s32"); }
RP_LIB int64_t rp_lib___VERIFIER_nondet_s64(void) { return SIGNED(int64_t, "s64"); }
RP_LIB int8_t rp_lib___VERIFIER_nondet_S8(void) { return SIGNED(int8_t, "s8"); }
RP_LIB int16_t rp_lib___VERIFIER_nondet_S16(void) { return SIGNED(int16_t, "s16"); }
RP_LIB int32_t rp_lib___VERIFIER_nondet_S32(void) { return SIGNED(int32_t, "s32"); }
RP_LIB int64_t rp_lib___VERIFIER_nondet_S64(void) { return SIGNED(int64_t, "s64"); }
RP_LIB uint8_t rp_lib___VERIFIER_nondet_u8(void) { return UNSIGNED(uint8_t, "u8"); }
RP_LIB uint16_t rp_lib___VERIFIER_nondet_u16(void) { return UNSIGNED(uint16_t, "u16"); }
RP_LIB uint32_t rp_lib___VERIFIER_nondet_u32(void) { return UNSIGNED(uint32_t, "u32"); }
RP_LIB uint64_t rp_lib___VERIFIER_nondet_u64(void) { return UNSIGNED(uint64_t, "u64"); }
RP_LIB uint8_t rp_lib___VERIFIER_nondet_U8(void) { return UNSIGNED(uint8_t, "u8"); }
RP_LIB uint16_t rp_lib___VERIFIER_nondet_U16(void) { return UNSIGNED(uint16_t, "u16"); }
RP_LIB uint32_t rp_lib___VERIFIER_nondet_U32(void) { return UNSIGNED(uint32_t, "u32"); }
RP_LIB uint64_t rp_lib___VERIFIER_nondet_U64(void) { return UNSIGNED(uint64_t, "u64"); }

/* An integer as a floating point number, not a pattern of bits: the values to try come from the program's integers. */
RP_LIB float rp_lib___VERIFIER_nondet_float(void) { return (float)SIGNED(int32_t, "float"); }
RP_LIB double rp_lib___VERIFIER_nondet_double(void) { return (double)SIGNED(int64_t, "double"); }

#ifdef __SIZEOF_INT128__
/* The high half takes the sign of the low one, so that small numbers are among the values. */
RP_LIB __int128 rp_lib___VERIFIER_nondet_int128(void) { return (__int128)SIGNED(int64_t, "int128"); }
RP_LIB unsigned __int128 rp_lib___VERIFIER_nondet_uint128(void) {
    return (unsigned __int128)UNSIGNED(uint64_t, "uint128");
}
#endif

enum { POINTED_TO = 4096 };

/* Null, or something to point to: an address out of nothing would only show a crash that the program does not have.
 * The choice is one of all addresses, so that the search never takes it to be exhausted. */
static void *choose_pointer(void) {
    return rp_choose_input(BITS(void *), 0, "pointer") == 0 ? NULL : libc_alloc(POINTED_TO, 0);
}

RP_LIB void *rp_lib___VERIFIER_nondet_pointer(void) { return choose_pointer(); }
RP_LIB char *rp_lib___VERIFIER_nondet_pchar(void) { return choose_pointer(); }
RP_LIB char *rp_lib___VERIFIER_nondet_charp(void) { return choose_pointer(); }
RP_LIB const char *rp_lib___VERIFIER_nondet_const_char_pointer(void) { return choose_pointer(); }

RP_LIB void rp_lib___VERIFIER_nondet_memory(void *memory, size_t size) {
    unsigned char *bytes = memory;
    for (size_t i = 0; i < size; i++) bytes[i] = UNSIGNED(unsigned char, "uchar");
}

RP_LIB void rp_lib___VERIFIER_assume(int condition) {
    if (!condition) rp_assume_failed();
}

RP_LIB void rp_lib___VERIFIER_assert(int condition) {
    if (!condition) libc_die("assertion", "__VERIFIER_assert failed");
}

RP_LIB _Noreturn void rp_lib___VERIFIER_error(void) { libc_die("reach_error", "__VERIFIER_error() was reached"); }
RP_LIB _Noreturn void rp_lib_reach_error(void) { libc_die("reach_error", "reach_error() was reached"); }
