// A matrix is the first member of a struct: a pointer to the struct leads to the members behind the matrix too.
#include <pthread.h>

struct board {
    char field[3][4];
    int moves;
};

static struct board board;

static void *worker(void *arg) {
    struct board *mine = arg;
    mine->moves = 1;                            // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, &board);
    board.moves = 2;                            // race
    pthread_join(t, NULL);
    return board.field[0][0];
}
