/* control.c: reads the control file that raceproof.explore sends; raceproof_rt.h lists the directives. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "validity.h"
#include "futures.h"

struct options options = {.max_steps = 100000};

static _Noreturn void refuse(const char *what, const char *line) {
    fprintf(stderr, "raceproof: bad control file: %s: %s\n", what, line);
    exit(4);
}

static void *grown(void *array, uint32_t count, size_t size) {
    if (count != 0 && (count & (count - 1)) != 0) return array; /* grows at powers of two */
    array = realloc(array, (count == 0 ? 1 : 2 * (size_t)count) * size);
    if (array == NULL) refuse("not enough memory", "");
    return array;
}

static char *decoded(const char *text) {
    char *result = malloc(strlen(text) + 1), *to = result;
    if (result == NULL) refuse("not enough memory", text);
    for (; *text != 0; text++) {
        unsigned code;
        if (*text == '%' && sscanf(text + 1, "%2x", &code) == 1) {
            *to++ = (char)code;
            text += 2;
        } else {
            *to++ = *text;
        }
    }
    *to = 0;
    return result;
}

static const struct algorithm *algorithm_named(const char *name) {
    static const struct algorithm *const all[] = {&algorithm_dfs, &algorithm_dpor, &algorithm_pdp, &algorithm_dhtc,
                                                  &algorithm_optimal, &algorithm_race, &algorithm_sweep,
                                                  &algorithm_unhunted, &algorithm_classes, &algorithm_states,
                                                  &algorithm_sample};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0) return all[i];
    refuse("no such algorithm", name);
}

static bool read_segment(const char *word, struct segment *s) { return sscanf(word, "%u:%u", &s->tid, &s->steps) == 2; }

static void add_pair(const char *rest) {
    struct found_race pair;
    if (sscanf(rest, "%u %u", &pair.a, &pair.b) != 2) refuse("pair", rest);
    options.pairs = grown(options.pairs, options.pair_count, sizeof *options.pairs);
    options.pairs[options.pair_count++] = pair;
    if (pair.a >= options.access_limit) options.access_limit = pair.a + 1;
    if (pair.b >= options.access_limit) options.access_limit = pair.b + 1;
}

static void add_schedule(char *rest) {
    options.mode = MODE_REPLAY;
    for (char *word = strtok(rest, " "); word != NULL; word = strtok(NULL, " ")) {
        struct segment s;
        if (!read_segment(word, &s)) refuse("schedule", word);
        options.schedule = grown(options.schedule, options.schedule_count, sizeof *options.schedule);
        options.schedule[options.schedule_count++] = s;
    }
}

/* A thread of a schedule and who created it; those of one creator come in the order of their creation. */
static void add_thread(const char *rest) {
    uint32_t tid, given;
    int parent, fields = sscanf(rest, "%u %d %u", &tid, &parent, &given);
    if (fields < 2 || tid >= RP_MAX_THREADS) refuse("thread", rest);
    while (options.path_count < tid) { /* ids that this schedule does not use */
        options.paths[options.path_count].parent = NO_THREAD - 1;
        options.path_count++;
    }
    uint8_t who = parent < 0 ? NO_THREAD : (uint8_t)parent;
    uint32_t number = 0;
    for (uint32_t i = 0; i < options.path_count; i++) number += options.paths[i].parent == who;
    options.paths[tid].parent = who;
    options.paths[tid].number = fields > 2 ? given : number;
    options.path_count = tid + 1;
}

/* ---- parts of a search */

static void set_item(char *rest) {
    options.is_item = true;
    for (char *word = strtok(rest, " "); word != NULL; word = strtok(NULL, " ")) {
        unsigned tid;
        tset mask;
        if (sscanf(word, "%u:%" SCNx64, &tid, &mask) != 2 || tid >= RP_MAX_THREADS ||
            options.item_length >= MAX_EVENTS - 2)
            refuse("item", word);
        options.item = grown(options.item, options.item_length, sizeof *options.item);
        options.item[options.item_length].tid = (uint8_t)tid;
        options.item[options.item_length++].mask = mask;
    }
}

static void add_known(const char *rest) {
    bool *flag = strcmp(rest, "try") == 0       ? &options.has_try
                 : strcmp(rest, "cancel") == 0  ? &options.has_cancel
                 : strcmp(rest, "barrier") == 0 ? &options.barrier_ordered
                 : strcmp(rest, "begun") == 0   ? &options.begun
                 : strcmp(rest, "weaker") == 0  ? &options.weaker
                 : strcmp(rest, "validity") == 0 ? &follows_validity
                 : strcmp(rest, "fp_unseen") == 0 ? &options.fp_unseen
                 : strcmp(rest, "files") == 0 ? &options.writes_files
                                                : NULL;
    if (flag == NULL) refuse("known", rest);
    *flag = true;
}

static bool part_directive(const char *word, char *rest) {
    if (strcmp(word, "shares") == 0) {
        options.shares = atoi(rest) != 0;
    } else if (strcmp(word, "item") == 0) {
        set_item(rest);
    } else if (strcmp(word, "item_ends") == 0) {
        options.item_ends = atoi(rest) != 0;
    } else if (strcmp(word, "item_executions") == 0) {
        options.item_executions = strtoull(rest, NULL, 10);
    } else if (strcmp(word, "known") == 0) {
        add_known(rest);
    } else if (strcmp(word, "visible") == 0) {
        options.visible = grown(options.visible, options.visible_count, sizeof *options.visible);
        options.visible[options.visible_count++] = (uint32_t)strtoul(rest, NULL, 10);
    } else if (strcmp(word, "found") == 0) {
        struct found_race pair;
        if (sscanf(rest, "%u %u", &pair.a, &pair.b) != 2) refuse("found", rest);
        options.found = grown(options.found, options.found_count, sizeof *options.found);
        options.found[options.found_count++] = pair;
    } else {
        return false;
    }
    return true;
}

/* ---- what is around the program */

static void add_text(char ***texts, uint32_t *count, const char *rest) {
    *texts = grown(*texts, *count, sizeof **texts);
    (*texts)[(*count)++] = decoded(rest);
}

static bool surrounding_directive(const char *word, char *rest) {
    if (strcmp(word, "env") == 0) {
        add_text(&options.environment, &options.environment_count, rest);
    } else if (strcmp(word, "client") == 0) {
        add_text(&options.clients, &options.client_count, rest);
    } else if (strcmp(word, "server") == 0) {
        add_text(&options.servers, &options.server_count, rest);
    } else if (strcmp(word, "library") == 0) {
        add_text(&options.libraries, &options.library_count, rest);
    } else if (strcmp(word, "directory") == 0) {
        options.directory = decoded(rest);
    } else {
        return false;
    }
    return true;
}

static void set_drive(char *rest) {
    char *first = strtok(rest, " "), *second = strtok(NULL, " ");
    if (first == NULL || second == NULL || !read_segment(first, &options.drive_a) ||
        !read_segment(second, &options.drive_b) || options.drive_a.tid >= RP_MAX_THREADS ||
        options.drive_b.tid >= RP_MAX_THREADS)
        refuse("drive", rest);
    options.drive = true;
}

static bool sampling_directive(const char *word, const char *rest) {
    static const char *const names[] = {"mixed", "walk", "stay", "pct", "pos"};
    if (strcmp(word, "samples") == 0) {
        options.samples = true;
        options.access_limit = (uint32_t)strtoul(rest, NULL, 10);
    } else if (strcmp(word, "seed") == 0) {
        options.seed = strtoull(rest, NULL, 10);
    } else if (strcmp(word, "last") == 0) {
        options.last = strtoull(rest, NULL, 10);
    } else if (strcmp(word, "sampling") == 0) {
        size_t i = 0;
        while (i < sizeof names / sizeof *names && strcmp(names[i], rest) != 0) i++;
        if (i == sizeof names / sizeof *names) refuse("sampling", rest);
        options.sampling = (enum sampling)i;
    } else {
        return false;
    }
    return true;
}

static void directive(char *line) {
    char *rest = strchr(line, ' ');
    if (rest == NULL)
        rest = line + strlen(line);
    else
        *rest++ = 0;
    if (strcmp(line, "algorithm") == 0) {
        options.algorithm = algorithm_named(rest);
    } else if (strcmp(line, "all") == 0) {
        options.all = atoi(rest) != 0;
    } else if (strcmp(line, "max_executions") == 0) {
        options.max_executions = strtoull(rest, NULL, 10);
    } else if (strcmp(line, "time_limit") == 0) {
        options.time_limit = atof(rest);
    } else if (strcmp(line, "max_states") == 0) {
        options.max_states = strtoull(rest, NULL, 10);
    } else if (strcmp(line, "exact_states") == 0) {
        options.exact_states = atoi(rest) != 0;
    } else if (strcmp(line, "monitors") == 0) {
        options.monitors = atoi(rest) != 0;
    } else if (strcmp(line, "persistent") == 0) {
        options.persistent = (uint32_t)strtoul(rest, NULL, 10);
    } else if (strcmp(line, "symmetry") == 0) {
        options.symmetry = atoi(rest) != 0;
    } else if (strcmp(line, "max_steps") == 0) {
        options.max_steps = strtoull(rest, NULL, 10);
    } else if (strcmp(line, "isolation") == 0) {
        options.fork = strcmp(rest, "fork") == 0;
    } else if (strcmp(line, "spurious") == 0) {
        options.spurious = atoi(rest) != 0;
    } else if (strcmp(line, "pruning") == 0) {
        options.pruning = strcmp(rest, "printed") == 0 ? PRUNING_PRINTED
                          : strcmp(rest, "none") == 0  ? PRUNING_NONE
                                                       : PRUNING_REPAIRED;
    } else if (strcmp(line, "deadlocks") == 0) {
        options.deadlocks = (uint8_t)atoi(rest);
    } else if (strcmp(line, "arg") == 0) {
        options.argv = grown(options.argv, (uint32_t)options.argc, sizeof *options.argv);
        options.argv[options.argc++] = decoded(rest);
    } else if (strcmp(line, "pair") == 0) {
        add_pair(rest);
    } else if (strcmp(line, "hook") == 0) {
        uint32_t access = (uint32_t)strtoul(rest, NULL, 10);
        if (access >= options.access_limit) options.access_limit = access + 1;
    } else if (strcmp(line, "candidate") == 0) {
        options.candidates = grown(options.candidates, options.candidate_count, sizeof *options.candidates);
        char *value = strchr(rest, ' ');
        if (value == NULL) refuse("candidate", rest);
        options.candidates[options.candidate_count].bits = (uint32_t)atoi(rest);
        options.candidates[options.candidate_count++].value = *++value == '-' ? (uint64_t)strtoll(value, NULL, 10)
                                                                              : strtoull(value, NULL, 10);
    } else if (strcmp(line, "input") == 0) {
        options.inputs = grown(options.inputs, options.input_count, sizeof *options.inputs);
        options.inputs[options.input_count++] = *rest == '-' ? (uint64_t)strtoll(rest, NULL, 10)
                                                             : strtoull(rest, NULL, 10);
    } else if (strcmp(line, "schedule") == 0) {
        add_schedule(rest);
    } else if (strcmp(line, "thread") == 0) {
        add_thread(rest);
    } else if (strcmp(line, "drive") == 0) {
        set_drive(rest);
    } else if (strcmp(line, "future") == 0) {
        if (!future_directive(rest)) refuse("future", rest);
    } else if (!part_directive(line, rest) && !sampling_directive(line, rest) && !surrounding_directive(line, rest)) {
        refuse("unknown directive", line);
    }
}

void read_control(char *text) {
    options.algorithm = &algorithm_race;
    for (char *line = text, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) *next++ = 0;
        size_t length = strlen(line);
        while (length > 0 && line[length - 1] == ' ') line[--length] = 0;
        if (length > 0) directive(line);
    }
    if (options.argc == 0) {
        options.argv = grown(NULL, 0, sizeof *options.argv);
        options.argv[options.argc++] = strdup("program");
    }
}
