/* session.c: what host and target say to each other over a stream; for raceproof.explore. docs/target.md lays it down.
 *
 * A frame: the length of its payload (4 bytes, the lowest first), its type (1 byte), the payload, and what tells that it
 * arrived as it was sent: a CRC-32 of all before it, or, once both sides have shown that they know the secret, an HMAC
 * of the frame's number and all before it, with a key for each direction that is new in each session.
 */

#define _GNU_SOURCE
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "raceproof_rt.h"
#include "sha256.h"

#ifndef RP_BUILD
#define RP_BUILD "unknown"
#endif
#define PATIENCE 60000 /* milliseconds in which something must come while a session begins */

enum { HEADER = 5, CRC = 4, NONCE = 32, TEXT_LIMIT = 512 };

struct direction {
    uint8_t key[SHA256_SIZE];
    uint64_t count;
};

static int in = -1, out = -1;
static bool is_keyed, is_broken;
static struct direction incoming, outgoing;
static uint8_t received[HEADER + FRAME_LIMIT + SHA256_SIZE];
static size_t received_size;
static uint8_t *waiting; /* what is to be sent */
static size_t waiting_size, waiting_room;

/* ---- frames */

static uint32_t crc(const uint8_t *data, size_t size) {
    static uint32_t table[256];
    for (uint32_t i = 0; table[255] == 0 && i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    uint32_t sum = 0xffffffffu;
    for (size_t i = 0; i < size; i++) sum = sum >> 8 ^ table[(sum ^ data[i]) & 0xff];
    return ~sum;
}

static void put_number(uint8_t *at, uint64_t number, int bytes) {
    for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(number >> (8 * i));
}

static uint32_t number_at(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static size_t check_size(void) { return is_keyed ? SHA256_SIZE : CRC; }

/* What follows a frame of that content, which is the next one of its direction. */
static void make_check(struct direction *d, const uint8_t *frame, size_t size, uint8_t check[SHA256_SIZE]) {
    if (!is_keyed) {
        put_number(check, crc(frame, size), CRC);
        return;
    }
    uint8_t number[8];
    put_number(number, d->count++, sizeof number);
    struct hmac mac;
    hmac_begin(&mac, d->key, sizeof d->key);
    hmac_add(&mac, number, sizeof number);
    hmac_add(&mac, frame, size);
    hmac_end(&mac, check);
}

void session_put(enum message type, const void *payload, size_t size) {
    size_t whole = HEADER + size + SHA256_SIZE;
    if (waiting_size + whole > waiting_room) {
        size_t more = 2 * (waiting_size + whole) + 4096;
        uint8_t *larger = realloc(waiting, more);
        if (larger == NULL) _exit(4);
        waiting = larger;
        waiting_room = more;
    }
    uint8_t *frame = waiting + waiting_size;
    put_number(frame, size, 4);
    frame[4] = (uint8_t)type;
    if (size > 0) memcpy(frame + HEADER, payload, size);
    make_check(&outgoing, frame, HEADER + size, frame + HEADER + size);
    waiting_size += HEADER + size + check_size();
}

void session_leave(void) {
    if (in > STDERR_FILENO) close(in);
    if (out > STDERR_FILENO && out != in) close(out);
}

bool session_has_output(void) { return waiting_size > 0; }
int session_input(void) { return is_broken ? -1 : in; }
bool session_is_keyed(void) { return is_keyed; }
int session_output(void) { return out; }

bool session_flush(void) {
    size_t sent = 0;
    while (sent < waiting_size) {
        ssize_t n = write(out, waiting + sent, waiting_size - sent);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) break;
        if (n <= 0) return false;
        sent += (size_t)n;
    }
    memmove(waiting, waiting + sent, waiting_size - sent);
    waiting_size -= sent;
    return true;
}

/* The size of the frame at the start of what has been received; 0: not all of it is there; -1: there is none. */
static ssize_t frame_size(void) {
    if (received_size < HEADER) return 0;
    uint32_t size = number_at(received);
    if (size > FRAME_LIMIT) return -1;
    size_t whole = HEADER + size + check_size();
    if (received_size < whole) return 0;
    uint8_t check[SHA256_SIZE];
    make_check(&incoming, received, HEADER + size, check);
    bool is_right = is_keyed ? same_digest(check, received + HEADER + size)
                             : memcmp(check, received + HEADER + size, CRC) == 0;
    return is_right ? (ssize_t)whole : -1;
}

static void drop(size_t bytes) {
    memmove(received, received + bytes, received_size - bytes);
    received_size -= bytes;
}

bool session_listen(void (*take)(enum message type)) {
    if (is_broken) return false;
    ssize_t n = read(in, received + received_size, sizeof received - received_size);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (n <= 0) {
        is_broken = true;
        return false;
    }
    received_size += (size_t)n;
    ssize_t size;
    while ((size = frame_size()) > 0) {
        take((enum message)received[4]);
        drop((size_t)size);
    }
    is_broken = size < 0;
    return !is_broken;
}

/* ---- the beginning */

static void wait_for(int file, short event) {
    struct pollfd one = {.fd = file, .events = event};
    int ready;
    while ((ready = poll(&one, 1, PATIENCE)) < 0 && errno == EINTR) {
    }
    if (ready <= 0) {
        fprintf(stderr, "raceproof: the host has said nothing for %d s\n", PATIENCE / 1000);
        exit(4);
    }
}

static void flush_all(void) {
    while (session_has_output()) {
        if (!session_flush()) exit(4);
        if (session_has_output()) wait_for(out, POLLOUT);
    }
}

static _Noreturn void refuse(const char *why) {
    fprintf(stderr, "raceproof: %s\n", why);
    session_put(FRAME_REFUSED, why, strlen(why));
    flush_all();
    exit(4);
}

/* The next frame stays at the start of `received`, `drop_frame` takes it away. */
static enum message next_frame(size_t *payload) {
    ssize_t size;
    while ((size = frame_size()) == 0) {
        wait_for(in, POLLIN);
        ssize_t n = read(in, received + received_size, sizeof received - received_size);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n <= 0) exit(4); /* it has changed its mind */
        received_size += (size_t)n;
    }
    if (size < 0) refuse("what came is no frame of the protocol, or was changed on its way");
    *payload = number_at(received);
    return (enum message)received[4];
}

static void drop_frame(size_t payload) { drop(HEADER + payload + check_size()); }

static const char *machine_name(void) {
#if defined(__x86_64__)
    return "x86_64";
#elif defined(__i386__)
    return "x86";
#elif defined(__aarch64__)
    return "aarch64";
#elif defined(__arm__)
    return "arm";
#elif defined(__riscv) && __riscv_xlen == 64
    return "riscv64";
#else
    return "unknown";
#endif
}

static void make_nonce(char text[2 * NONCE + 1]) {
    uint8_t nonce[NONCE];
    int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (file < 0 || read(file, nonce, sizeof nonce) != sizeof nonce) {
        fputs("raceproof: no random numbers on this machine\n", stderr);
        exit(4);
    }
    close(file);
    for (int i = 0; i < NONCE; i++) snprintf(text + 2 * i, 3, "%02x", nonce[i]);
}

static bool has_line(const char *text, const char *name, const char *value) {
    char line[TEXT_LIMIT];
    snprintf(line, sizeof line, "\n%s %s\n", name, value);
    return strstr(text, line) != NULL;
}

/* What both know, and nobody can know who does not have the secret: of this session, for one purpose. */
static void prove(const void *secret, size_t size, const char *purpose, const char *ours, const char *theirs,
                  uint8_t proof[SHA256_SIZE]) {
    struct hmac mac;
    hmac_begin(&mac, secret, size);
    hmac_add(&mac, purpose, strlen(purpose) + 1);
    hmac_add(&mac, ours, strlen(ours) + 1);
    hmac_add(&mac, theirs, strlen(theirs) + 1);
    hmac_end(&mac, proof);
}

static void authenticate(const void *secret, size_t size, const char *ours, const char *theirs) {
    uint8_t proof[SHA256_SIZE];
    size_t payload;
    if (next_frame(&payload) != FRAME_AUTH || payload != sizeof proof) refuse("this target wants a secret");
    prove(secret, size, "raceproof host", ours, theirs, proof);
    if (!same_digest(proof, received + HEADER)) refuse("the secret is not the one of this target");
    drop_frame(payload);
    prove(secret, size, "raceproof target", ours, theirs, proof);
    session_put(FRAME_KNOWN, proof, sizeof proof);
    prove(secret, size, "raceproof key of the host", ours, theirs, incoming.key);
    prove(secret, size, "raceproof key of the target", ours, theirs, outgoing.key);
    flush_all();
    is_keyed = true;
}

static void greet(const void *secret, size_t secret_size) {
    char ours[TEXT_LIMIT], theirs[TEXT_LIMIT], nonce[2 * NONCE + 1] = "", version[16];
    if (secret != NULL) make_nonce(nonce);
    snprintf(version, sizeof version, "%d", SESSION_PROTOCOL);
    int length = snprintf(ours, sizeof ours, "\nprotocol %s\nbuild %s\nmachine %s\nnonce %s\n", version, RP_BUILD,
                          machine_name(), nonce);
    session_put(FRAME_TARGET, ours, (size_t)length);
    flush_all();
    size_t payload;
    enum message type = next_frame(&payload);
    if (type != FRAME_HELLO || payload >= sizeof theirs || memchr(received + HEADER, 0, payload) != NULL)
        refuse("what came is no host of raceproof");
    memcpy(theirs, received + HEADER, payload);
    theirs[payload] = 0;
    drop_frame(payload);
    if (!has_line(theirs, "protocol", version)) refuse("the host speaks another version of the protocol");
    if (secret != NULL) authenticate(secret, secret_size, ours, theirs);
    if (!has_line(theirs, "build", RP_BUILD))
        refuse("the host is of another version of raceproof: build the runtime of this target again");
}

static void grow(char **text, size_t *size, const void *more, size_t count) {
    *text = realloc(*text, *size + count + 1);
    if (*text == NULL) refuse("not enough memory for the control file");
    if (count > 0) memcpy(*text + *size, more, count);
    *size += count;
    (*text)[*size] = 0;
}

static void keep_file(int *file, const uint8_t *bytes, size_t size) {
    if (*file < 0) *file = memfd_create("raceproof", MFD_CLOEXEC);
    while (*file >= 0 && size > 0) {
        ssize_t n = write(*file, bytes, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        bytes += n;
        size -= (size_t)n;
    }
    if (size > 0) refuse("not enough memory for the program, or its input");
}

struct request session_begin(int input, int output, const void *secret, size_t secret_size) {
    in = input;
    out = output;
    signal(SIGPIPE, SIG_IGN);
    fcntl(in, F_SETFL, fcntl(in, F_GETFL) | O_NONBLOCK);
    fcntl(out, F_SETFL, fcntl(out, F_GETFL) | O_NONBLOCK);
    greet(secret, secret_size);
    struct request request = {.file = -1, .input = -1};
    size_t path_size = 0, control_size = 0, payload;
    struct sha256 hash;
    sha256_begin(&hash);
    grow(&request.control, &control_size, NULL, 0);
    for (;;) {
        enum message type = next_frame(&payload);
        const uint8_t *bytes = received + HEADER;
        if (type == FRAME_START) break;
        switch (type) {
        case FRAME_PATH: grow(&request.program, &path_size, bytes, payload); break;
        case FRAME_PROGRAM: keep_file(&request.file, bytes, payload); break;
        case FRAME_INPUT: keep_file(&request.input, bytes, payload); break;
        case FRAME_CONTROL: grow(&request.control, &control_size, bytes, payload); break;
        case FRAME_ALIVE: break;
        case FRAME_END: exit(4);
        default: refuse("a frame that does not belong to the beginning of a session");
        }
        if (type != FRAME_ALIVE) sha256_add(&hash, bytes, payload);
        drop_frame(payload);
        session_put(FRAME_ALIVE, NULL, 0); /* over a slow line the beginning takes long */
        if (!session_flush()) exit(4);
    }
    uint8_t digest[SHA256_SIZE];
    sha256_end(&hash, digest);
    if (payload != sizeof digest || !same_digest(digest, received + HEADER))
        refuse("the program or the control file is not what the host has sent");
    drop_frame(payload);
    if (request.file >= 0 && request.program == NULL &&
        asprintf(&request.program, "/proc/self/fd/%d", request.file) < 0)
        request.program = NULL;
    if (request.program == NULL) refuse("no program");
    if (request.input >= 0) lseek(request.input, 0, SEEK_SET);
    return request;
}
