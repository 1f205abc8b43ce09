/* search_dpor.h: the parts of DPOR that `pdp` and `dhtc` share. */
#ifndef SEARCH_DPOR_H
#define SEARCH_DPOR_H

#include "rt.h"

int dpor_choose(struct node *node, uint32_t depth);
/* Backtrack sets of the nodes below `limit`, for the events before `last`; if these are all, also for what threads stand
 * before at the end. */
void dpor_update(uint32_t limit, uint32_t last);
/* Something may come that depends on event d, and `leader` must make a step at node d first; NO_THREAD: somebody. */
void dpor_before(uint32_t d, uint8_t leader);
bool dpor_backtrack(bool with_sleep);
tset dpor_left(struct node *node);

#endif
