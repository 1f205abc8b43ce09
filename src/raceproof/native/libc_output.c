/* libc_output.c: what the program writes to its standard output and error (talks to raceproof.explore; see libc.h).
 *
 * Nothing reaches the real streams. Other streams exist in fork mode only and are the real library's.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "libc.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

enum { CAPTURED = 65536 };

struct capture {
    size_t length;
    char text[CAPTURED + 1]; /* vsnprintf adds a NUL */
};

int libc_capture;
static struct capture *capture;

void libc_init_output(void) {
    if (capture != NULL) return;
    void *at = mmap(NULL, sizeof *capture, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at != MAP_FAILED) capture = at; /* without it the output is lost, nothing else */
}

const char *libc_output(size_t *length) {
    *length = capture == NULL ? 0 : capture->length;
    return capture == NULL ? "" : capture->text;
}

void libc_clear_output(void) {
    if (capture != NULL) capture->length = 0;
}

static int is_capturing(void) { return libc_capture && capture != NULL && capture->length < CAPTURED; }

void libc_emit(const char *text, size_t length) {
    if (!is_capturing()) return;
    size_t room = CAPTURED - capture->length;
    if (length > room) length = room;
    memcpy(capture->text + capture->length, text, length);
    capture->length += length;
}

/* Formats even if nobody reads it: %n stores, and %s of a bad pointer crashes. */
int libc_emit_format(const char *format, va_list arguments) {
    if (strchr(format, '%') == NULL) {
        size_t length = strlen(format);
        libc_emit(format, length);
        return (int)length;
    }
    if (!is_capturing()) return vsnprintf(NULL, 0, format, arguments);
    size_t room = CAPTURED - capture->length;
    int length = vsnprintf(capture->text + capture->length, room + 1, format, arguments);
    if (length > 0) capture->length += (size_t)length < room ? (size_t)length : room;
    return length;
}

static int format_to(FILE *stream, const char *format, va_list arguments) {
    return libc_is_output(stream) ? libc_emit_format(format, arguments) : vfprintf(stream, format, arguments);
}

/* ---- formatted */

RP_LIB int rp_lib_vprintf(const char *format, va_list arguments) { return libc_emit_format(format, arguments); }

RP_LIB int rp_lib_printf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = libc_emit_format(format, arguments);
    va_end(arguments);
    return length;
}

RP_LIB int rp_lib_vfprintf(FILE *stream, const char *format, va_list arguments) {
    return format_to(stream, format, arguments);
}

RP_LIB int rp_lib_fprintf(FILE *stream, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = format_to(stream, format, arguments);
    va_end(arguments);
    return length;
}

static int format_to_descriptor(int fd, const char *format, va_list arguments) {
    if (libc_is_output_descriptor(fd)) return libc_emit_format(format, arguments);
    return rp_fork_mode ? vdprintf(fd, format, arguments) : (errno = EBADF, -1);
}

RP_LIB int rp_lib_vdprintf(int fd, const char *format, va_list arguments) {
    return format_to_descriptor(fd, format, arguments);
}

RP_LIB int rp_lib_dprintf(int fd, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = format_to_descriptor(fd, format, arguments);
    va_end(arguments);
    return length;
}

/* ---- the same, as _FORTIFY_SOURCE calls them */

RP_LIB int rp_lib___vprintf_chk(int flag, const char *format, va_list arguments) {
    (void)flag;
    return libc_emit_format(format, arguments);
}

RP_LIB int rp_lib___printf_chk(int flag, const char *format, ...) {
    va_list arguments;
    (void)flag;
    va_start(arguments, format);
    int length = libc_emit_format(format, arguments);
    va_end(arguments);
    return length;
}

RP_LIB int rp_lib___vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments) {
    (void)flag;
    return format_to(stream, format, arguments);
}

RP_LIB int rp_lib___fprintf_chk(FILE *stream, int flag, const char *format, ...) {
    va_list arguments;
    (void)flag;
    va_start(arguments, format);
    int length = format_to(stream, format, arguments);
    va_end(arguments);
    return length;
}

RP_LIB int rp_lib___vdprintf_chk(int fd, int flag, const char *format, va_list arguments) {
    (void)flag;
    return format_to_descriptor(fd, format, arguments);
}

RP_LIB int rp_lib___dprintf_chk(int fd, int flag, const char *format, ...) {
    va_list arguments;
    (void)flag;
    va_start(arguments, format);
    int length = format_to_descriptor(fd, format, arguments);
    va_end(arguments);
    return length;
}

/* ---- characters and strings */

static int emit_char(int c) {
    char text = (char)c;
    libc_emit(&text, 1);
    return (unsigned char)c;
}

static int char_to(int c, FILE *stream) { return libc_is_output(stream) ? emit_char(c) : fputc(c, stream); }

static int string_to(const char *text, FILE *stream) {
    if (!libc_is_output(stream)) return fputs(text, stream);
    libc_emit(text, strlen(text));
    return 1;
}

RP_LIB int rp_lib_puts(const char *text) {
    libc_emit(text, strlen(text));
    libc_emit("\n", 1);
    return 1;
}

RP_LIB int rp_lib_fputs(const char *text, FILE *stream) { return string_to(text, stream); }
RP_LIB int rp_lib_fputs_unlocked(const char *text, FILE *stream) { return string_to(text, stream); }
RP_LIB int rp_lib_putchar(int c) { return emit_char(c); }
RP_LIB int rp_lib_putchar_unlocked(int c) { return emit_char(c); }
RP_LIB int rp_lib_putc(int c, FILE *stream) { return char_to(c, stream); }
RP_LIB int rp_lib_putc_unlocked(int c, FILE *stream) { return char_to(c, stream); }
RP_LIB int rp_lib_fputc(int c, FILE *stream) { return char_to(c, stream); }
RP_LIB int rp_lib_fputc_unlocked(int c, FILE *stream) { return char_to(c, stream); }
RP_LIB int rp_lib__IO_putc(int c, FILE *stream) { return char_to(c, stream); }

static size_t items_to(const void *items, size_t size, size_t count, FILE *stream) {
    size_t bytes;
    if (!libc_is_output(stream)) return fwrite(items, size, count, stream);
    if (size == 0 || __builtin_mul_overflow(size, count, &bytes)) return 0;
    libc_emit(items, bytes);
    return count;
}

RP_LIB size_t rp_lib_fwrite(const void *items, size_t size, size_t count, FILE *stream) {
    return items_to(items, size, count, stream);
}

RP_LIB size_t rp_lib_fwrite_unlocked(const void *items, size_t size, size_t count, FILE *stream) {
    return items_to(items, size, count, stream);
}

/* ---- descriptors */

RP_LIB ssize_t rp_lib_write(int fd, const void *data, size_t length) {
    if (libc_is_output_descriptor(fd)) {
        libc_emit(data, length);
        return (ssize_t)length;
    }
    /* In memory mode the program has opened nothing: other descriptors are our own. */
    return rp_fork_mode ? outside_write(fd, data, length) : (errno = EBADF, -1);
}

RP_LIB ssize_t rp_lib_writev(int fd, const struct iovec *parts, int count) {
    ssize_t total = 0;
    if (!libc_is_output_descriptor(fd)) return rp_fork_mode ? writev(fd, parts, count) : (errno = EBADF, -1);
    for (int i = 0; i < count; i++) {
        libc_emit(parts[i].iov_base, parts[i].iov_len);
        total += (ssize_t)parts[i].iov_len;
    }
    return total;
}

RP_LIB void rp_lib_perror(const char *text) {
    const char *error = strerror(errno);
    if (text != NULL && *text != '\0') {
        libc_emit(text, strlen(text));
        libc_emit(": ", 2);
    }
    libc_emit(error, strlen(error));
    libc_emit("\n", 1);
}
