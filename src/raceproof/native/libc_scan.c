/* libc_scan.c: formatted reading from the program's standard input (talks to raceproof.explore; see libc.h).
 *
 * One set of functions under the names that the headers of C90, C99 and C23 give them in glibc. They differ in what
 * `%a` and binary numbers mean; here all read as the real library that we are linked with.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "libc.h"

#include <wchar.h>

static int scan(FILE *stream, const char *format, va_list arguments) {
    return vfscanf(libc_input_stream(stream), format, arguments);
}

static int scan_wide(FILE *stream, const wchar_t *format, va_list arguments) {
    return vfwscanf(libc_input_stream(stream), format, arguments);
}

RP_LIB int rp_lib_vscanf(const char *format, va_list arguments) { return scan(stdin, format, arguments); }

RP_LIB int rp_lib_scanf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = scan(stdin, format, arguments);
    va_end(arguments);
    return count;
}

RP_LIB int rp_lib_vfscanf(FILE *stream, const char *format, va_list arguments) {
    return scan(stream, format, arguments);
}

RP_LIB int rp_lib_fscanf(FILE *stream, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = scan(stream, format, arguments);
    va_end(arguments);
    return count;
}

RP_LIB int rp_lib___isoc99_vscanf(const char *format, va_list arguments) { return scan(stdin, format, arguments); }

RP_LIB int rp_lib___isoc99_scanf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = scan(stdin, format, arguments);
    va_end(arguments);
    return count;
}

RP_LIB int rp_lib___isoc99_vfscanf(FILE *stream, const char *format, va_list arguments) {
    return scan(stream, format, arguments);
}

RP_LIB int rp_lib___isoc99_fscanf(FILE *stream, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = scan(stream, format, arguments);
    va_end(arguments);
    return count;
}

RP_LIB int rp_lib___isoc23_vscanf(const char *format, va_list arguments) { return scan(stdin, format, arguments); }

RP_LIB int rp_lib___isoc23_scanf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = scan(stdin, format, arguments);
    va_end(arguments);
    return count;
}

RP_LIB int rp_lib___isoc23_vfscanf(FILE *stream, const char *format, va_list arguments) {
    return scan(stream, format, arguments);
}

RP_LIB int rp_lib___isoc23_fscanf(FILE *stream, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = scan(stream, format, arguments);
    va_end(arguments);
    return count;
}

RP_LIB int rp_lib_vwscanf(const wchar_t *format, va_list arguments) { return scan_wide(stdin, format, arguments); }

RP_LIB int rp_lib_wscanf(const wchar_t *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = scan_wide(stdin, format, arguments);
    va_end(arguments);
    return count;
}

RP_LIB int rp_lib_vfwscanf(FILE *stream, const wchar_t *format, va_list arguments) {
    return scan_wide(stream, format, arguments);
}

RP_LIB int rp_lib_fwscanf(FILE *stream, const wchar_t *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = scan_wide(stream, format, arguments);
    va_end(arguments);
    return count;
}

RP_LIB int rp_lib___isoc99_vwscanf(const wchar_t *format, va_list arguments) {
    return scan_wide(stdin, format, arguments);
}

RP_LIB int rp_lib___isoc99_wscanf(const wchar_t *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = scan_wide(stdin, format, arguments);
    va_end(arguments);
    return count;
}

RP_LIB int rp_lib___isoc99_vfwscanf(FILE *stream, const wchar_t *format, va_list arguments) {
    return scan_wide(stream, format, arguments);
}

RP_LIB int rp_lib___isoc99_fwscanf(FILE *stream, const wchar_t *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = scan_wide(stream, format, arguments);
    va_end(arguments);
    return count;
}

RP_LIB int rp_lib___isoc23_vwscanf(const wchar_t *format, va_list arguments) {
    return scan_wide(stdin, format, arguments);
}

RP_LIB int rp_lib___isoc23_wscanf(const wchar_t *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = scan_wide(stdin, format, arguments);
    va_end(arguments);
    return count;
}

RP_LIB int rp_lib___isoc23_vfwscanf(FILE *stream, const wchar_t *format, va_list arguments) {
    return scan_wide(stream, format, arguments);
}

RP_LIB int rp_lib___isoc23_fwscanf(FILE *stream, const wchar_t *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = scan_wide(stream, format, arguments);
    va_end(arguments);
    return count;
}
