/* Thread states (ownership.c) by themselves: tables and questions on standard input, answers on standard output, behind the addresses of the
 * global variables.
 *
 *     set CELL VALUE              what variable CELL holds
 *     thread SITE ARGUMENT        a thread has just been created there
 *     function FUNCTION           threads that will run it
 *     ask N ACCESS N ACCESS       of the N-th and another one of these: prints 1 in race state
 *     held N ACCESS               prints how many locks the N-th has at that access, their addresses, and which are shared
 *     future WORD ...             tables, before anything else; `ready` ends them
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ownership.h"
#include "program.h"

#define CELLS 4

struct options options;
struct program program;
static uintptr_t cells[CELLS];
static void *tokens[CELLS + 1];
static ground_id grounds[64];
static unsigned ground_count;
static const struct algorithm algorithm = {.name = "test", .owns = true};

void *reserve(size_t bytes) {
    void *memory = calloc(1, bytes);
    if (memory == NULL) abort();
    return memory;
}

static void answer(const char *line) {
    static struct thread t;
    unsigned a, b, c, d;
    uint64_t value;
    if (sscanf(line, "set %u %" SCNu64, &a, &value) == 2) {
        cells[a] = (uintptr_t)value;
    } else if (sscanf(line, "thread %u %" SCNu64, &a, &value) == 2) {
        t.tid = a == 0 ? 0 : 1;
        t.created_at = a;
        t.argument = (void *)(uintptr_t)value;
        grounds[ground_count++] = ground_of_thread(&t);
    } else if (sscanf(line, "function %u", &a) == 1) {
        grounds[ground_count++] = ground_of_function(a);
    } else if (sscanf(line, "ask %u %u %u %u", &a, &b, &c, &d) == 4) {
        printf("%d\n", is_race_state(grounds[a], b, grounds[c], d));
    } else if (sscanf(line, "held %u %u", &a, &b) == 2) {
        struct ground_lock locks[MAX_HELD];
        uint32_t count = ground_locks(grounds[a], b, locks);
        printf("%u", count);
        for (uint32_t i = 0; i < count; i++) printf(" %" PRIuPTR " %d", locks[i].object, locks[i].shared);
        printf("\n");
    } else {
        abort();
    }
}

int main(void) {
    char line[4096], word[16];
    int at = 0;
    options.algorithm = &algorithm;
    tokens[0] = NULL; /* a lock, which is none of its business */
    for (int i = 0; i < CELLS; i++) tokens[i + 1] = &cells[i];
    program.tokens = tokens;
    for (int i = 0; i < CELLS; i++) printf("%" PRIuPTR "\n", (uintptr_t)&cells[i]);
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        if (strcmp(line, "ready") == 0) {
            ownership_ready(1);
        } else if (sscanf(line, "future %15s %n", word, &at) == 1) {
            bool is_mine;
            if (!ownership_directive(word, line + at, &is_mine) || !is_mine) return 2;
        } else {
            answer(line);
        }
    }
    return 0;
}
