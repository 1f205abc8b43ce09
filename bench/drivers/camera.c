/* a camera: everything at once, twice. Written by bench/drivers/write.py. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* exposure: one command at a time. The user prepares it while the unit is idle, the device answers while it is busy. */
enum { exposure_IDLE, exposure_ISSUED, exposure_ANSWERED };
static struct {
    pthread_mutex_t lock;
    int state;
    int request[4], answer[4];
} exposure = {.lock = PTHREAD_MUTEX_INITIALIZER, .state = exposure_IDLE};

static int exposure_state(void) {
    pthread_mutex_lock(&exposure.lock);
    int state = exposure.state;
    pthread_mutex_unlock(&exposure.lock);
    return state;
}

static void exposure_enter(int state) {
    pthread_mutex_lock(&exposure.lock);
    exposure.state = state;
    pthread_mutex_unlock(&exposure.lock);
}

static int exposure_control(int argument) {
    int result = -1;
    if (exposure_state() == exposure_IDLE) {
        for (int i = 0; i < 4; i++)
            exposure.request[i] = argument + i;
        exposure_enter(exposure_ISSUED);
    }
    if (exposure_state() == exposure_ANSWERED) {
        result = 0;
        for (int i = 0; i < 4; i++)
            result += exposure.answer[i];
        exposure_enter(exposure_IDLE);
    }
    return result;
}

static void exposure_interrupt(int status) {
    if (exposure_state() != exposure_ISSUED)
        return;
    for (int i = 0; i < 4; i++)
        exposure.answer[i] = exposure.request[i] ^ status;
    exposure_enter(exposure_ANSWERED);
}

/* focus: one command at a time. The user prepares it while the unit is idle, the device answers while it is busy. */
enum { focus_IDLE, focus_ISSUED, focus_ANSWERED };
static struct {
    pthread_mutex_t lock;
    int state;
    int request[5], answer[5];
} focus = {.lock = PTHREAD_MUTEX_INITIALIZER, .state = focus_IDLE};

static int focus_state(void) {
    pthread_mutex_lock(&focus.lock);
    int state = focus.state;
    pthread_mutex_unlock(&focus.lock);
    return state;
}

static void focus_enter(int state) {
    pthread_mutex_lock(&focus.lock);
    focus.state = state;
    pthread_mutex_unlock(&focus.lock);
}

static int focus_control(int argument) {
    int result = -1;
    if (focus_state() == focus_IDLE) {
        for (int i = 0; i < 5; i++)
            focus.request[i] = argument + i;
        focus_enter(focus_ISSUED);
    }
    if (focus_state() == focus_ANSWERED) {
        result = 0;
        for (int i = 0; i < 5; i++)
            result += focus.answer[i];
        focus_enter(focus_IDLE);
    }
    return result;
}

static void focus_interrupt(int status) {
    if (focus_state() != focus_ISSUED)
        return;
    for (int i = 0; i < 5; i++)
        focus.answer[i] = focus.request[i] ^ status;
    focus_enter(focus_ANSWERED);
}

/* frames: events are written behind the last one and then counted; the worker reads what is counted. */
static struct {
    pthread_mutex_t lock;
    int count;
    int event[6];
} frames = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int frames_count(void) {
    pthread_mutex_lock(&frames.lock);
    int count = frames.count;
    pthread_mutex_unlock(&frames.lock);
    return count;
}

static void frames_interrupt(int status) {
    int at = frames_count();
    if (at >= 6)
        return;
    frames.event[at] = status;
    pthread_mutex_lock(&frames.lock);
    frames.count = at + 1;
    pthread_mutex_unlock(&frames.lock);
}

static int frames_worker(int round) {
    int sum = 0, count = frames_count();
    for (int i = 0; i < count; i++)
        sum += frames.event[i];
    return sum + round;
}

/* lines: BUG: counted too early. Events are written behind the last one and then counted; the worker reads what is counted. */
static struct {
    pthread_mutex_t lock;
    int count;
    int event[7];
} lines = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int lines_count(void) {
    pthread_mutex_lock(&lines.lock);
    int count = lines.count;
    pthread_mutex_unlock(&lines.lock);
    return count;
}

static void lines_interrupt(int status) {
    int at = lines_count();
    if (at >= 7)
        return;
    pthread_mutex_lock(&lines.lock);
    lines.count = at + 1;
    pthread_mutex_unlock(&lines.lock);
    lines.event[at] = status;
}

static int lines_worker(int round) {
    int sum = 0, count = lines_count();
    for (int i = 0; i < count; i++)
        sum += lines.event[i];
    return sum + round;
}

/* sensor: the device starts in three phases; each table is used from the phase on that has filled it. */
static struct {
    pthread_mutex_t lock;
    int phase;
    int base[2], limit[2];
} sensor = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void sensor_advance(void) {
    pthread_mutex_lock(&sensor.lock);
    sensor.phase++;
    pthread_mutex_unlock(&sensor.lock);
}

static int sensor_phase(void) {
    pthread_mutex_lock(&sensor.lock);
    int phase = sensor.phase;
    pthread_mutex_unlock(&sensor.lock);
    return phase;
}

static void sensor_interrupt(int status) {
    if (sensor_phase() != 0)
        return;
    for (int i = 0; i < 2; i++)
        sensor.base[i] = status + i;
    sensor_advance();
    for (int i = 0; i < 2; i++)
        sensor.limit[i] = sensor.base[i] + 5;
    sensor_advance();
}

static int sensor_control(int argument) {
    int phase = sensor_phase(), sum = argument;
    if (phase >= 1)
        sum += sensor.base[0];
    if (phase >= 2)
        sum += sensor.limit[2 - 1];
    return sum;
}

/* flash: one letter at a time: the interrupt fills the box while it is empty, the worker empties it while it is full. */
static struct {
    atomic_int full;
    int letter[3];
} flash;

static void flash_interrupt(int status) {
    if (atomic_load_explicit(&flash.full, memory_order_acquire) != 0)
        return;
    for (int i = 0; i < 3; i++)
        flash.letter[i] = status * i;
    atomic_store_explicit(&flash.full, 1, memory_order_release);
}

static int flash_worker(int round) {
    int sum = 0;
    if (atomic_load_explicit(&flash.full, memory_order_acquire) == 1) {
        for (int i = 0; i < 3; i++) {
            sum += flash.letter[i];
            flash.letter[i] = 0;
        }
        atomic_store_explicit(&flash.full, 0, memory_order_release);
    }
    return sum + round;
}

/* shutter: one letter at a time: the interrupt fills the box while it is empty, the worker empties it while it is full. */
static struct {
    atomic_int full;
    int letter[4];
} shutter;

static void shutter_interrupt(int status) {
    if (atomic_load_explicit(&shutter.full, memory_order_acquire) != 0)
        return;
    for (int i = 0; i < 4; i++)
        shutter.letter[i] = status * i;
    atomic_store_explicit(&shutter.full, 1, memory_order_release);
}

static int shutter_worker(int round) {
    int sum = 0;
    if (atomic_load_explicit(&shutter.full, memory_order_acquire) == 1) {
        for (int i = 0; i < 4; i++) {
            sum += shutter.letter[i];
            shutter.letter[i] = 0;
        }
        atomic_store_explicit(&shutter.full, 0, memory_order_release);
    }
    return sum + round;
}

/* bayer: a buffer that is split by a parameter: the device fills the lower part, the worker the upper one. */
static struct {
    int middle;
    char memory[5];
} bayer;

static void bayer_configure(int middle) {
    bayer.middle = middle < 0 ? 0 : middle > 5 ? 5 : middle;
}

static void bayer_interrupt(int status) {
    for (int i = 0; i < bayer.middle; i++)
        bayer.memory[i] = (char)status;
}

static int bayer_worker(int round) {
    int sum = 0;
    for (int i = bayer.middle; i < 5; i++) {
        bayer.memory[i] = (char)i;
        sum += bayer.memory[i];
    }
    return sum + round;
}

/* jpeg: a frame is built, protected by a checksum, and taken apart again, all on the stack. */
static unsigned jpeg_checksum(const unsigned char *bytes, int count) {
    unsigned sum = 0x7;
    for (int i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? sum >> 1 ^ 0xA001u : sum >> 1;
    }
    return sum;
}

static int jpeg_encode(unsigned char *frame, int kind, int payload) {
    int length = 0;
    frame[length++] = 0x7E;
    frame[length++] = (unsigned char)kind;
    for (int shift = 24; shift >= 0; shift -= 8)
        frame[length++] = (unsigned char)(payload >> shift);
    unsigned sum = jpeg_checksum(frame, length);
    frame[length++] = (unsigned char)(sum >> 8);
    frame[length++] = (unsigned char)sum;
    return length;
}

static int jpeg_decode(const unsigned char *frame, int length, int *payload) {
    if (length < 8 || frame[0] != 0x7E)
        return -1;
    unsigned sum = jpeg_checksum(frame, length - 2);
    if (frame[length - 2] != (unsigned char)(sum >> 8) || frame[length - 1] != (unsigned char)sum)
        return -2;
    *payload = 0;
    for (int i = 2; i < 6; i++)
        *payload = *payload << 8 | frame[i];
    return frame[1];
}

static int jpeg_control(int argument) {
    unsigned char frame[16];
    int payload = 0, length = jpeg_encode(frame, argument & 0x7F, argument * 6);
    return jpeg_decode(frame, length, &payload) < 0 ? -1 : payload;
}

static void jpeg_interrupt(int status) {
    unsigned char frame[16];
    int payload, length = jpeg_encode(frame, 1, status);
    if (jpeg_decode(frame, length, &payload) == 1 && payload != status)
        abort();
}

/* raw: a frame is built, protected by a checksum, and taken apart again, all on the stack. */
static unsigned raw_checksum(const unsigned char *bytes, int count) {
    unsigned sum = 0x6;
    for (int i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? sum >> 1 ^ 0xA001u : sum >> 1;
    }
    return sum;
}

static int raw_encode(unsigned char *frame, int kind, int payload) {
    int length = 0;
    frame[length++] = 0x7E;
    frame[length++] = (unsigned char)kind;
    for (int shift = 24; shift >= 0; shift -= 8)
        frame[length++] = (unsigned char)(payload >> shift);
    unsigned sum = raw_checksum(frame, length);
    frame[length++] = (unsigned char)(sum >> 8);
    frame[length++] = (unsigned char)sum;
    return length;
}

static int raw_decode(const unsigned char *frame, int length, int *payload) {
    if (length < 8 || frame[0] != 0x7E)
        return -1;
    unsigned sum = raw_checksum(frame, length - 2);
    if (frame[length - 2] != (unsigned char)(sum >> 8) || frame[length - 1] != (unsigned char)sum)
        return -2;
    *payload = 0;
    for (int i = 2; i < 6; i++)
        *payload = *payload << 8 | frame[i];
    return frame[1];
}

static int raw_control(int argument) {
    unsigned char frame[16];
    int payload = 0, length = raw_encode(frame, argument & 0x7F, argument * 7);
    return raw_decode(frame, length, &payload) < 0 ? -1 : payload;
}

static void raw_interrupt(int status) {
    unsigned char frame[16];
    int payload, length = raw_encode(frame, 1, status);
    if (raw_decode(frame, length, &payload) == 1 && payload != status)
        abort();
}

/* buffers: a buffer with a reference for each user, given up in the first round; the last one clears it. */
static struct {
    atomic_int references;
    int data[2];
} buffers = {.references = 2};

static int buffers_release(void) {
    if (atomic_fetch_sub(&buffers.references, 1) != 1)
        return 0;
    for (int i = 0; i < 2; i++)
        buffers.data[i] = 0;
    return 1;
}

static int buffers_control(int round) {
    if (round > 0)
        return 0;
    int sum = buffers.data[0] + buffers.data[2 - 1];
    return sum + buffers_release();
}

static int buffers_worker(int round) {
    int sum = 0;
    if (round > 0)
        return 0;
    for (int i = 0; i < 2; i++)
        sum += buffers.data[i];
    return sum + buffers_release();
}

/* unplug: a request enters before it looks whether the unit stops; the unit is cleared when nobody is inside. */
static struct {
    atomic_int inside, stopping;
    int registers[3];
} unplug = {.inside = 1};

static int unplug_leave(void) {
    return atomic_fetch_sub(&unplug.inside, 1) == 1;
}

static int unplug_control(int argument) {
    int result = -1;
    atomic_fetch_add(&unplug.inside, 1);
    if (!atomic_load(&unplug.stopping)) {
        unplug.registers[argument & 1] = argument;
        result = unplug.registers[3 - 1];
    }
    unplug_leave();
    return result;
}

static void unplug_stop(void) {
    atomic_store(&unplug.stopping, 1);
    if (unplug_leave())
        for (int i = 0; i < 3; i++)
            unplug.registers[i] = 0;
}

/* suspend: BUG: a request enters after it looked whether the unit stops; the unit is cleared when nobody is inside. */
static struct {
    atomic_int inside, stopping;
    int registers[4];
} suspend = {.inside = 1};

static int suspend_leave(void) {
    return atomic_fetch_sub(&suspend.inside, 1) == 1;
}

static int suspend_control(int argument) {
    int result = -1;
    int stopping = atomic_load(&suspend.stopping);
    atomic_fetch_add(&suspend.inside, 1);
    if (!stopping) {
        suspend.registers[argument & 1] = argument;
        result = suspend.registers[4 - 1];
    }
    suspend_leave();
    return result;
}

static void suspend_stop(void) {
    atomic_store(&suspend.stopping, 1);
    if (suspend_leave())
        for (int i = 0; i < 4; i++)
            suspend.registers[i] = 0;
}

/* bandwidth: credits are free, sent or answered, and their sum stays; who has more than half of them may reset the unit. */
static struct {
    pthread_mutex_t lock;
    int total, unused, sent, answered;
    int generation;
} bandwidth = {.lock = PTHREAD_MUTEX_INITIALIZER, .total = 5, .unused = 5};

static int bandwidth_control(int argument) {
    int most = 0;
    pthread_mutex_lock(&bandwidth.lock);
    if (bandwidth.unused > 0) {
        bandwidth.unused--;
        bandwidth.sent++;
    }
    most = 2 * bandwidth.sent > bandwidth.total;
    pthread_mutex_unlock(&bandwidth.lock);
    if (most)
        bandwidth.generation = argument;
    return most;
}

static void bandwidth_interrupt(int status) {
    int most = 0;
    pthread_mutex_lock(&bandwidth.lock);
    if (bandwidth.unused > 0) {
        bandwidth.unused--;
        bandwidth.answered++;
    }
    most = 2 * bandwidth.answered > bandwidth.total;
    pthread_mutex_unlock(&bandwidth.lock);
    if (most)
        bandwidth.generation = -status;
}

/* memory: pages are counted. At the limit the worker gives one back, below it the user takes one: each under its lock. */
static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER, memory_count_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int memory_pages = 6 - 1;
static int memory_owner;

static int memory_control(int argument) {
    pthread_mutex_lock(&memory_lock);
    if (atomic_load(&memory_pages) >= 6) {
        pthread_mutex_unlock(&memory_lock);
        return -1;
    }
    pthread_mutex_lock(&memory_count_lock);
    pthread_mutex_unlock(&memory_lock);
    memory_owner = argument;
    if (argument > 0)
        atomic_fetch_add(&memory_pages, 1);
    pthread_mutex_unlock(&memory_count_lock);
    return 0;
}

static int memory_worker(int round) {
    int given = 0;
    pthread_mutex_lock(&memory_lock);
    if (atomic_load(&memory_pages) == 6) {
        memory_owner = 0;
        atomic_fetch_sub(&memory_pages, 1);
        given = 1;
    }
    pthread_mutex_unlock(&memory_lock);
    return given * round;
}

/* calibration: the interrupt and the worker set a bit each when they are done; the user looks at the results of both. */
static atomic_int calibration_done;
static int calibration_first[7], calibration_second[7];

static void calibration_interrupt(int status) {
    if (atomic_load(&calibration_done) & 1)
        return;
    for (int i = 0; i < 7; i++)
        calibration_first[i] = status;
    atomic_fetch_or(&calibration_done, 1);
}

static int calibration_worker(int round) {
    if (atomic_load(&calibration_done) & 2)
        return 0;
    for (int i = 0; i < 7; i++)
        calibration_second[i] = i + round;
    return atomic_fetch_or(&calibration_done, 2);
}

static int calibration_control(int argument) {
    if ((atomic_load(&calibration_done) & 3) != 3)
        return -1;
    return calibration_first[argument & 1] + calibration_second[0];
}

/* usage: counters under a lock. */
static struct {
    pthread_mutex_t lock;
    long received, sent, errors;
} usage = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void usage_interrupt(int status) {
    pthread_mutex_lock(&usage.lock);
    usage.received++;
    if (status < 0)
        usage.errors++;
    pthread_mutex_unlock(&usage.lock);
}

static int usage_control(int argument) {
    pthread_mutex_lock(&usage.lock);
    usage.sent += argument > 0;
    long errors = usage.errors;
    pthread_mutex_unlock(&usage.lock);
    return errors > 5;
}

static int usage_worker(int round) {
    pthread_mutex_lock(&usage.lock);
    long all = usage.received + usage.sent;
    pthread_mutex_unlock(&usage.lock);
    return all > 2 + round;
}

/* faults: BUG: a counter that nobody protects. */
static long faults_packets;

static void faults_interrupt(int status) {
    faults_packets += status > 0;
}

static int faults_worker(int round) {
    return faults_packets > 4 + round;
}

/* jobs: requests on the heap in a list under its lock; who takes one out has it alone. */
struct jobs_request {
    int kind, size;
    struct jobs_request *next;
};
static pthread_mutex_t jobs_lock = PTHREAD_MUTEX_INITIALIZER;
static struct jobs_request *jobs_first;
static int jobs_length;

static int jobs_control(int argument) {
    struct jobs_request *request = malloc(sizeof *request);
    if (request == NULL)
        return -1;
    request->kind = argument % 3;
    request->size = argument;
    pthread_mutex_lock(&jobs_lock);
    request->next = jobs_first;
    jobs_first = request;
    jobs_length++;
    pthread_mutex_unlock(&jobs_lock);
    return 0;
}

static int jobs_worker(int round) {
    pthread_mutex_lock(&jobs_lock);
    struct jobs_request *request = jobs_first;
    if (request != NULL) {
        jobs_first = request->next;
        jobs_length--;
    }
    pthread_mutex_unlock(&jobs_lock);
    if (request == NULL)
        return 0;
    int size = request->kind == 0 ? request->size : 4 + round;
    free(request);
    return size;
}

/* line_sharing: whether the line is shared is a parameter: only then is there anything to lock, and anything to count. */
static pthread_mutex_t line_sharing_lock = PTHREAD_MUTEX_INITIALIZER;
static int line_sharing_sharers, line_sharing_counter;

static void line_sharing_configure(int sharers) {
    line_sharing_sharers = sharers;
}

static void line_sharing_count(void) {
    if (line_sharing_sharers > 2)
        pthread_mutex_lock(&line_sharing_lock);
    if (line_sharing_sharers >= 2 + 1)
        line_sharing_counter++;
    if (line_sharing_sharers > 2)
        pthread_mutex_unlock(&line_sharing_lock);
}

static void line_sharing_interrupt(int status) {
    if (status >= 0)
        line_sharing_count();
}

static int line_sharing_worker(int round) {
    line_sharing_count();
    return round;
}

/* metadata: requests on the heap in a list under its lock; who takes one out has it alone. */
struct metadata_request {
    int kind, size;
    struct metadata_request *next;
};
static pthread_mutex_t metadata_lock = PTHREAD_MUTEX_INITIALIZER;
static struct metadata_request *metadata_first;
static int metadata_length;

static int metadata_control(int argument) {
    struct metadata_request *request = malloc(sizeof *request);
    if (request == NULL)
        return -1;
    request->kind = argument % 7;
    request->size = argument;
    pthread_mutex_lock(&metadata_lock);
    request->next = metadata_first;
    metadata_first = request;
    metadata_length++;
    pthread_mutex_unlock(&metadata_lock);
    return 0;
}

static int metadata_worker(int round) {
    pthread_mutex_lock(&metadata_lock);
    struct metadata_request *request = metadata_first;
    if (request != NULL) {
        metadata_first = request->next;
        metadata_length--;
    }
    pthread_mutex_unlock(&metadata_lock);
    if (request == NULL)
        return 0;
    int size = request->kind == 0 ? request->size : 6 + round;
    free(request);
    return size;
}

/* thumbnail: a frame is built, protected by a checksum, and taken apart again, all on the stack. */
static unsigned thumbnail_checksum(const unsigned char *bytes, int count) {
    unsigned sum = 0x6;
    for (int i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? sum >> 1 ^ 0xA001u : sum >> 1;
    }
    return sum;
}

static int thumbnail_encode(unsigned char *frame, int kind, int payload) {
    int length = 0;
    frame[length++] = 0x7E;
    frame[length++] = (unsigned char)kind;
    for (int shift = 24; shift >= 0; shift -= 8)
        frame[length++] = (unsigned char)(payload >> shift);
    unsigned sum = thumbnail_checksum(frame, length);
    frame[length++] = (unsigned char)(sum >> 8);
    frame[length++] = (unsigned char)sum;
    return length;
}

static int thumbnail_decode(const unsigned char *frame, int length, int *payload) {
    if (length < 8 || frame[0] != 0x7E)
        return -1;
    unsigned sum = thumbnail_checksum(frame, length - 2);
    if (frame[length - 2] != (unsigned char)(sum >> 8) || frame[length - 1] != (unsigned char)sum)
        return -2;
    *payload = 0;
    for (int i = 2; i < 6; i++)
        *payload = *payload << 8 | frame[i];
    return frame[1];
}

static int thumbnail_control(int argument) {
    unsigned char frame[16];
    int payload = 0, length = thumbnail_encode(frame, argument & 0x7F, argument * 7);
    return thumbnail_decode(frame, length, &payload) < 0 ? -1 : payload;
}

static void thumbnail_interrupt(int status) {
    unsigned char frame[16];
    int payload, length = thumbnail_encode(frame, 1, status);
    if (thumbnail_decode(frame, length, &payload) == 1 && payload != status)
        abort();
}

/* gain: the device starts in three phases; each table is used from the phase on that has filled it. */
static struct {
    pthread_mutex_t lock;
    int phase;
    int base[2], limit[2];
} gain = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void gain_advance(void) {
    pthread_mutex_lock(&gain.lock);
    gain.phase++;
    pthread_mutex_unlock(&gain.lock);
}

static int gain_phase(void) {
    pthread_mutex_lock(&gain.lock);
    int phase = gain.phase;
    pthread_mutex_unlock(&gain.lock);
    return phase;
}

static void gain_interrupt(int status) {
    if (gain_phase() != 0)
        return;
    for (int i = 0; i < 2; i++)
        gain.base[i] = status + i;
    gain_advance();
    for (int i = 0; i < 2; i++)
        gain.limit[i] = gain.base[i] + 5;
    gain_advance();
}

static int gain_control(int argument) {
    int phase = gain_phase(), sum = argument;
    if (phase >= 1)
        sum += gain.base[0];
    if (phase >= 2)
        sum += gain.limit[2 - 1];
    return sum;
}

/* button: BUG: the flag is plain, so that it races, and orders nothing. */
static struct {
    int ready;
    int value;
} button;

static void button_interrupt(int status) {
    button.value = status;
    button.ready = 1;
}

static int button_worker(int round) {
    return button.ready == 1 ? button.value : -round;
}

static void *control_thread(void *arg) {
    int sum = 0;
    for (int round = 0; round < 3; round++) {
        sum += exposure_control(round);
        sum += focus_control(round);
        sum += sensor_control(round);
        sum += jpeg_control(round);
        sum += raw_control(round);
        sum += buffers_control(round);
        sum += unplug_control(round);
        sum += suspend_control(round);
        sum += bandwidth_control(round);
        sum += memory_control(round);
        sum += calibration_control(round);
        sum += usage_control(round);
        sum += jobs_control(round);
        sum += metadata_control(round);
        sum += thumbnail_control(round);
        sum += gain_control(round);
    }
    return sum > 0 ? arg : NULL;
}

static void *worker_thread(void *arg) {
    int sum = 0;
    for (int round = 0; round < 3; round++) {
        sum += frames_worker(round);
        sum += lines_worker(round);
        sum += flash_worker(round);
        sum += shutter_worker(round);
        sum += bayer_worker(round);
        sum += buffers_worker(round);
        sum += memory_worker(round);
        sum += calibration_worker(round);
        sum += usage_worker(round);
        sum += faults_worker(round);
        sum += jobs_worker(round);
        sum += line_sharing_worker(round);
        sum += metadata_worker(round);
        sum += button_worker(round);
    }
    return sum > 0 ? arg : NULL;
}

static void *interrupt_thread(void *arg) {
    for (int round = 0; round < 3; round++) {
        exposure_interrupt(round);
        focus_interrupt(round);
        frames_interrupt(round);
        lines_interrupt(round);
        sensor_interrupt(round);
        flash_interrupt(round);
        shutter_interrupt(round);
        bayer_interrupt(round);
        jpeg_interrupt(round);
        raw_interrupt(round);
        bandwidth_interrupt(round);
        calibration_interrupt(round);
        usage_interrupt(round);
        faults_interrupt(round);
        line_sharing_interrupt(round);
        thumbnail_interrupt(round);
        gain_interrupt(round);
        button_interrupt(round);
    }
    return arg;
}

int main(int argc, char **argv) {
    pthread_t user, device, deferred;
    (void)argv;
    bayer_configure(argc);
    line_sharing_configure(argc);
    pthread_create(&user, NULL, control_thread, NULL);
    pthread_create(&device, NULL, interrupt_thread, NULL);
    pthread_create(&deferred, NULL, worker_thread, NULL);
    unplug_stop();
    suspend_stop();
    pthread_join(user, NULL);
    pthread_join(device, NULL);
    pthread_join(deferred, NULL);
    return 0;
}
