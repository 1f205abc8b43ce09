/* Reads a net, searches from both ends by turns, writes what was found: see rp_cover.h. */
#include "forward.h"
#include "reduction.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <sys/resource.h>
#ifdef __linux__
#include <csignal>
#include <sys/prctl.h>
#endif

using namespace cover;

namespace {

[[noreturn]] void refuse(const char *what) {
    fprintf(stderr, "%s\n", what);
    _Exit(2);
}

bool read_word(char (&word)[32]) { return scanf("%31s", word) == 1; }

int64_t number(int64_t least, int64_t most) {
    char word[32], *end;
    if (!read_word(word)) refuse("a number is missing");
    int64_t value = strtoll(word, &end, 10);
    if (*end || value < least || value > most) refuse("a number is out of range");
    return value;
}

Marking read_marking(uint32_t places) {
    Marking result;
    for (int64_t size = number(0, places); size > 0; size--) {
        Place place = Place(number(result.empty() ? 0 : int64_t(result.back().place) + 1, int64_t(places) - 1));
        result.push_back({place, number(1, OMEGA - 1)});
    }
    return result;
}

struct Task {
    Net net;
    double time = 0;
    uint64_t memory = 0;
};

Task read_task() {
    Task task;
    Net &net = task.net;
    char word[32];
    while (read_word(word)) {
        auto is = [&](const char *name) { return strcmp(word, name) == 0; };
        if (is("net")) net.places = uint32_t(number(0, UINT32_MAX - 1));
        else if (is("initial")) net.initial = read_marking(net.places);
        else if (is("unbounded"))
            for (int64_t rest = number(0, net.places); rest > 0; rest--)
                net.unbounded.push_back(Place(number(0, int64_t(net.places) - 1)));
        else if (is("transition")) {
            Marking pre = read_marking(net.places), post = read_marking(net.places);
            net.transitions.push_back({std::move(pre), std::move(post)});
        } else if (is("target")) net.targets.push_back(read_marking(net.places));
        else if (is("time")) task.time = read_word(word) ? strtod(word, nullptr) : 0;
        else if (is("memory")) task.memory = uint64_t(number(0, 1 << 30));
        else if (is("end")) return task;
        else refuse("unknown word");
    }
    refuse("no end");
}

void write_tokens(const Marking &m) {
    for (const Token &x : m) printf(" %" PRIu32 " %" PRId64, x.place, x.count);
    putchar('\n');
}

void write_certificate(const Certificate &c) {
    for (const Invariant &i : c.invariants) {
        printf("invariant %" PRId64, i.bound);
        write_tokens(i.weights);
    }
    for (const Marking &m : c.basis) {
        fputs("basis", stdout);
        write_tokens(m);
    }
}

void write_run(const Run &run) {
    fputs("start", stdout);
    write_tokens(run.start);
    for (size_t i = 0; i < run.firing.size(); i++) {
        if (i % 1000 == 0) fputs(i > 0 ? "\nfire" : "fire", stdout);
        printf(" %" PRIu32, run.firing[i]);
    }
    if (!run.firing.empty()) putchar('\n');
}

/* The two searches by turns: whichever comes to an end first decides. */
class Search {
  public:
    explicit Search(const Task &task)
        : deadline(task.time > 0 ? began + task.time : 1e300), reduction(task.net), invariants(reduction.net) {}

    void run() {
        backward = std::make_unique<Backward>(reduction.net, invariants);
        double slice = 0.005, reported = began;
        while (state == Progress::RUNNING) {
            double start = seconds();
            state = backward->advance(std::min(start + slice, deadline));
            double now = seconds();
            if (now > deadline) return;
            if (state == Progress::RUNNING && !is_forward_done) go_forward(std::min(2 * now - start, deadline));
            slice = std::min(slice * 1.2, 0.25);
            if (now < reported + 0.5) continue;
            reported = now;
            printf("progress %.1f %zu %zu %zu %zu\n", now - began, backward->kept(), backward->queued(), invariants.size(),
                   forward ? forward->size() : 0);
            fflush(stdout);
        }
    }

    bool is_decided() const { return state != Progress::RUNNING; }

    void write() {
        if (state == Progress::SAFE) write_certificate(reduction.in_original(backward->certificate()));
        else if (is_found_forward) write_run(reduction.in_original(forward->firing(), forward->target()));
        else write_run(reduction.in_original(backward->firing(), backward->target()));
        write_stats();
        puts(state == Progress::SAFE ? "end safe" : "end unsafe");
    }

    void write_stats() const {
        printf("stat places %" PRIu32 "\nstat transitions %zu\n", reduction.net.places, reduction.net.transitions.size());
        if (!backward) return;
        printf("stat kept %zu\nstat subsumed %" PRIu64 "\nstat pruned %" PRIu64 "\nstat iterations %" PRIu64 "\n",
               backward->kept(), backward->subsumed, backward->pruned, backward->iterations);
        printf("stat invariants %zu\nstat equations %" PRIu64 "\nstat equation_seconds %.3f\n", invariants.size(),
               invariants.tried, invariants.spent);
        printf("stat forward %zu\nstat by_forward %d\nstat kernel_seconds %.3f\n", forward ? forward->size() : 0,
               is_found_forward || is_forward_done, seconds() - began);
    }

  private:
    void go_forward(double until) {
        if (!forward) forward = std::make_unique<Forward>(reduction.net);
        Progress progress = forward->advance(until);
        if (progress == Progress::UNSAFE) state = Progress::UNSAFE, is_found_forward = true;
        if (progress == Progress::SAFE)
            backward = std::make_unique<Backward>(reduction.net, invariants, forward->reachable());
        is_forward_done = progress != Progress::RUNNING;
    }

    double began = seconds(), deadline;
    Reduction reduction;
    Invariants invariants;
    std::unique_ptr<Backward> backward;
    std::unique_ptr<Forward> forward;
    Progress state = Progress::RUNNING;
    bool is_forward_done = false, is_found_forward = false;
};

const Search *current = nullptr;

void limit_memory(uint64_t megabytes) {
    if (megabytes == 0) return;
    rlimit limit{};
    limit.rlim_cur = limit.rlim_max = rlim_t(megabytes) << 20;
    setrlimit(RLIMIT_AS, &limit);
}

} // namespace

namespace cover {

double seconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

void give_up(const char *reason) {
    if (current) current->write_stats();
    printf("end unknown %s\n", reason);
    fflush(stdout);
    _Exit(0);
}

void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    _Exit(3);
}

} // namespace cover

/* Memory comes from the C library alone, and there is only one thing to do when there is none. */
void *operator new(size_t size) {
    if (void *result = malloc(size > 0 ? size : 1)) return result;
    give_up("memory limit reached");
}
void *operator new[](size_t size) { return operator new(size); }
void operator delete(void *memory) noexcept { free(memory); }
void operator delete[](void *memory) noexcept { free(memory); }
void operator delete(void *memory, size_t) noexcept { free(memory); }
void operator delete[](void *memory, size_t) noexcept { free(memory); }

#ifdef _LIBCPP_VERSION
/* What the headers of the library ask for where they would throw. */
_LIBCPP_BEGIN_NAMESPACE_STD
void __libcpp_verbose_abort(const char *, ...) noexcept { fail("the standard library gave up"); }
_LIBCPP_END_NAMESPACE_STD
#endif

int main() {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    static char buffer[1 << 16];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    const Task task = read_task();
    limit_memory(task.memory);
    Search search(task);
    current = &search;
    search.run();
    if (!search.is_decided()) give_up("time limit reached");
    search.write();
    fflush(stdout);
    _Exit(0); /* what was allocated need not be given back piece by piece */
}
