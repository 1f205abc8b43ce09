/* Random work for the octagon kernel, to be built with sanitizers; run by test_octagon_sanitized.py. */
#include "octagon.h"

#include <stdlib.h>

static int64_t number(int64_t range) { return rand() % (2 * range + 1) - range; }

int main(void) {
    static const size_t sizes[] = {1, 2, 3, 17, 64, RP_OCTAGON_VARIABLES};
    int64_t limits[] = {-10, 0, 10, 1000};
    srand(5);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s], bytes = 2 * n * (n + 1) * sizeof(int64_t);
        int64_t *a = malloc(bytes), *b = malloc(bytes), *out = malloc(bytes), *bounds = malloc(2 * n * sizeof(int64_t));
        for (int round = 0; round < (n > 64 ? 2 : 10); round++) {
            int64_t range = round % 2 ? RP_OCTAGON_LIMIT : 1000; /* the second half of the rounds may overflow, if any may */
            rp_octagon_top(a, n);
            rp_octagon_top(b, n);
            for (size_t k = 0; k < 2 * n; k++) {
                size_t i = (size_t)rand() % (2 * n), j = (size_t)rand() % (2 * n);
                if (i == j) continue;
                rp_octagon_lower(a, i, j, number(range) + range / 2);
                if (!rp_octagon_add(b, n, i, j, number(range) + range / 2)) rp_octagon_top(b, n);
            }
            if (!rp_octagon_close(a, n)) rp_octagon_top(a, n);
            rp_octagon_assign(a, n, 0, n - 1, round % 3, -range / 4, range / 4);
            rp_octagon_forget(b, n, n - 1);
            rp_octagon_join(out, a, b, n);
            if (!rp_octagon_leq(a, out, n) || !rp_octagon_leq(b, out, n)) return 1;
            rp_octagon_widen(out, a, b, n, limits, 4);
            rp_octagon_narrow(out, out, a, b, n);
            rp_octagon_meet(out, a, b, n);
            rp_octagon_bounds(out, n, bounds);
            rp_octagon_close(out, n);
        }
        free(a), free(b), free(out), free(bounds);
    }
    return 0;
}
