/* libc_streams.c: the standard streams as objects, messages on stderr, wide output (talks to raceproof.explore; see
 * libc.h). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "libc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

/* The three streams and their descriptors stay ours, whatever the program does to them. */
static int is_ours(FILE *stream) { return libc_is_output(stream) || (stream == stdin && !libc.redirected[0]); }

static int flush(FILE *stream) {
    if (stream == NULL) return rp_fork_mode ? fflush(NULL) : 0;
    return is_ours(stream) ? 0 : fflush(stream);
}

RP_LIB int rp_lib_fflush(FILE *stream) { return flush(stream); }
RP_LIB int rp_lib_fflush_unlocked(FILE *stream) { return flush(stream); }
RP_LIB int rp_lib_fclose(FILE *stream) { return is_ours(stream) ? 0 : fclose(stream); }

/* A buffer of the program's would be written to in later executions. */
RP_LIB int rp_lib_setvbuf(FILE *stream, char *buffer, int mode, size_t size) {
    return is_ours(stream) ? 0 : setvbuf(stream, buffer, mode, size);
}

RP_LIB void rp_lib_setbuf(FILE *stream, char *buffer) {
    if (!is_ours(stream)) setbuf(stream, buffer);
}

RP_LIB void rp_lib_setbuffer(FILE *stream, char *buffer, size_t size) {
    if (!is_ours(stream)) setvbuf(stream, buffer, buffer == NULL ? _IONBF : _IOFBF, size);
}

RP_LIB void rp_lib_setlinebuf(FILE *stream) {
    if (!is_ours(stream)) setvbuf(stream, NULL, _IOLBF, 0);
}

static int number_of(FILE *stream) { return stream == stdin ? 0 : stream == stdout ? 1 : stream == stderr ? 2 : -1; }

/* Fork mode only (explore/outside.py): from here on the stream is a real one. */
RP_LIB FILE *rp_lib_freopen(const char *path, const char *mode, FILE *stream) {
    int number = number_of(stream);
    FILE *result = freopen(path, mode, stream);
    if (number >= 0 && result != NULL) libc.redirected[number] = 1;
    return result;
}

RP_LIB int rp_lib_dup2(int from, int to) {
    int result = dup2(from, to);
    if (result >= 0 && result <= 2 && from != to) libc.redirected[result] = 1;
    return result;
}

RP_LIB int rp_lib_close(int fd) {
    if (fd >= 0 && fd <= 2 && !libc.redirected[fd]) return 0;
    return rp_fork_mode ? close(fd) : (errno = EBADF, -1);
}

/* ---- err.h */

static void complain(int error, const char *format, va_list arguments) {
    libc_emit("program: ", 9);
    if (format != NULL) (void)libc_emit_format(format, arguments);
    if (error != 0) {
        if (format != NULL) libc_emit(": ", 2);
        libc_emit(strerror(error), strlen(strerror(error)));
    }
    libc_emit("\n", 1);
}

_Noreturn void rp_lib_exit(int status);

RP_LIB void rp_lib_vwarn(const char *format, va_list arguments) { complain(errno, format, arguments); }
RP_LIB void rp_lib_vwarnx(const char *format, va_list arguments) { complain(0, format, arguments); }

RP_LIB _Noreturn void rp_lib_verr(int status, const char *format, va_list arguments) {
    complain(errno, format, arguments);
    rp_lib_exit(status);
}

RP_LIB _Noreturn void rp_lib_verrx(int status, const char *format, va_list arguments) {
    complain(0, format, arguments);
    rp_lib_exit(status);
}

RP_LIB void rp_lib_warn(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    complain(errno, format, arguments);
    va_end(arguments);
}

RP_LIB void rp_lib_warnx(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    complain(0, format, arguments);
    va_end(arguments);
}

RP_LIB _Noreturn void rp_lib_err(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    complain(errno, format, arguments);
    va_end(arguments);
    rp_lib_exit(status);
}

RP_LIB _Noreturn void rp_lib_errx(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    complain(0, format, arguments);
    va_end(arguments);
    rp_lib_exit(status);
}

/* glibc's error.h */
RP_LIB void rp_lib_error(int status, int error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    complain(error, format, arguments);
    va_end(arguments);
    if (status != 0) rp_lib_exit(status);
}

/* ---- wide output */

enum { WIDE_ROOM = 4096 };

static void emit_wide(const wchar_t *text, size_t length) {
    char bytes[16]; /* MB_LEN_MAX */
    mbstate_t state;
    memset(&state, 0, sizeof state);
    for (size_t i = 0; i < length; i++) {
        size_t count = wcrtomb(bytes, text[i], &state);
        if (count != (size_t)-1) libc_emit(bytes, count);
    }
}

/* What is longer than the room is an error, as an unwritable character is. */
static int wide_format_to(FILE *stream, const wchar_t *format, va_list arguments) {
    static wchar_t formatted[WIDE_ROOM]; /* a fiber's stack is small, and control does not leave us here */
    if (!libc_is_output(stream)) return vfwprintf(stream, format, arguments);
    int length = vswprintf(formatted, WIDE_ROOM, format, arguments);
    if (length > 0) emit_wide(formatted, (size_t)length);
    return length;
}

RP_LIB int rp_lib_vwprintf(const wchar_t *format, va_list arguments) {
    return wide_format_to(stdout, format, arguments);
}

RP_LIB int rp_lib_vfwprintf(FILE *stream, const wchar_t *format, va_list arguments) {
    return wide_format_to(stream, format, arguments);
}

RP_LIB int rp_lib_wprintf(const wchar_t *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = wide_format_to(stdout, format, arguments);
    va_end(arguments);
    return length;
}

RP_LIB int rp_lib_fwprintf(FILE *stream, const wchar_t *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = wide_format_to(stream, format, arguments);
    va_end(arguments);
    return length;
}

static wint_t wide_char_to(wchar_t c, FILE *stream) {
    if (!libc_is_output(stream)) return fputwc(c, stream);
    emit_wide(&c, 1);
    return (wint_t)c;
}

RP_LIB wint_t rp_lib_putwchar(wchar_t c) { return wide_char_to(c, stdout); }
RP_LIB wint_t rp_lib_putwc(wchar_t c, FILE *stream) { return wide_char_to(c, stream); }
RP_LIB wint_t rp_lib_fputwc(wchar_t c, FILE *stream) { return wide_char_to(c, stream); }

RP_LIB int rp_lib_fputws(const wchar_t *text, FILE *stream) {
    if (!libc_is_output(stream)) return fputws(text, stream);
    emit_wide(text, wcslen(text));
    return 1;
}

/* Orientation of a stream would outlive the execution. */
RP_LIB int rp_lib_fwide(FILE *stream, int mode) { return is_ours(stream) ? mode : fwide(stream, mode); }
