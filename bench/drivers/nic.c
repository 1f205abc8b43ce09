/* a network card: credits, rings, start and stop. Written by bench/drivers/write.py. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* transmit: credits are free, sent or answered, and their sum stays; who has more than half of them may reset the unit. */
static struct {
    pthread_mutex_t lock;
    int total, unused, sent, answered;
    int generation;
} transmit = {.lock = PTHREAD_MUTEX_INITIALIZER, .total = 4, .unused = 4};

static int transmit_control(int argument) {
    int most = 0;
    pthread_mutex_lock(&transmit.lock);
    if (transmit.unused > 0) {
        transmit.unused--;
        transmit.sent++;
    }
    most = 2 * transmit.sent > transmit.total;
    pthread_mutex_unlock(&transmit.lock);
    if (most)
        transmit.generation = argument;
    return most;
}

static void transmit_interrupt(int status) {
    int most = 0;
    pthread_mutex_lock(&transmit.lock);
    if (transmit.unused > 0) {
        transmit.unused--;
        transmit.answered++;
    }
    most = 2 * transmit.answered > transmit.total;
    pthread_mutex_unlock(&transmit.lock);
    if (most)
        transmit.generation = -status;
}

/* receive: events are written behind the last one and then counted; the worker reads what is counted. */
static struct {
    pthread_mutex_t lock;
    int count;
    int event[5];
} receive = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int receive_count(void) {
    pthread_mutex_lock(&receive.lock);
    int count = receive.count;
    pthread_mutex_unlock(&receive.lock);
    return count;
}

static void receive_interrupt(int status) {
    int at = receive_count();
    if (at >= 5)
        return;
    receive.event[at] = status;
    pthread_mutex_lock(&receive.lock);
    receive.count = at + 1;
    pthread_mutex_unlock(&receive.lock);
}

static int receive_worker(int round) {
    int sum = 0, count = receive_count();
    for (int i = 0; i < count; i++)
        sum += receive.event[i];
    return sum + round;
}

/* link: the device starts in three phases; each table is used from the phase on that has filled it. */
static struct {
    pthread_mutex_t lock;
    int phase;
    int base[6], limit[6];
} link = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void link_advance(void) {
    pthread_mutex_lock(&link.lock);
    link.phase++;
    pthread_mutex_unlock(&link.lock);
}

static int link_phase(void) {
    pthread_mutex_lock(&link.lock);
    int phase = link.phase;
    pthread_mutex_unlock(&link.lock);
    return phase;
}

static void link_interrupt(int status) {
    if (link_phase() != 0)
        return;
    for (int i = 0; i < 6; i++)
        link.base[i] = status + i;
    link_advance();
    for (int i = 0; i < 6; i++)
        link.limit[i] = link.base[i] + 7;
    link_advance();
}

static int link_control(int argument) {
    int phase = link_phase(), sum = argument;
    if (phase >= 1)
        sum += link.base[0];
    if (phase >= 2)
        sum += link.limit[6 - 1];
    return sum;
}

/* filter: a buffer that is split by a parameter: the device fills the lower part, the worker the upper one. */
static struct {
    int middle;
    char memory[7];
} filter;

static void filter_configure(int middle) {
    filter.middle = middle < 0 ? 0 : middle > 7 ? 7 : middle;
}

static void filter_interrupt(int status) {
    for (int i = 0; i < filter.middle; i++)
        filter.memory[i] = (char)status;
}

static int filter_worker(int round) {
    int sum = 0;
    for (int i = filter.middle; i < 7; i++) {
        filter.memory[i] = (char)i;
        sum += filter.memory[i];
    }
    return sum + round;
}

/* reset: BUG: a request enters after it looked whether the unit stops; the unit is cleared when nobody is inside. */
static struct {
    atomic_int inside, stopping;
    int registers[2];
} reset = {.inside = 1};

static int reset_leave(void) {
    return atomic_fetch_sub(&reset.inside, 1) == 1;
}

static int reset_control(int argument) {
    int result = -1;
    int stopping = atomic_load(&reset.stopping);
    atomic_fetch_add(&reset.inside, 1);
    if (!stopping) {
        reset.registers[argument & 1] = argument;
        result = reset.registers[2 - 1];
    }
    reset_leave();
    return result;
}

static void reset_stop(void) {
    atomic_store(&reset.stopping, 1);
    if (reset_leave())
        for (int i = 0; i < 2; i++)
            reset.registers[i] = 0;
}

/* firmware: one command at a time. The user prepares it while the unit is idle, the device answers while it is busy. */
enum { firmware_IDLE, firmware_ISSUED, firmware_ANSWERED };
static struct {
    pthread_mutex_t lock;
    int state;
    int request[3], answer[3];
} firmware = {.lock = PTHREAD_MUTEX_INITIALIZER, .state = firmware_IDLE};

static int firmware_state(void) {
    pthread_mutex_lock(&firmware.lock);
    int state = firmware.state;
    pthread_mutex_unlock(&firmware.lock);
    return state;
}

static void firmware_enter(int state) {
    pthread_mutex_lock(&firmware.lock);
    firmware.state = state;
    pthread_mutex_unlock(&firmware.lock);
}

static int firmware_control(int argument) {
    int result = -1;
    if (firmware_state() == firmware_IDLE) {
        for (int i = 0; i < 3; i++)
            firmware.request[i] = argument + i;
        firmware_enter(firmware_ISSUED);
    }
    if (firmware_state() == firmware_ANSWERED) {
        result = 0;
        for (int i = 0; i < 3; i++)
            result += firmware.answer[i];
        firmware_enter(firmware_IDLE);
    }
    return result;
}

static void firmware_interrupt(int status) {
    if (firmware_state() != firmware_ISSUED)
        return;
    for (int i = 0; i < 3; i++)
        firmware.answer[i] = firmware.request[i] ^ status;
    firmware_enter(firmware_ANSWERED);
}

/* descriptor: requests on the heap in a list under its lock; who takes one out has it alone. */
struct descriptor_request {
    int kind, size;
    struct descriptor_request *next;
};
static pthread_mutex_t descriptor_lock = PTHREAD_MUTEX_INITIALIZER;
static struct descriptor_request *descriptor_first;
static int descriptor_length;

static int descriptor_control(int argument) {
    struct descriptor_request *request = malloc(sizeof *request);
    if (request == NULL)
        return -1;
    request->kind = argument % 3;
    request->size = argument;
    pthread_mutex_lock(&descriptor_lock);
    request->next = descriptor_first;
    descriptor_first = request;
    descriptor_length++;
    pthread_mutex_unlock(&descriptor_lock);
    return 0;
}

static int descriptor_worker(int round) {
    pthread_mutex_lock(&descriptor_lock);
    struct descriptor_request *request = descriptor_first;
    if (request != NULL) {
        descriptor_first = request->next;
        descriptor_length--;
    }
    pthread_mutex_unlock(&descriptor_lock);
    if (request == NULL)
        return 0;
    int size = request->kind == 0 ? request->size : 4 + round;
    free(request);
    return size;
}

/* header: a frame is built, protected by a checksum, and taken apart again, all on the stack. */
static unsigned header_checksum(const unsigned char *bytes, int count) {
    unsigned sum = 0x2;
    for (int i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? sum >> 1 ^ 0xA001u : sum >> 1;
    }
    return sum;
}

static int header_encode(unsigned char *frame, int kind, int payload) {
    int length = 0;
    frame[length++] = 0x7E;
    frame[length++] = (unsigned char)kind;
    for (int shift = 24; shift >= 0; shift -= 8)
        frame[length++] = (unsigned char)(payload >> shift);
    unsigned sum = header_checksum(frame, length);
    frame[length++] = (unsigned char)(sum >> 8);
    frame[length++] = (unsigned char)sum;
    return length;
}

static int header_decode(const unsigned char *frame, int length, int *payload) {
    if (length < 8 || frame[0] != 0x7E)
        return -1;
    unsigned sum = header_checksum(frame, length - 2);
    if (frame[length - 2] != (unsigned char)(sum >> 8) || frame[length - 1] != (unsigned char)sum)
        return -2;
    *payload = 0;
    for (int i = 2; i < 6; i++)
        *payload = *payload << 8 | frame[i];
    return frame[1];
}

static int header_control(int argument) {
    unsigned char frame[16];
    int payload = 0, length = header_encode(frame, argument & 0x7F, argument * 5);
    return header_decode(frame, length, &payload) < 0 ? -1 : payload;
}

static void header_interrupt(int status) {
    unsigned char frame[16];
    int payload, length = header_encode(frame, 1, status);
    if (header_decode(frame, length, &payload) == 1 && payload != status)
        abort();
}

/* packets: counters under a lock. */
static struct {
    pthread_mutex_t lock;
    long received, sent, errors;
} packets = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void packets_interrupt(int status) {
    pthread_mutex_lock(&packets.lock);
    packets.received++;
    if (status < 0)
        packets.errors++;
    pthread_mutex_unlock(&packets.lock);
}

static int packets_control(int argument) {
    pthread_mutex_lock(&packets.lock);
    packets.sent += argument > 0;
    long errors = packets.errors;
    pthread_mutex_unlock(&packets.lock);
    return errors > 7;
}

static int packets_worker(int round) {
    pthread_mutex_lock(&packets.lock);
    long all = packets.received + packets.sent;
    pthread_mutex_unlock(&packets.lock);
    return all > 6 + round;
}

/* wake: BUG: the flag is plain, so that it races, and orders nothing. */
static struct {
    int ready;
    int value;
} wake;

static void wake_interrupt(int status) {
    wake.value = status;
    wake.ready = 1;
}

static int wake_worker(int round) {
    return wake.ready == 1 ? wake.value : -round;
}

/* negotiation: the interrupt and the worker set a bit each when they are done; the user looks at the results of both. */
static atomic_int negotiation_done;
static int negotiation_first[2], negotiation_second[2];

static void negotiation_interrupt(int status) {
    if (atomic_load(&negotiation_done) & 1)
        return;
    for (int i = 0; i < 2; i++)
        negotiation_first[i] = status;
    atomic_fetch_or(&negotiation_done, 1);
}

static int negotiation_worker(int round) {
    if (atomic_load(&negotiation_done) & 2)
        return 0;
    for (int i = 0; i < 2; i++)
        negotiation_second[i] = i + round;
    return atomic_fetch_or(&negotiation_done, 2);
}

static int negotiation_control(int argument) {
    if ((atomic_load(&negotiation_done) & 3) != 3)
        return -1;
    return negotiation_first[argument & 1] + negotiation_second[0];
}

/* bonding: whether the line is shared is a parameter: only then is there anything to lock, and anything to count. */
static pthread_mutex_t bonding_lock = PTHREAD_MUTEX_INITIALIZER;
static int bonding_sharers, bonding_counter;

static void bonding_configure(int sharers) {
    bonding_sharers = sharers;
}

static void bonding_count(void) {
    if (bonding_sharers > 4)
        pthread_mutex_lock(&bonding_lock);
    if (bonding_sharers >= 4 + 1)
        bonding_counter++;
    if (bonding_sharers > 4)
        pthread_mutex_unlock(&bonding_lock);
}

static void bonding_interrupt(int status) {
    if (status >= 0)
        bonding_count();
}

static int bonding_worker(int round) {
    bonding_count();
    return round;
}

/* mac: one letter at a time: the interrupt fills the box while it is empty, the worker empties it while it is full. */
static struct {
    atomic_int full;
    int letter[4];
} mac;

static void mac_interrupt(int status) {
    if (atomic_load_explicit(&mac.full, memory_order_acquire) != 0)
        return;
    for (int i = 0; i < 4; i++)
        mac.letter[i] = status * i;
    atomic_store_explicit(&mac.full, 1, memory_order_release);
}

static int mac_worker(int round) {
    int sum = 0;
    if (atomic_load_explicit(&mac.full, memory_order_acquire) == 1) {
        for (int i = 0; i < 4; i++) {
            sum += mac.letter[i];
            mac.letter[i] = 0;
        }
        atomic_store_explicit(&mac.full, 0, memory_order_release);
    }
    return sum + round;
}

/* pause_frames: pages are counted. At the limit the worker gives one back, below it the user takes one: each under its lock. */
static pthread_mutex_t pause_frames_lock = PTHREAD_MUTEX_INITIALIZER, pause_frames_count_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int pause_frames_pages = 5 - 1;
static int pause_frames_owner;

static int pause_frames_control(int argument) {
    pthread_mutex_lock(&pause_frames_lock);
    if (atomic_load(&pause_frames_pages) >= 5) {
        pthread_mutex_unlock(&pause_frames_lock);
        return -1;
    }
    pthread_mutex_lock(&pause_frames_count_lock);
    pthread_mutex_unlock(&pause_frames_lock);
    pause_frames_owner = argument;
    if (argument > 0)
        atomic_fetch_add(&pause_frames_pages, 1);
    pthread_mutex_unlock(&pause_frames_count_lock);
    return 0;
}

static int pause_frames_worker(int round) {
    int given = 0;
    pthread_mutex_lock(&pause_frames_lock);
    if (atomic_load(&pause_frames_pages) == 5) {
        pause_frames_owner = 0;
        atomic_fetch_sub(&pause_frames_pages, 1);
        given = 1;
    }
    pthread_mutex_unlock(&pause_frames_lock);
    return given * round;
}

/* trailer: a frame is built, protected by a checksum, and taken apart again, all on the stack. */
static unsigned trailer_checksum(const unsigned char *bytes, int count) {
    unsigned sum = 0x7;
    for (int i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? sum >> 1 ^ 0xA001u : sum >> 1;
    }
    return sum;
}

static int trailer_encode(unsigned char *frame, int kind, int payload) {
    int length = 0;
    frame[length++] = 0x7E;
    frame[length++] = (unsigned char)kind;
    for (int shift = 24; shift >= 0; shift -= 8)
        frame[length++] = (unsigned char)(payload >> shift);
    unsigned sum = trailer_checksum(frame, length);
    frame[length++] = (unsigned char)(sum >> 8);
    frame[length++] = (unsigned char)sum;
    return length;
}

static int trailer_decode(const unsigned char *frame, int length, int *payload) {
    if (length < 8 || frame[0] != 0x7E)
        return -1;
    unsigned sum = trailer_checksum(frame, length - 2);
    if (frame[length - 2] != (unsigned char)(sum >> 8) || frame[length - 1] != (unsigned char)sum)
        return -2;
    *payload = 0;
    for (int i = 2; i < 6; i++)
        *payload = *payload << 8 | frame[i];
    return frame[1];
}

static int trailer_control(int argument) {
    unsigned char frame[16];
    int payload = 0, length = trailer_encode(frame, argument & 0x7F, argument * 6);
    return trailer_decode(frame, length, &payload) < 0 ? -1 : payload;
}

static void trailer_interrupt(int status) {
    unsigned char frame[16];
    int payload, length = trailer_encode(frame, 1, status);
    if (trailer_decode(frame, length, &payload) == 1 && payload != status)
        abort();
}

/* flow: credits are free, sent or answered, and their sum stays; who has more than half of them may reset the unit. */
static struct {
    pthread_mutex_t lock;
    int total, unused, sent, answered;
    int generation;
} flow = {.lock = PTHREAD_MUTEX_INITIALIZER, .total = 7, .unused = 7};

static int flow_control(int argument) {
    int most = 0;
    pthread_mutex_lock(&flow.lock);
    if (flow.unused > 0) {
        flow.unused--;
        flow.sent++;
    }
    most = 2 * flow.sent > flow.total;
    pthread_mutex_unlock(&flow.lock);
    if (most)
        flow.generation = argument;
    return most;
}

static void flow_interrupt(int status) {
    int most = 0;
    pthread_mutex_lock(&flow.lock);
    if (flow.unused > 0) {
        flow.unused--;
        flow.answered++;
    }
    most = 2 * flow.answered > flow.total;
    pthread_mutex_unlock(&flow.lock);
    if (most)
        flow.generation = -status;
}

/* multicast: requests on the heap in a list under its lock; who takes one out has it alone. */
struct multicast_request {
    int kind, size;
    struct multicast_request *next;
};
static pthread_mutex_t multicast_lock = PTHREAD_MUTEX_INITIALIZER;
static struct multicast_request *multicast_first;
static int multicast_length;

static int multicast_control(int argument) {
    struct multicast_request *request = malloc(sizeof *request);
    if (request == NULL)
        return -1;
    request->kind = argument % 5;
    request->size = argument;
    pthread_mutex_lock(&multicast_lock);
    request->next = multicast_first;
    multicast_first = request;
    multicast_length++;
    pthread_mutex_unlock(&multicast_lock);
    return 0;
}

static int multicast_worker(int round) {
    pthread_mutex_lock(&multicast_lock);
    struct multicast_request *request = multicast_first;
    if (request != NULL) {
        multicast_first = request->next;
        multicast_length--;
    }
    pthread_mutex_unlock(&multicast_lock);
    if (request == NULL)
        return 0;
    int size = request->kind == 0 ? request->size : 2 + round;
    free(request);
    return size;
}

static void *control_thread(void *arg) {
    int sum = 0;
    for (int round = 0; round < 3; round++) {
        sum += transmit_control(round);
        sum += link_control(round);
        sum += reset_control(round);
        sum += firmware_control(round);
        sum += descriptor_control(round);
        sum += header_control(round);
        sum += packets_control(round);
        sum += negotiation_control(round);
        sum += pause_frames_control(round);
        sum += trailer_control(round);
        sum += flow_control(round);
        sum += multicast_control(round);
    }
    return sum > 0 ? arg : NULL;
}

static void *worker_thread(void *arg) {
    int sum = 0;
    for (int round = 0; round < 3; round++) {
        sum += receive_worker(round);
        sum += filter_worker(round);
        sum += descriptor_worker(round);
        sum += packets_worker(round);
        sum += wake_worker(round);
        sum += negotiation_worker(round);
        sum += bonding_worker(round);
        sum += mac_worker(round);
        sum += pause_frames_worker(round);
        sum += multicast_worker(round);
    }
    return sum > 0 ? arg : NULL;
}

static void *interrupt_thread(void *arg) {
    for (int round = 0; round < 3; round++) {
        transmit_interrupt(round);
        receive_interrupt(round);
        link_interrupt(round);
        filter_interrupt(round);
        firmware_interrupt(round);
        header_interrupt(round);
        packets_interrupt(round);
        wake_interrupt(round);
        negotiation_interrupt(round);
        bonding_interrupt(round);
        mac_interrupt(round);
        trailer_interrupt(round);
        flow_interrupt(round);
    }
    return arg;
}

int main(int argc, char **argv) {
    pthread_t user, device, deferred;
    (void)argv;
    filter_configure(argc);
    bonding_configure(argc);
    pthread_create(&user, NULL, control_thread, NULL);
    pthread_create(&device, NULL, interrupt_thread, NULL);
    pthread_create(&deferred, NULL, worker_thread, NULL);
    reset_stop();
    pthread_join(user, NULL);
    pthread_join(device, NULL);
    pthread_join(deferred, NULL);
    return 0;
}
