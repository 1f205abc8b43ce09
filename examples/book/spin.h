/* A lock from elsewhere: its code is not part of the program. */
struct spin;
extern struct spin *spin_of_log;
void spin_take(struct spin *lock);
void spin_give(struct spin *lock);
