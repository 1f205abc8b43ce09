/* a sound card: buffers that are split, periods, volume. Written by bench/drivers/write.py. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* playback: a buffer that is split by a parameter: the device fills the lower part, the worker the upper one. */
static struct {
    int middle;
    char memory[4];
} playback;

static void playback_configure(int middle) {
    playback.middle = middle < 0 ? 0 : middle > 4 ? 4 : middle;
}

static void playback_interrupt(int status) {
    for (int i = 0; i < playback.middle; i++)
        playback.memory[i] = (char)status;
}

static int playback_worker(int round) {
    int sum = 0;
    for (int i = playback.middle; i < 4; i++) {
        playback.memory[i] = (char)i;
        sum += playback.memory[i];
    }
    return sum + round;
}

/* capture: a buffer that is split by a parameter: the device fills the lower part, the worker the upper one. */
static struct {
    int middle;
    char memory[5];
} capture;

static void capture_configure(int middle) {
    capture.middle = middle < 0 ? 0 : middle > 5 ? 5 : middle;
}

static void capture_interrupt(int status) {
    for (int i = 0; i < capture.middle; i++)
        capture.memory[i] = (char)status;
}

static int capture_worker(int round) {
    int sum = 0;
    for (int i = capture.middle; i < 5; i++) {
        capture.memory[i] = (char)i;
        sum += capture.memory[i];
    }
    return sum + round;
}

/* period: one letter at a time: the interrupt fills the box while it is empty, the worker empties it while it is full. */
static struct {
    atomic_int full;
    int letter[6];
} period;

static void period_interrupt(int status) {
    if (atomic_load_explicit(&period.full, memory_order_acquire) != 0)
        return;
    for (int i = 0; i < 6; i++)
        period.letter[i] = status * i;
    atomic_store_explicit(&period.full, 1, memory_order_release);
}

static int period_worker(int round) {
    int sum = 0;
    if (atomic_load_explicit(&period.full, memory_order_acquire) == 1) {
        for (int i = 0; i < 6; i++) {
            sum += period.letter[i];
            period.letter[i] = 0;
        }
        atomic_store_explicit(&period.full, 0, memory_order_release);
    }
    return sum + round;
}

/* volume: one command at a time. The user prepares it while the unit is idle, the device answers while it is busy. */
enum { volume_IDLE, volume_ISSUED, volume_ANSWERED };
static struct {
    pthread_mutex_t lock;
    int state;
    int request[7], answer[7];
} volume = {.lock = PTHREAD_MUTEX_INITIALIZER, .state = volume_IDLE};

static int volume_state(void) {
    pthread_mutex_lock(&volume.lock);
    int state = volume.state;
    pthread_mutex_unlock(&volume.lock);
    return state;
}

static void volume_enter(int state) {
    pthread_mutex_lock(&volume.lock);
    volume.state = state;
    pthread_mutex_unlock(&volume.lock);
}

static int volume_control(int argument) {
    int result = -1;
    if (volume_state() == volume_IDLE) {
        for (int i = 0; i < 7; i++)
            volume.request[i] = argument + i;
        volume_enter(volume_ISSUED);
    }
    if (volume_state() == volume_ANSWERED) {
        result = 0;
        for (int i = 0; i < 7; i++)
            result += volume.answer[i];
        volume_enter(volume_IDLE);
    }
    return result;
}

static void volume_interrupt(int status) {
    if (volume_state() != volume_ISSUED)
        return;
    for (int i = 0; i < 7; i++)
        volume.answer[i] = volume.request[i] ^ status;
    volume_enter(volume_ANSWERED);
}

/* codec: the device starts in three phases; each table is used from the phase on that has filled it. */
static struct {
    pthread_mutex_t lock;
    int phase;
    int base[2], limit[2];
} codec = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void codec_advance(void) {
    pthread_mutex_lock(&codec.lock);
    codec.phase++;
    pthread_mutex_unlock(&codec.lock);
}

static int codec_phase(void) {
    pthread_mutex_lock(&codec.lock);
    int phase = codec.phase;
    pthread_mutex_unlock(&codec.lock);
    return phase;
}

static void codec_interrupt(int status) {
    if (codec_phase() != 0)
        return;
    for (int i = 0; i < 2; i++)
        codec.base[i] = status + i;
    codec_advance();
    for (int i = 0; i < 2; i++)
        codec.limit[i] = codec.base[i] + 5;
    codec_advance();
}

static int codec_control(int argument) {
    int phase = codec_phase(), sum = argument;
    if (phase >= 1)
        sum += codec.base[0];
    if (phase >= 2)
        sum += codec.limit[2 - 1];
    return sum;
}

/* underruns: BUG: a counter that nobody protects. */
static long underruns_packets;

static void underruns_interrupt(int status) {
    underruns_packets += status > 0;
}

static int underruns_worker(int round) {
    return underruns_packets > 4 + round;
}

/* stream: a buffer with a reference for each user, given up in the first round; the last one clears it. */
static struct {
    atomic_int references;
    int data[4];
} stream = {.references = 2};

static int stream_release(void) {
    if (atomic_fetch_sub(&stream.references, 1) != 1)
        return 0;
    for (int i = 0; i < 4; i++)
        stream.data[i] = 0;
    return 1;
}

static int stream_control(int round) {
    if (round > 0)
        return 0;
    int sum = stream.data[0] + stream.data[4 - 1];
    return sum + stream_release();
}

static int stream_worker(int round) {
    int sum = 0;
    if (round > 0)
        return 0;
    for (int i = 0; i < 4; i++)
        sum += stream.data[i];
    return sum + stream_release();
}

/* close: a request enters before it looks whether the unit stops; the unit is cleared when nobody is inside. */
static struct {
    atomic_int inside, stopping;
    int registers[5];
} close = {.inside = 1};

static int close_leave(void) {
    return atomic_fetch_sub(&close.inside, 1) == 1;
}

static int close_control(int argument) {
    int result = -1;
    atomic_fetch_add(&close.inside, 1);
    if (!atomic_load(&close.stopping)) {
        close.registers[argument & 1] = argument;
        result = close.registers[5 - 1];
    }
    close_leave();
    return result;
}

static void close_stop(void) {
    atomic_store(&close.stopping, 1);
    if (close_leave())
        for (int i = 0; i < 5; i++)
            close.registers[i] = 0;
}

/* midi: events are written behind the last one and then counted; the worker reads what is counted. */
static struct {
    pthread_mutex_t lock;
    int count;
    int event[6];
} midi = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int midi_count(void) {
    pthread_mutex_lock(&midi.lock);
    int count = midi.count;
    pthread_mutex_unlock(&midi.lock);
    return count;
}

static void midi_interrupt(int status) {
    int at = midi_count();
    if (at >= 6)
        return;
    midi.event[at] = status;
    pthread_mutex_lock(&midi.lock);
    midi.count = at + 1;
    pthread_mutex_unlock(&midi.lock);
}

static int midi_worker(int round) {
    int sum = 0, count = midi_count();
    for (int i = 0; i < count; i++)
        sum += midi.event[i];
    return sum + round;
}

/* sample: a frame is built, protected by a checksum, and taken apart again, all on the stack. */
static unsigned sample_checksum(const unsigned char *bytes, int count) {
    unsigned sum = 0x6;
    for (int i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? sum >> 1 ^ 0xA001u : sum >> 1;
    }
    return sum;
}

static int sample_encode(unsigned char *frame, int kind, int payload) {
    int length = 0;
    frame[length++] = 0x7E;
    frame[length++] = (unsigned char)kind;
    for (int shift = 24; shift >= 0; shift -= 8)
        frame[length++] = (unsigned char)(payload >> shift);
    unsigned sum = sample_checksum(frame, length);
    frame[length++] = (unsigned char)(sum >> 8);
    frame[length++] = (unsigned char)sum;
    return length;
}

static int sample_decode(const unsigned char *frame, int length, int *payload) {
    if (length < 8 || frame[0] != 0x7E)
        return -1;
    unsigned sum = sample_checksum(frame, length - 2);
    if (frame[length - 2] != (unsigned char)(sum >> 8) || frame[length - 1] != (unsigned char)sum)
        return -2;
    *payload = 0;
    for (int i = 2; i < 6; i++)
        *payload = *payload << 8 | frame[i];
    return frame[1];
}

static int sample_control(int argument) {
    unsigned char frame[16];
    int payload = 0, length = sample_encode(frame, argument & 0x7F, argument * 7);
    return sample_decode(frame, length, &payload) < 0 ? -1 : payload;
}

static void sample_interrupt(int status) {
    unsigned char frame[16];
    int payload, length = sample_encode(frame, 1, status);
    if (sample_decode(frame, length, &payload) == 1 && payload != status)
        abort();
}

/* ticks: counters under a lock. */
static struct {
    pthread_mutex_t lock;
    long received, sent, errors;
} ticks = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void ticks_interrupt(int status) {
    pthread_mutex_lock(&ticks.lock);
    ticks.received++;
    if (status < 0)
        ticks.errors++;
    pthread_mutex_unlock(&ticks.lock);
}

static int ticks_control(int argument) {
    pthread_mutex_lock(&ticks.lock);
    ticks.sent += argument > 0;
    long errors = ticks.errors;
    pthread_mutex_unlock(&ticks.lock);
    return errors > 5;
}

static int ticks_worker(int round) {
    pthread_mutex_lock(&ticks.lock);
    long all = ticks.received + ticks.sent;
    pthread_mutex_unlock(&ticks.lock);
    return all > 2 + round;
}

/* mixer: the interrupt and the worker set a bit each when they are done; the user looks at the results of both. */
static atomic_int mixer_done;
static int mixer_first[3], mixer_second[3];

static void mixer_interrupt(int status) {
    if (atomic_load(&mixer_done) & 1)
        return;
    for (int i = 0; i < 3; i++)
        mixer_first[i] = status;
    atomic_fetch_or(&mixer_done, 1);
}

static int mixer_worker(int round) {
    if (atomic_load(&mixer_done) & 2)
        return 0;
    for (int i = 0; i < 3; i++)
        mixer_second[i] = i + round;
    return atomic_fetch_or(&mixer_done, 2);
}

static int mixer_control(int argument) {
    if ((atomic_load(&mixer_done) & 3) != 3)
        return -1;
    return mixer_first[argument & 1] + mixer_second[0];
}

/* events: requests on the heap in a list under its lock; who takes one out has it alone. */
struct events_request {
    int kind, size;
    struct events_request *next;
};
static pthread_mutex_t events_lock = PTHREAD_MUTEX_INITIALIZER;
static struct events_request *events_first;
static int events_length;

static int events_control(int argument) {
    struct events_request *request = malloc(sizeof *request);
    if (request == NULL)
        return -1;
    request->kind = argument % 3;
    request->size = argument;
    pthread_mutex_lock(&events_lock);
    request->next = events_first;
    events_first = request;
    events_length++;
    pthread_mutex_unlock(&events_lock);
    return 0;
}

static int events_worker(int round) {
    pthread_mutex_lock(&events_lock);
    struct events_request *request = events_first;
    if (request != NULL) {
        events_first = request->next;
        events_length--;
    }
    pthread_mutex_unlock(&events_lock);
    if (request == NULL)
        return 0;
    int size = request->kind == 0 ? request->size : 4 + round;
    free(request);
    return size;
}

/* surround: one command at a time. The user prepares it while the unit is idle, the device answers while it is busy. */
enum { surround_IDLE, surround_ISSUED, surround_ANSWERED };
static struct {
    pthread_mutex_t lock;
    int state;
    int request[5], answer[5];
} surround = {.lock = PTHREAD_MUTEX_INITIALIZER, .state = surround_IDLE};

static int surround_state(void) {
    pthread_mutex_lock(&surround.lock);
    int state = surround.state;
    pthread_mutex_unlock(&surround.lock);
    return state;
}

static void surround_enter(int state) {
    pthread_mutex_lock(&surround.lock);
    surround.state = state;
    pthread_mutex_unlock(&surround.lock);
}

static int surround_control(int argument) {
    int result = -1;
    if (surround_state() == surround_IDLE) {
        for (int i = 0; i < 5; i++)
            surround.request[i] = argument + i;
        surround_enter(surround_ISSUED);
    }
    if (surround_state() == surround_ANSWERED) {
        result = 0;
        for (int i = 0; i < 5; i++)
            result += surround.answer[i];
        surround_enter(surround_IDLE);
    }
    return result;
}

static void surround_interrupt(int status) {
    if (surround_state() != surround_ISSUED)
        return;
    for (int i = 0; i < 5; i++)
        surround.answer[i] = surround.request[i] ^ status;
    surround_enter(surround_ANSWERED);
}

/* metering: a frame is built, protected by a checksum, and taken apart again, all on the stack. */
static unsigned metering_checksum(const unsigned char *bytes, int count) {
    unsigned sum = 0x7;
    for (int i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? sum >> 1 ^ 0xA001u : sum >> 1;
    }
    return sum;
}

static int metering_encode(unsigned char *frame, int kind, int payload) {
    int length = 0;
    frame[length++] = 0x7E;
    frame[length++] = (unsigned char)kind;
    for (int shift = 24; shift >= 0; shift -= 8)
        frame[length++] = (unsigned char)(payload >> shift);
    unsigned sum = metering_checksum(frame, length);
    frame[length++] = (unsigned char)(sum >> 8);
    frame[length++] = (unsigned char)sum;
    return length;
}

static int metering_decode(const unsigned char *frame, int length, int *payload) {
    if (length < 8 || frame[0] != 0x7E)
        return -1;
    unsigned sum = metering_checksum(frame, length - 2);
    if (frame[length - 2] != (unsigned char)(sum >> 8) || frame[length - 1] != (unsigned char)sum)
        return -2;
    *payload = 0;
    for (int i = 2; i < 6; i++)
        *payload = *payload << 8 | frame[i];
    return frame[1];
}

static int metering_control(int argument) {
    unsigned char frame[16];
    int payload = 0, length = metering_encode(frame, argument & 0x7F, argument * 6);
    return metering_decode(frame, length, &payload) < 0 ? -1 : payload;
}

static void metering_interrupt(int status) {
    unsigned char frame[16];
    int payload, length = metering_encode(frame, 1, status);
    if (metering_decode(frame, length, &payload) == 1 && payload != status)
        abort();
}

static void *control_thread(void *arg) {
    int sum = 0;
    for (int round = 0; round < 2; round++) {
        sum += volume_control(round);
        sum += codec_control(round);
        sum += stream_control(round);
        sum += close_control(round);
        sum += sample_control(round);
        sum += ticks_control(round);
        sum += mixer_control(round);
        sum += events_control(round);
        sum += surround_control(round);
        sum += metering_control(round);
    }
    return sum > 0 ? arg : NULL;
}

static void *worker_thread(void *arg) {
    int sum = 0;
    for (int round = 0; round < 2; round++) {
        sum += playback_worker(round);
        sum += capture_worker(round);
        sum += period_worker(round);
        sum += underruns_worker(round);
        sum += stream_worker(round);
        sum += midi_worker(round);
        sum += ticks_worker(round);
        sum += mixer_worker(round);
        sum += events_worker(round);
    }
    return sum > 0 ? arg : NULL;
}

static void *interrupt_thread(void *arg) {
    for (int round = 0; round < 2; round++) {
        playback_interrupt(round);
        capture_interrupt(round);
        period_interrupt(round);
        volume_interrupt(round);
        codec_interrupt(round);
        underruns_interrupt(round);
        midi_interrupt(round);
        sample_interrupt(round);
        ticks_interrupt(round);
        mixer_interrupt(round);
        surround_interrupt(round);
        metering_interrupt(round);
    }
    return arg;
}

int main(int argc, char **argv) {
    pthread_t user, device, deferred;
    (void)argv;
    playback_configure(argc);
    capture_configure(argc);
    pthread_create(&user, NULL, control_thread, NULL);
    pthread_create(&device, NULL, interrupt_thread, NULL);
    pthread_create(&deferred, NULL, worker_thread, NULL);
    close_stop();
    pthread_join(user, NULL);
    pthread_join(device, NULL);
    pthread_join(deferred, NULL);
    return 0;
}
