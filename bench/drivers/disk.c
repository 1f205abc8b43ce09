/* a disk: request queues, a cache with references, pages at a limit. Written by bench/drivers/write.py. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* queue: requests on the heap in a list under its lock; who takes one out has it alone. */
struct queue_request {
    int kind, size;
    struct queue_request *next;
};
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static struct queue_request *queue_first;
static int queue_length;

static int queue_control(int argument) {
    struct queue_request *request = malloc(sizeof *request);
    if (request == NULL)
        return -1;
    request->kind = argument % 3;
    request->size = argument;
    pthread_mutex_lock(&queue_lock);
    request->next = queue_first;
    queue_first = request;
    queue_length++;
    pthread_mutex_unlock(&queue_lock);
    return 0;
}

static int queue_worker(int round) {
    pthread_mutex_lock(&queue_lock);
    struct queue_request *request = queue_first;
    if (request != NULL) {
        queue_first = request->next;
        queue_length--;
    }
    pthread_mutex_unlock(&queue_lock);
    if (request == NULL)
        return 0;
    int size = request->kind == 0 ? request->size : 4 + round;
    free(request);
    return size;
}

/* cache: a buffer with a reference for each user, given up in the first round; the last one clears it. */
static struct {
    atomic_int references;
    int data[5];
} cache = {.references = 2};

static int cache_release(void) {
    if (atomic_fetch_sub(&cache.references, 1) != 1)
        return 0;
    for (int i = 0; i < 5; i++)
        cache.data[i] = 0;
    return 1;
}

static int cache_control(int round) {
    if (round > 0)
        return 0;
    int sum = cache.data[0] + cache.data[5 - 1];
    return sum + cache_release();
}

static int cache_worker(int round) {
    int sum = 0;
    if (round > 0)
        return 0;
    for (int i = 0; i < 5; i++)
        sum += cache.data[i];
    return sum + cache_release();
}

/* pages: pages are counted. At the limit the worker gives one back, below it the user takes one: each under its lock. */
static pthread_mutex_t pages_lock = PTHREAD_MUTEX_INITIALIZER, pages_count_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int pages_pages = 6 - 1;
static int pages_owner;

static int pages_control(int argument) {
    pthread_mutex_lock(&pages_lock);
    if (atomic_load(&pages_pages) >= 6) {
        pthread_mutex_unlock(&pages_lock);
        return -1;
    }
    pthread_mutex_lock(&pages_count_lock);
    pthread_mutex_unlock(&pages_lock);
    pages_owner = argument;
    if (argument > 0)
        atomic_fetch_add(&pages_pages, 1);
    pthread_mutex_unlock(&pages_count_lock);
    return 0;
}

static int pages_worker(int round) {
    int given = 0;
    pthread_mutex_lock(&pages_lock);
    if (atomic_load(&pages_pages) == 6) {
        pages_owner = 0;
        atomic_fetch_sub(&pages_pages, 1);
        given = 1;
    }
    pthread_mutex_unlock(&pages_lock);
    return given * round;
}

/* seek: one command at a time. The user prepares it while the unit is idle, the device answers while it is busy. */
enum { seek_IDLE, seek_ISSUED, seek_ANSWERED };
static struct {
    pthread_mutex_t lock;
    int state;
    int request[7], answer[7];
} seek = {.lock = PTHREAD_MUTEX_INITIALIZER, .state = seek_IDLE};

static int seek_state(void) {
    pthread_mutex_lock(&seek.lock);
    int state = seek.state;
    pthread_mutex_unlock(&seek.lock);
    return state;
}

static void seek_enter(int state) {
    pthread_mutex_lock(&seek.lock);
    seek.state = state;
    pthread_mutex_unlock(&seek.lock);
}

static int seek_control(int argument) {
    int result = -1;
    if (seek_state() == seek_IDLE) {
        for (int i = 0; i < 7; i++)
            seek.request[i] = argument + i;
        seek_enter(seek_ISSUED);
    }
    if (seek_state() == seek_ANSWERED) {
        result = 0;
        for (int i = 0; i < 7; i++)
            result += seek.answer[i];
        seek_enter(seek_IDLE);
    }
    return result;
}

static void seek_interrupt(int status) {
    if (seek_state() != seek_ISSUED)
        return;
    for (int i = 0; i < 7; i++)
        seek.answer[i] = seek.request[i] ^ status;
    seek_enter(seek_ANSWERED);
}

/* smart: BUG: counted too early. Events are written behind the last one and then counted; the worker reads what is counted. */
static struct {
    pthread_mutex_t lock;
    int count;
    int event[2];
} smart = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int smart_count(void) {
    pthread_mutex_lock(&smart.lock);
    int count = smart.count;
    pthread_mutex_unlock(&smart.lock);
    return count;
}

static void smart_interrupt(int status) {
    int at = smart_count();
    if (at >= 2)
        return;
    pthread_mutex_lock(&smart.lock);
    smart.count = at + 1;
    pthread_mutex_unlock(&smart.lock);
    smart.event[at] = status;
}

static int smart_worker(int round) {
    int sum = 0, count = smart_count();
    for (int i = 0; i < count; i++)
        sum += smart.event[i];
    return sum + round;
}

/* journal: events are written behind the last one and then counted; the worker reads what is counted. */
static struct {
    pthread_mutex_t lock;
    int count;
    int event[3];
} journal = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int journal_count(void) {
    pthread_mutex_lock(&journal.lock);
    int count = journal.count;
    pthread_mutex_unlock(&journal.lock);
    return count;
}

static void journal_interrupt(int status) {
    int at = journal_count();
    if (at >= 3)
        return;
    journal.event[at] = status;
    pthread_mutex_lock(&journal.lock);
    journal.count = at + 1;
    pthread_mutex_unlock(&journal.lock);
}

static int journal_worker(int round) {
    int sum = 0, count = journal_count();
    for (int i = 0; i < count; i++)
        sum += journal.event[i];
    return sum + round;
}

/* sector: a frame is built, protected by a checksum, and taken apart again, all on the stack. */
static unsigned sector_checksum(const unsigned char *bytes, int count) {
    unsigned sum = 0x3;
    for (int i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? sum >> 1 ^ 0xA001u : sum >> 1;
    }
    return sum;
}

static int sector_encode(unsigned char *frame, int kind, int payload) {
    int length = 0;
    frame[length++] = 0x7E;
    frame[length++] = (unsigned char)kind;
    for (int shift = 24; shift >= 0; shift -= 8)
        frame[length++] = (unsigned char)(payload >> shift);
    unsigned sum = sector_checksum(frame, length);
    frame[length++] = (unsigned char)(sum >> 8);
    frame[length++] = (unsigned char)sum;
    return length;
}

static int sector_decode(const unsigned char *frame, int length, int *payload) {
    if (length < 8 || frame[0] != 0x7E)
        return -1;
    unsigned sum = sector_checksum(frame, length - 2);
    if (frame[length - 2] != (unsigned char)(sum >> 8) || frame[length - 1] != (unsigned char)sum)
        return -2;
    *payload = 0;
    for (int i = 2; i < 6; i++)
        *payload = *payload << 8 | frame[i];
    return frame[1];
}

static int sector_control(int argument) {
    unsigned char frame[16];
    int payload = 0, length = sector_encode(frame, argument & 0x7F, argument * 4);
    return sector_decode(frame, length, &payload) < 0 ? -1 : payload;
}

static void sector_interrupt(int status) {
    unsigned char frame[16];
    int payload, length = sector_encode(frame, 1, status);
    if (sector_decode(frame, length, &payload) == 1 && payload != status)
        abort();
}

/* removal: a request enters before it looks whether the unit stops; the unit is cleared when nobody is inside. */
static struct {
    atomic_int inside, stopping;
    int registers[5];
} removal = {.inside = 1};

static int removal_leave(void) {
    return atomic_fetch_sub(&removal.inside, 1) == 1;
}

static int removal_control(int argument) {
    int result = -1;
    atomic_fetch_add(&removal.inside, 1);
    if (!atomic_load(&removal.stopping)) {
        removal.registers[argument & 1] = argument;
        result = removal.registers[5 - 1];
    }
    removal_leave();
    return result;
}

static void removal_stop(void) {
    atomic_store(&removal.stopping, 1);
    if (removal_leave())
        for (int i = 0; i < 5; i++)
            removal.registers[i] = 0;
}

/* spin_up: the device starts in three phases; each table is used from the phase on that has filled it. */
static struct {
    pthread_mutex_t lock;
    int phase;
    int base[6], limit[6];
} spin_up = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void spin_up_advance(void) {
    pthread_mutex_lock(&spin_up.lock);
    spin_up.phase++;
    pthread_mutex_unlock(&spin_up.lock);
}

static int spin_up_phase(void) {
    pthread_mutex_lock(&spin_up.lock);
    int phase = spin_up.phase;
    pthread_mutex_unlock(&spin_up.lock);
    return phase;
}

static void spin_up_interrupt(int status) {
    if (spin_up_phase() != 0)
        return;
    for (int i = 0; i < 6; i++)
        spin_up.base[i] = status + i;
    spin_up_advance();
    for (int i = 0; i < 6; i++)
        spin_up.limit[i] = spin_up.base[i] + 7;
    spin_up_advance();
}

static int spin_up_control(int argument) {
    int phase = spin_up_phase(), sum = argument;
    if (phase >= 1)
        sum += spin_up.base[0];
    if (phase >= 2)
        sum += spin_up.limit[6 - 1];
    return sum;
}

/* bounce: a buffer that is split by a parameter: the device fills the lower part, the worker the upper one. */
static struct {
    int middle;
    char memory[7];
} bounce;

static void bounce_configure(int middle) {
    bounce.middle = middle < 0 ? 0 : middle > 7 ? 7 : middle;
}

static void bounce_interrupt(int status) {
    for (int i = 0; i < bounce.middle; i++)
        bounce.memory[i] = (char)status;
}

static int bounce_worker(int round) {
    int sum = 0;
    for (int i = bounce.middle; i < 7; i++) {
        bounce.memory[i] = (char)i;
        sum += bounce.memory[i];
    }
    return sum + round;
}

/* transfers: counters under a lock. */
static struct {
    pthread_mutex_t lock;
    long received, sent, errors;
} transfers = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void transfers_interrupt(int status) {
    pthread_mutex_lock(&transfers.lock);
    transfers.received++;
    if (status < 0)
        transfers.errors++;
    pthread_mutex_unlock(&transfers.lock);
}

static int transfers_control(int argument) {
    pthread_mutex_lock(&transfers.lock);
    transfers.sent += argument > 0;
    long errors = transfers.errors;
    pthread_mutex_unlock(&transfers.lock);
    return errors > 5;
}

static int transfers_worker(int round) {
    pthread_mutex_lock(&transfers.lock);
    long all = transfers.received + transfers.sent;
    pthread_mutex_unlock(&transfers.lock);
    return all > 2 + round;
}

/* trim: requests on the heap in a list under its lock; who takes one out has it alone. */
struct trim_request {
    int kind, size;
    struct trim_request *next;
};
static pthread_mutex_t trim_lock = PTHREAD_MUTEX_INITIALIZER;
static struct trim_request *trim_first;
static int trim_length;

static int trim_control(int argument) {
    struct trim_request *request = malloc(sizeof *request);
    if (request == NULL)
        return -1;
    request->kind = argument % 4;
    request->size = argument;
    pthread_mutex_lock(&trim_lock);
    request->next = trim_first;
    trim_first = request;
    trim_length++;
    pthread_mutex_unlock(&trim_lock);
    return 0;
}

static int trim_worker(int round) {
    pthread_mutex_lock(&trim_lock);
    struct trim_request *request = trim_first;
    if (request != NULL) {
        trim_first = request->next;
        trim_length--;
    }
    pthread_mutex_unlock(&trim_lock);
    if (request == NULL)
        return 0;
    int size = request->kind == 0 ? request->size : 3 + round;
    free(request);
    return size;
}

/* format: a frame is built, protected by a checksum, and taken apart again, all on the stack. */
static unsigned format_checksum(const unsigned char *bytes, int count) {
    unsigned sum = 0x3;
    for (int i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? sum >> 1 ^ 0xA001u : sum >> 1;
    }
    return sum;
}

static int format_encode(unsigned char *frame, int kind, int payload) {
    int length = 0;
    frame[length++] = 0x7E;
    frame[length++] = (unsigned char)kind;
    for (int shift = 24; shift >= 0; shift -= 8)
        frame[length++] = (unsigned char)(payload >> shift);
    unsigned sum = format_checksum(frame, length);
    frame[length++] = (unsigned char)(sum >> 8);
    frame[length++] = (unsigned char)sum;
    return length;
}

static int format_decode(const unsigned char *frame, int length, int *payload) {
    if (length < 8 || frame[0] != 0x7E)
        return -1;
    unsigned sum = format_checksum(frame, length - 2);
    if (frame[length - 2] != (unsigned char)(sum >> 8) || frame[length - 1] != (unsigned char)sum)
        return -2;
    *payload = 0;
    for (int i = 2; i < 6; i++)
        *payload = *payload << 8 | frame[i];
    return frame[1];
}

static int format_control(int argument) {
    unsigned char frame[16];
    int payload = 0, length = format_encode(frame, argument & 0x7F, argument * 4);
    return format_decode(frame, length, &payload) < 0 ? -1 : payload;
}

static void format_interrupt(int status) {
    unsigned char frame[16];
    int payload, length = format_encode(frame, 1, status);
    if (format_decode(frame, length, &payload) == 1 && payload != status)
        abort();
}

/* power: one letter at a time: the interrupt fills the box while it is empty, the worker empties it while it is full. */
static struct {
    atomic_int full;
    int letter[5];
} power;

static void power_interrupt(int status) {
    if (atomic_load_explicit(&power.full, memory_order_acquire) != 0)
        return;
    for (int i = 0; i < 5; i++)
        power.letter[i] = status * i;
    atomic_store_explicit(&power.full, 1, memory_order_release);
}

static int power_worker(int round) {
    int sum = 0;
    if (atomic_load_explicit(&power.full, memory_order_acquire) == 1) {
        for (int i = 0; i < 5; i++) {
            sum += power.letter[i];
            power.letter[i] = 0;
        }
        atomic_store_explicit(&power.full, 0, memory_order_release);
    }
    return sum + round;
}

/* flush: pages are counted. At the limit the worker gives one back, below it the user takes one: each under its lock. */
static pthread_mutex_t flush_lock = PTHREAD_MUTEX_INITIALIZER, flush_count_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flush_pages = 6 - 1;
static int flush_owner;

static int flush_control(int argument) {
    pthread_mutex_lock(&flush_lock);
    if (atomic_load(&flush_pages) >= 6) {
        pthread_mutex_unlock(&flush_lock);
        return -1;
    }
    pthread_mutex_lock(&flush_count_lock);
    pthread_mutex_unlock(&flush_lock);
    flush_owner = argument;
    if (argument > 0)
        atomic_fetch_add(&flush_pages, 1);
    pthread_mutex_unlock(&flush_count_lock);
    return 0;
}

static int flush_worker(int round) {
    int given = 0;
    pthread_mutex_lock(&flush_lock);
    if (atomic_load(&flush_pages) == 6) {
        flush_owner = 0;
        atomic_fetch_sub(&flush_pages, 1);
        given = 1;
    }
    pthread_mutex_unlock(&flush_lock);
    return given * round;
}

static void *control_thread(void *arg) {
    int sum = 0;
    for (int round = 0; round < 2; round++) {
        sum += queue_control(round);
        sum += cache_control(round);
        sum += pages_control(round);
        sum += seek_control(round);
        sum += sector_control(round);
        sum += removal_control(round);
        sum += spin_up_control(round);
        sum += transfers_control(round);
        sum += trim_control(round);
        sum += format_control(round);
        sum += flush_control(round);
    }
    return sum > 0 ? arg : NULL;
}

static void *worker_thread(void *arg) {
    int sum = 0;
    for (int round = 0; round < 2; round++) {
        sum += queue_worker(round);
        sum += cache_worker(round);
        sum += pages_worker(round);
        sum += smart_worker(round);
        sum += journal_worker(round);
        sum += bounce_worker(round);
        sum += transfers_worker(round);
        sum += trim_worker(round);
        sum += power_worker(round);
        sum += flush_worker(round);
    }
    return sum > 0 ? arg : NULL;
}

static void *interrupt_thread(void *arg) {
    for (int round = 0; round < 2; round++) {
        seek_interrupt(round);
        smart_interrupt(round);
        journal_interrupt(round);
        sector_interrupt(round);
        spin_up_interrupt(round);
        bounce_interrupt(round);
        transfers_interrupt(round);
        format_interrupt(round);
        power_interrupt(round);
    }
    return arg;
}

int main(int argc, char **argv) {
    pthread_t user, device, deferred;
    (void)argv;
    bounce_configure(argc);
    pthread_create(&user, NULL, control_thread, NULL);
    pthread_create(&device, NULL, interrupt_thread, NULL);
    pthread_create(&deferred, NULL, worker_thread, NULL);
    removal_stop();
    pthread_join(user, NULL);
    pthread_join(device, NULL);
    pthread_join(deferred, NULL);
    return 0;
}
