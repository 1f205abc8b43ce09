// Launch control: THREADS task threads each look after one unit of the vehicle. A task reads its sensors, reports
// whether the unit is ready, waits for the order, and carries out its steps in the sequence that the controller (main)
// gives: fill, arm, ignite. What all know is under locks; with RACES a task asks whether the launch was called off, and
// says when it last moved, without one.
//
// Nothing but C and POSIX threads, so that it can be built for any target.
#include <pthread.h>
#include <stdio.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef SAMPLES
#define SAMPLES 2
#endif
#ifndef STEPS
#define STEPS 3
#endif

enum order { HOLD, GO, ABORT };

struct unit {
    int pressure, temperature, limit;
};

static pthread_mutex_t vehicle_lock = PTHREAD_MUTEX_INITIALIZER, order_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t reported = PTHREAD_COND_INITIALIZER, ordered = PTHREAD_COND_INITIALIZER;
static struct unit units[THREADS];
static int ready, failed;
static enum order order;
static int is_off, last_moved;
static int steps_done[STEPS], log_lines;

static int sensor(long unit, int sample) { return (int)(unit * 7 + sample * 3) % 11; }

static int read_unit(long number) {
    struct unit seen = {0, 0, 20};
    for (int i = 0; i < SAMPLES; i++) {
        seen.pressure += sensor(number, i);
        seen.temperature = sensor(number + 1, i);
        pthread_mutex_lock(&vehicle_lock);
        units[number] = seen;
        pthread_mutex_unlock(&vehicle_lock);
    }
    return seen.pressure / SAMPLES <= seen.limit && seen.temperature <= seen.limit;
}

static void write_log(void) {
    pthread_mutex_lock(&log_lock);
    log_lines++;
    pthread_mutex_unlock(&log_lock);
}

static void report_ready(int is_ready) {
    pthread_mutex_lock(&order_lock);
    if (is_ready)
        ready++;
    else
        failed++;
    pthread_cond_signal(&reported);
    pthread_mutex_unlock(&order_lock);
}

static enum order await_order(void) {
    enum order given;
    pthread_mutex_lock(&order_lock);
    while (order == HOLD)
        pthread_cond_wait(&ordered, &order_lock);
    given = order;
    pthread_mutex_unlock(&order_lock);
    return given;
}

static int is_called_off(void) {
#ifdef RACES
    return is_off;
#else
    int off;
    pthread_mutex_lock(&order_lock);
    off = is_off;
    pthread_mutex_unlock(&order_lock);
    return off;
#endif
}

static void move(int number) {
#ifdef RACES
    last_moved = number;
#else
    pthread_mutex_lock(&order_lock);
    last_moved = number;
    pthread_mutex_unlock(&order_lock);
#endif
}

static void *task(void *arg) {
    long number = (long)arg;
    int is_ready = read_unit(number);
    write_log();
    report_ready(is_ready);
    if (await_order() == GO)
        for (int step = 0; step < STEPS && !is_called_off(); step++) {
            pthread_mutex_lock(&vehicle_lock);
            steps_done[step]++;
            units[number].pressure--;
            pthread_mutex_unlock(&vehicle_lock);
            move((int)number);
        }
    write_log();
    return NULL;
}

static enum order decide(void) {
    enum order given;
    pthread_mutex_lock(&order_lock);
    while (ready + failed < THREADS)
        pthread_cond_wait(&reported, &order_lock);
    order = given = failed == 0 ? GO : ABORT;
    pthread_cond_broadcast(&ordered);
    pthread_mutex_unlock(&order_lock);
    return given;
}

static int check_vehicle(void) {
    int worst = 0;
    pthread_mutex_lock(&vehicle_lock);
    for (int i = 0; i < THREADS; i++)
        if (units[i].pressure > worst)
            worst = units[i].pressure;
    pthread_mutex_unlock(&vehicle_lock);
    return worst <= 40;
}

static void call_off(void) {
#ifdef RACES
    is_off = 1;
#else
    pthread_mutex_lock(&order_lock);
    is_off = 1;
    pthread_mutex_unlock(&order_lock);
#endif
}

int main(void) {
    pthread_t threads[THREADS];
    int launched = 0;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, task, (void *)i);
    if (decide() == ABORT || !check_vehicle())
        printf("aborted\n");
    call_off(); /* the window is over: steps that were not begun by now are left out */
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&vehicle_lock);
    launched = steps_done[STEPS - 1] == THREADS;
    pthread_mutex_unlock(&vehicle_lock);
    pthread_mutex_lock(&log_lock);
    printf("%s, %d log lines\n", launched ? "launched" : "held", log_lines);
    pthread_mutex_unlock(&log_lock);
    return 0;
}
