/* session.h: what host and target say to each other over a stream; docs/target.md lays it down, explore/stream.py is the
 * other side. */
#ifndef SESSION_H
#define SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SESSION_PROTOCOL 1
#define FRAME_LIMIT 65536u /* bytes that one frame carries */
#define SECRET_LIMIT 4096u
#define SECRET_LEAST 16

enum message {
    /* from the host */
    FRAME_HELLO = 'h',     /* who it is: lines "name value" */
    FRAME_AUTH = 'a',      /* that it knows the secret */
    FRAME_PATH = 'f',      /* the program is this file; or */
    FRAME_PROGRAM = 'p',   /* its next bytes */
    FRAME_CONTROL = 'c',   /* the next bytes of the control file */
    FRAME_INPUT = 't',     /* the next bytes of the program's standard input */
    FRAME_START = 's',     /* that is all: the SHA-256 of what came since the greeting */
    FRAME_ASK = 'q',       /* give away a part of what is left to do (items.c) */
    FRAME_INTERRUPT = 'i', /* end with what you have */
    FRAME_END = 'e',       /* end at once */
    FRAME_ALIVE = 'l',     /* nothing; both sides say so when they have nothing else to say */
    /* from the target */
    FRAME_TARGET = 'H',
    FRAME_KNOWN = 'A',
    FRAME_RECORDS = 'R', /* the next bytes of the records */
    FRAME_LAST = 'L',    /* "status N" or "signal N", then what was written to standard error */
    FRAME_REFUSED = 'X', /* why there is no session */
};

/* What the host has sent before it said that this is all. */
struct request {
    char *program; /* the name of a file */
    int file;      /* to be closed when that has been loaded; -1: none */
    int input;     /* its standard input; -1: nothing */
    char *control;
};

/* Read up to FRAME_START; a null secret: anybody may come. Ends the process if the host does not speak the protocol. */
struct request session_begin(int in, int out, const void *secret, size_t secret_size);

/* The same stream afterwards, for the watchdog: it never waits. */
bool session_listen(void (*take)(enum message type)); /* false: nobody is there any more, or what came is no frame */
void session_put(enum message type, const void *payload, size_t size);
bool session_flush(void); /* false: nobody is there any more */
bool session_has_output(void);
bool session_is_keyed(void);
void session_leave(void); /* another process goes on with it */
int session_input(void);
int session_output(void);

/* Serve hosts that come to ADDRESS:PORT, each in a process of its own, which returns. */
struct request session_serve(const char *address, const void *secret, size_t secret_size);

#endif
