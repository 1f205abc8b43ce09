/* libc_input.c: the program's standard input (talks to raceproof.explore; see libc.h).
 *
 * The real standard input is read once, whole, into memory. A stream over that memory stands for stdin in every
 * function that reads, and is rewound before each execution.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "libc.h"
#include "validity.h"
#include "program_types.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

static char *text;
static size_t text_length;
static int is_loaded;
static FILE *input;

/* From a terminal nothing is taken: every execution would have to be typed in again. */
void libc_load_input(void) {
    size_t room = 0;
    if (is_loaded) return;
    is_loaded = 1;
    if (isatty(0)) return;
    for (;;) {
        if (room - text_length < 4096) {
            room = room * 2 + 65536;
            char *more = realloc(text, room);
            if (more == NULL) return;
            text = more;
        }
        ssize_t got = read(0, text + text_length, room - text_length);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        text_length += (size_t)got;
    }
}

FILE *libc_input_stream(FILE *stream) {
    if (stream != stdin || libc.redirected[0]) return stream;
    libc.input_used = 1;
    if (input != NULL) return input;
    libc_load_input();
    if (text_length == 0) G->input_was_empty = 1;
    int before = errno;
    input = text_length == 0 ? fopen("/dev/null", "r") : fmemopen(text, text_length, "rb");
    errno = before;
    return input != NULL ? input : stream;
}

void libc_reset_input(void) {
    if (input == NULL) return;
    if (fwide(input, 0) > 0) { /* once wide, always wide: only a new stream can be read by bytes */
        fclose(input);
        input = NULL;
    } else {
        rewind(input);
    }
}

/* ---- characters and blocks */

/* A stream of a pipe or a socket: when it has to ask the system, other threads run until there is something. */
static FILE *readable(FILE *given) {
    FILE *stream = libc_input_stream(given);
#if defined(__GLIBC__) && !defined(RP_STATIC)
    struct stat file;
    bool is_asking = rp_fork_mode && stream == given && stream->_IO_read_ptr >= stream->_IO_read_end;
    if (is_asking && fileno(stream) >= 0 && fstat(fileno(stream), &file) == 0 && !S_ISREG(file.st_mode))
        outside_until_readable(fileno(stream));
#endif
    return stream;
}

static int next_char(FILE *stream) { return getc(readable(stream)); }

RP_LIB int rp_lib_getchar(void) { return next_char(stdin); }
RP_LIB int rp_lib_getchar_unlocked(void) { return next_char(stdin); }
RP_LIB int rp_lib_getc(FILE *stream) { return next_char(stream); }
RP_LIB int rp_lib_getc_unlocked(FILE *stream) { return next_char(stream); }
RP_LIB int rp_lib_fgetc(FILE *stream) { return next_char(stream); }
RP_LIB int rp_lib_fgetc_unlocked(FILE *stream) { return next_char(stream); }
RP_LIB int rp_lib__IO_getc(FILE *stream) { return next_char(stream); }
RP_LIB int rp_lib_ungetc(int c, FILE *stream) { return ungetc(c, libc_input_stream(stream)); }

static char *next_line(char *line, int size, FILE *stream) { return fgets(line, size, readable(stream)); }

RP_LIB char *rp_lib_fgets(char *line, int size, FILE *stream) { return next_line(line, size, stream); }
RP_LIB char *rp_lib_fgets_unlocked(char *line, int size, FILE *stream) { return next_line(line, size, stream); }

RP_LIB char *rp_lib___fgets_chk(char *line, size_t room, int size, FILE *stream) {
    (void)room;
    return next_line(line, size, stream);
}

/* Gone from C11, still in old programs. */
RP_LIB char *rp_lib_gets(char *line) {
    size_t length = 0;
    int c;
    while ((c = next_char(stdin)) != EOF && c != '\n') line[length++] = (char)c;
    if (c == EOF && length == 0) return NULL;
    line[length] = '\0';
    return line;
}

static size_t next_items(void *items, size_t size, size_t count, FILE *stream) {
    return fread(items, size, count, readable(stream));
}

RP_LIB size_t rp_lib_fread(void *items, size_t size, size_t count, FILE *stream) {
    return next_items(items, size, count, stream);
}

RP_LIB size_t rp_lib_fread_unlocked(void *items, size_t size, size_t count, FILE *stream) {
    return next_items(items, size, count, stream);
}

RP_LIB size_t rp_lib___fread_chk(void *items, size_t room, size_t size, size_t count, FILE *stream) {
    (void)room;
    return next_items(items, size, count, stream);
}

static ssize_t read_descriptor(int fd, void *data, size_t length) {
    if (fd == 0 && !libc.redirected[0]) return (ssize_t)next_items(data, 1, length, stdin);
    return rp_fork_mode ? outside_read(fd, data, length) : (errno = EBADF, -1);
}

RP_LIB ssize_t rp_lib_read(int fd, void *data, size_t length) { return read_descriptor(fd, data, length); }

RP_LIB ssize_t rp_lib___read_chk(int fd, void *data, size_t length, size_t room) {
    (void)room;
    return read_descriptor(fd, data, length);
}

/* ---- lines in memory of the program's heap, from any stream */

static int has_room(char **line, size_t *room, size_t needed) {
    if (*line != NULL && *room >= needed) return 1;
    size_t size = *line == NULL || *room < 60 ? 120 : *room * 2;
    char *more = libc_realloc(*line, size);
    if (more == NULL) return 0;
    *line = more;
    *room = size;
    return 1;
}

static ssize_t next_record(char **line, size_t *room, int delimiter, FILE *stream) {
    size_t length = 0;
    int c;
    if (line == NULL || room == NULL) return errno = EINVAL, -1;
    do {
        c = next_char(stream);
        if (c == EOF) break;
        if (!has_room(line, room, length + 2)) return -1;
        (*line)[length++] = (char)c;
    } while (c != delimiter);
    if (length == 0) return -1;
    (*line)[length] = '\0';
    validity_written(*line, length + 1);
    return (ssize_t)length;
}

RP_LIB ssize_t rp_lib_getdelim(char **line, size_t *room, int delimiter, FILE *stream) {
    return next_record(line, room, delimiter, stream);
}

RP_LIB ssize_t rp_lib___getdelim(char **line, size_t *room, int delimiter, FILE *stream) {
    return next_record(line, room, delimiter, stream);
}

RP_LIB ssize_t rp_lib_getline(char **line, size_t *room, FILE *stream) { return next_record(line, room, '\n', stream); }

/* ---- state of the stream */

RP_LIB int rp_lib_feof(FILE *stream) { return feof(libc_input_stream(stream)); }
RP_LIB int rp_lib_feof_unlocked(FILE *stream) { return feof(libc_input_stream(stream)); }
RP_LIB int rp_lib_ferror(FILE *stream) { return ferror(libc_input_stream(stream)); }
RP_LIB int rp_lib_ferror_unlocked(FILE *stream) { return ferror(libc_input_stream(stream)); }
RP_LIB void rp_lib_clearerr(FILE *stream) { clearerr(libc_input_stream(stream)); }
RP_LIB void rp_lib_clearerr_unlocked(FILE *stream) { clearerr(libc_input_stream(stream)); }
RP_LIB void rp_lib_rewind(FILE *stream) { rewind(libc_input_stream(stream)); }
RP_LIB long rp_lib_ftell(FILE *stream) { return ftell(libc_input_stream(stream)); }
RP_LIB program_offset rp_lib_ftello(FILE *stream) { return (program_offset)ftello(libc_input_stream(stream)); }
RP_LIB int rp_lib_fgetpos(FILE *stream, fpos_t *place) { return fgetpos(libc_input_stream(stream), place); }
RP_LIB int rp_lib_fsetpos(FILE *stream, const fpos_t *place) { return fsetpos(libc_input_stream(stream), place); }

RP_LIB int rp_lib_fseek(FILE *stream, long offset, int whence) {
    return fseek(libc_input_stream(stream), offset, whence);
}

RP_LIB int rp_lib_fseeko(FILE *stream, program_offset offset, int whence) {
    return fseeko(libc_input_stream(stream), offset, whence);
}

/* ---- wide characters */

RP_LIB wint_t rp_lib_getwchar(void) { return getwc(libc_input_stream(stdin)); }
RP_LIB wint_t rp_lib_getwc(FILE *stream) { return getwc(libc_input_stream(stream)); }
RP_LIB wint_t rp_lib_fgetwc(FILE *stream) { return getwc(libc_input_stream(stream)); }
RP_LIB wint_t rp_lib_ungetwc(wint_t c, FILE *stream) { return ungetwc(c, libc_input_stream(stream)); }

RP_LIB wchar_t *rp_lib_fgetws(wchar_t *line, int size, FILE *stream) {
    return fgetws(line, size, libc_input_stream(stream));
}
