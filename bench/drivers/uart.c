/* a serial line: commands, a log of errors, frames, counters. Written by bench/drivers/write.py. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* line: one command at a time. The user prepares it while the unit is idle, the device answers while it is busy. */
enum { line_IDLE, line_ISSUED, line_ANSWERED };
static struct {
    pthread_mutex_t lock;
    int state;
    int request[4], answer[4];
} line = {.lock = PTHREAD_MUTEX_INITIALIZER, .state = line_IDLE};

static int line_state(void) {
    pthread_mutex_lock(&line.lock);
    int state = line.state;
    pthread_mutex_unlock(&line.lock);
    return state;
}

static void line_enter(int state) {
    pthread_mutex_lock(&line.lock);
    line.state = state;
    pthread_mutex_unlock(&line.lock);
}

static int line_control(int argument) {
    int result = -1;
    if (line_state() == line_IDLE) {
        for (int i = 0; i < 4; i++)
            line.request[i] = argument + i;
        line_enter(line_ISSUED);
    }
    if (line_state() == line_ANSWERED) {
        result = 0;
        for (int i = 0; i < 4; i++)
            result += line.answer[i];
        line_enter(line_IDLE);
    }
    return result;
}

static void line_interrupt(int status) {
    if (line_state() != line_ISSUED)
        return;
    for (int i = 0; i < 4; i++)
        line.answer[i] = line.request[i] ^ status;
    line_enter(line_ANSWERED);
}

/* errors: events are written behind the last one and then counted; the worker reads what is counted. */
static struct {
    pthread_mutex_t lock;
    int count;
    int event[5];
} errors = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int errors_count(void) {
    pthread_mutex_lock(&errors.lock);
    int count = errors.count;
    pthread_mutex_unlock(&errors.lock);
    return count;
}

static void errors_interrupt(int status) {
    int at = errors_count();
    if (at >= 5)
        return;
    errors.event[at] = status;
    pthread_mutex_lock(&errors.lock);
    errors.count = at + 1;
    pthread_mutex_unlock(&errors.lock);
}

static int errors_worker(int round) {
    int sum = 0, count = errors_count();
    for (int i = 0; i < count; i++)
        sum += errors.event[i];
    return sum + round;
}

/* frame: a frame is built, protected by a checksum, and taken apart again, all on the stack. */
static unsigned frame_checksum(const unsigned char *bytes, int count) {
    unsigned sum = 0x7;
    for (int i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? sum >> 1 ^ 0xA001u : sum >> 1;
    }
    return sum;
}

static int frame_encode(unsigned char *frame, int kind, int payload) {
    int length = 0;
    frame[length++] = 0x7E;
    frame[length++] = (unsigned char)kind;
    for (int shift = 24; shift >= 0; shift -= 8)
        frame[length++] = (unsigned char)(payload >> shift);
    unsigned sum = frame_checksum(frame, length);
    frame[length++] = (unsigned char)(sum >> 8);
    frame[length++] = (unsigned char)sum;
    return length;
}

static int frame_decode(const unsigned char *frame, int length, int *payload) {
    if (length < 8 || frame[0] != 0x7E)
        return -1;
    unsigned sum = frame_checksum(frame, length - 2);
    if (frame[length - 2] != (unsigned char)(sum >> 8) || frame[length - 1] != (unsigned char)sum)
        return -2;
    *payload = 0;
    for (int i = 2; i < 6; i++)
        *payload = *payload << 8 | frame[i];
    return frame[1];
}

static int frame_control(int argument) {
    unsigned char frame[16];
    int payload = 0, length = frame_encode(frame, argument & 0x7F, argument * 6);
    return frame_decode(frame, length, &payload) < 0 ? -1 : payload;
}

static void frame_interrupt(int status) {
    unsigned char frame[16];
    int payload, length = frame_encode(frame, 1, status);
    if (frame_decode(frame, length, &payload) == 1 && payload != status)
        abort();
}

/* traffic: counters under a lock. */
static struct {
    pthread_mutex_t lock;
    long received, sent, errors;
} traffic = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void traffic_interrupt(int status) {
    pthread_mutex_lock(&traffic.lock);
    traffic.received++;
    if (status < 0)
        traffic.errors++;
    pthread_mutex_unlock(&traffic.lock);
}

static int traffic_control(int argument) {
    pthread_mutex_lock(&traffic.lock);
    traffic.sent += argument > 0;
    long errors = traffic.errors;
    pthread_mutex_unlock(&traffic.lock);
    return errors > 6;
}

static int traffic_worker(int round) {
    pthread_mutex_lock(&traffic.lock);
    long all = traffic.received + traffic.sent;
    pthread_mutex_unlock(&traffic.lock);
    return all > 7 + round;
}

/* mode: the device starts in three phases; each table is used from the phase on that has filled it. */
static struct {
    pthread_mutex_t lock;
    int phase;
    int base[2], limit[2];
} mode = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void mode_advance(void) {
    pthread_mutex_lock(&mode.lock);
    mode.phase++;
    pthread_mutex_unlock(&mode.lock);
}

static int mode_phase(void) {
    pthread_mutex_lock(&mode.lock);
    int phase = mode.phase;
    pthread_mutex_unlock(&mode.lock);
    return phase;
}

static void mode_interrupt(int status) {
    if (mode_phase() != 0)
        return;
    for (int i = 0; i < 2; i++)
        mode.base[i] = status + i;
    mode_advance();
    for (int i = 0; i < 2; i++)
        mode.limit[i] = mode.base[i] + 5;
    mode_advance();
}

static int mode_control(int argument) {
    int phase = mode_phase(), sum = argument;
    if (phase >= 1)
        sum += mode.base[0];
    if (phase >= 2)
        sum += mode.limit[2 - 1];
    return sum;
}

/* modem: one letter at a time: the interrupt fills the box while it is empty, the worker empties it while it is full. */
static struct {
    atomic_int full;
    int letter[3];
} modem;

static void modem_interrupt(int status) {
    if (atomic_load_explicit(&modem.full, memory_order_acquire) != 0)
        return;
    for (int i = 0; i < 3; i++)
        modem.letter[i] = status * i;
    atomic_store_explicit(&modem.full, 1, memory_order_release);
}

static int modem_worker(int round) {
    int sum = 0;
    if (atomic_load_explicit(&modem.full, memory_order_acquire) == 1) {
        for (int i = 0; i < 3; i++) {
            sum += modem.letter[i];
            modem.letter[i] = 0;
        }
        atomic_store_explicit(&modem.full, 0, memory_order_release);
    }
    return sum + round;
}

/* breaks: BUG: a counter that nobody protects. */
static long breaks_packets;

static void breaks_interrupt(int status) {
    breaks_packets += status > 0;
}

static int breaks_worker(int round) {
    return breaks_packets > 3 + round;
}

/* fifo: a buffer that is split by a parameter: the device fills the lower part, the worker the upper one. */
static struct {
    int middle;
    char memory[5];
} fifo;

static void fifo_configure(int middle) {
    fifo.middle = middle < 0 ? 0 : middle > 5 ? 5 : middle;
}

static void fifo_interrupt(int status) {
    for (int i = 0; i < fifo.middle; i++)
        fifo.memory[i] = (char)status;
}

static int fifo_worker(int round) {
    int sum = 0;
    for (int i = fifo.middle; i < 5; i++) {
        fifo.memory[i] = (char)i;
        sum += fifo.memory[i];
    }
    return sum + round;
}

/* shared_irq: whether the line is shared is a parameter: only then is there anything to lock, and anything to count. */
static pthread_mutex_t shared_irq_lock = PTHREAD_MUTEX_INITIALIZER;
static int shared_irq_sharers, shared_irq_counter;

static void shared_irq_configure(int sharers) {
    shared_irq_sharers = sharers;
}

static void shared_irq_count(void) {
    if (shared_irq_sharers > 7)
        pthread_mutex_lock(&shared_irq_lock);
    if (shared_irq_sharers >= 7 + 1)
        shared_irq_counter++;
    if (shared_irq_sharers > 7)
        pthread_mutex_unlock(&shared_irq_lock);
}

static void shared_irq_interrupt(int status) {
    if (status >= 0)
        shared_irq_count();
}

static int shared_irq_worker(int round) {
    shared_irq_count();
    return round;
}

/* shutdown: a request enters before it looks whether the unit stops; the unit is cleared when nobody is inside. */
static struct {
    atomic_int inside, stopping;
    int registers[7];
} shutdown = {.inside = 1};

static int shutdown_leave(void) {
    return atomic_fetch_sub(&shutdown.inside, 1) == 1;
}

static int shutdown_control(int argument) {
    int result = -1;
    atomic_fetch_add(&shutdown.inside, 1);
    if (!atomic_load(&shutdown.stopping)) {
        shutdown.registers[argument & 1] = argument;
        result = shutdown.registers[7 - 1];
    }
    shutdown_leave();
    return result;
}

static void shutdown_stop(void) {
    atomic_store(&shutdown.stopping, 1);
    if (shutdown_leave())
        for (int i = 0; i < 7; i++)
            shutdown.registers[i] = 0;
}

/* echo: a frame is built, protected by a checksum, and taken apart again, all on the stack. */
static unsigned echo_checksum(const unsigned char *bytes, int count) {
    unsigned sum = 0x5;
    for (int i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? sum >> 1 ^ 0xA001u : sum >> 1;
    }
    return sum;
}

static int echo_encode(unsigned char *frame, int kind, int payload) {
    int length = 0;
    frame[length++] = 0x7E;
    frame[length++] = (unsigned char)kind;
    for (int shift = 24; shift >= 0; shift -= 8)
        frame[length++] = (unsigned char)(payload >> shift);
    unsigned sum = echo_checksum(frame, length);
    frame[length++] = (unsigned char)(sum >> 8);
    frame[length++] = (unsigned char)sum;
    return length;
}

static int echo_decode(const unsigned char *frame, int length, int *payload) {
    if (length < 8 || frame[0] != 0x7E)
        return -1;
    unsigned sum = echo_checksum(frame, length - 2);
    if (frame[length - 2] != (unsigned char)(sum >> 8) || frame[length - 1] != (unsigned char)sum)
        return -2;
    *payload = 0;
    for (int i = 2; i < 6; i++)
        *payload = *payload << 8 | frame[i];
    return frame[1];
}

static int echo_control(int argument) {
    unsigned char frame[16];
    int payload = 0, length = echo_encode(frame, argument & 0x7F, argument * 2);
    return echo_decode(frame, length, &payload) < 0 ? -1 : payload;
}

static void echo_interrupt(int status) {
    unsigned char frame[16];
    int payload, length = echo_encode(frame, 1, status);
    if (echo_decode(frame, length, &payload) == 1 && payload != status)
        abort();
}

/* parity: one command at a time. The user prepares it while the unit is idle, the device answers while it is busy. */
enum { parity_IDLE, parity_ISSUED, parity_ANSWERED };
static struct {
    pthread_mutex_t lock;
    int state;
    int request[3], answer[3];
} parity = {.lock = PTHREAD_MUTEX_INITIALIZER, .state = parity_IDLE};

static int parity_state(void) {
    pthread_mutex_lock(&parity.lock);
    int state = parity.state;
    pthread_mutex_unlock(&parity.lock);
    return state;
}

static void parity_enter(int state) {
    pthread_mutex_lock(&parity.lock);
    parity.state = state;
    pthread_mutex_unlock(&parity.lock);
}

static int parity_control(int argument) {
    int result = -1;
    if (parity_state() == parity_IDLE) {
        for (int i = 0; i < 3; i++)
            parity.request[i] = argument + i;
        parity_enter(parity_ISSUED);
    }
    if (parity_state() == parity_ANSWERED) {
        result = 0;
        for (int i = 0; i < 3; i++)
            result += parity.answer[i];
        parity_enter(parity_IDLE);
    }
    return result;
}

static void parity_interrupt(int status) {
    if (parity_state() != parity_ISSUED)
        return;
    for (int i = 0; i < 3; i++)
        parity.answer[i] = parity.request[i] ^ status;
    parity_enter(parity_ANSWERED);
}

/* xon: the interrupt and the worker set a bit each when they are done; the user looks at the results of both. */
static atomic_int xon_done;
static int xon_first[4], xon_second[4];

static void xon_interrupt(int status) {
    if (atomic_load(&xon_done) & 1)
        return;
    for (int i = 0; i < 4; i++)
        xon_first[i] = status;
    atomic_fetch_or(&xon_done, 1);
}

static int xon_worker(int round) {
    if (atomic_load(&xon_done) & 2)
        return 0;
    for (int i = 0; i < 4; i++)
        xon_second[i] = i + round;
    return atomic_fetch_or(&xon_done, 2);
}

static int xon_control(int argument) {
    if ((atomic_load(&xon_done) & 3) != 3)
        return -1;
    return xon_first[argument & 1] + xon_second[0];
}

/* pending: requests on the heap in a list under its lock; who takes one out has it alone. */
struct pending_request {
    int kind, size;
    struct pending_request *next;
};
static pthread_mutex_t pending_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pending_request *pending_first;
static int pending_length;

static int pending_control(int argument) {
    struct pending_request *request = malloc(sizeof *request);
    if (request == NULL)
        return -1;
    request->kind = argument % 2;
    request->size = argument;
    pthread_mutex_lock(&pending_lock);
    request->next = pending_first;
    pending_first = request;
    pending_length++;
    pthread_mutex_unlock(&pending_lock);
    return 0;
}

static int pending_worker(int round) {
    pthread_mutex_lock(&pending_lock);
    struct pending_request *request = pending_first;
    if (request != NULL) {
        pending_first = request->next;
        pending_length--;
    }
    pthread_mutex_unlock(&pending_lock);
    if (request == NULL)
        return 0;
    int size = request->kind == 0 ? request->size : 5 + round;
    free(request);
    return size;
}

/* baud: the device starts in three phases; each table is used from the phase on that has filled it. */
static struct {
    pthread_mutex_t lock;
    int phase;
    int base[6], limit[6];
} baud = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void baud_advance(void) {
    pthread_mutex_lock(&baud.lock);
    baud.phase++;
    pthread_mutex_unlock(&baud.lock);
}

static int baud_phase(void) {
    pthread_mutex_lock(&baud.lock);
    int phase = baud.phase;
    pthread_mutex_unlock(&baud.lock);
    return phase;
}

static void baud_interrupt(int status) {
    if (baud_phase() != 0)
        return;
    for (int i = 0; i < 6; i++)
        baud.base[i] = status + i;
    baud_advance();
    for (int i = 0; i < 6; i++)
        baud.limit[i] = baud.base[i] + 7;
    baud_advance();
}

static int baud_control(int argument) {
    int phase = baud_phase(), sum = argument;
    if (phase >= 1)
        sum += baud.base[0];
    if (phase >= 2)
        sum += baud.limit[6 - 1];
    return sum;
}

static void *control_thread(void *arg) {
    int sum = 0;
    for (int round = 0; round < 2; round++) {
        sum += line_control(round);
        sum += frame_control(round);
        sum += traffic_control(round);
        sum += mode_control(round);
        sum += shutdown_control(round);
        sum += echo_control(round);
        sum += parity_control(round);
        sum += xon_control(round);
        sum += pending_control(round);
        sum += baud_control(round);
    }
    return sum > 0 ? arg : NULL;
}

static void *worker_thread(void *arg) {
    int sum = 0;
    for (int round = 0; round < 2; round++) {
        sum += errors_worker(round);
        sum += traffic_worker(round);
        sum += modem_worker(round);
        sum += breaks_worker(round);
        sum += fifo_worker(round);
        sum += shared_irq_worker(round);
        sum += xon_worker(round);
        sum += pending_worker(round);
    }
    return sum > 0 ? arg : NULL;
}

static void *interrupt_thread(void *arg) {
    for (int round = 0; round < 2; round++) {
        line_interrupt(round);
        errors_interrupt(round);
        frame_interrupt(round);
        traffic_interrupt(round);
        mode_interrupt(round);
        modem_interrupt(round);
        breaks_interrupt(round);
        fifo_interrupt(round);
        shared_irq_interrupt(round);
        echo_interrupt(round);
        parity_interrupt(round);
        xon_interrupt(round);
        baud_interrupt(round);
    }
    return arg;
}

int main(int argc, char **argv) {
    pthread_t user, device, deferred;
    (void)argv;
    fifo_configure(argc);
    shared_irq_configure(argc);
    pthread_create(&user, NULL, control_thread, NULL);
    pthread_create(&device, NULL, interrupt_thread, NULL);
    pthread_create(&deferred, NULL, worker_thread, NULL);
    shutdown_stop();
    pthread_join(user, NULL);
    pthread_join(device, NULL);
    pthread_join(deferred, NULL);
    return 0;
}
