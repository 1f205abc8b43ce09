/* search_dpor.h: the parts of DPOR that `pdp` and `dhtc` share. */
#ifndef SEARCH_DPOR_H
#define SEARCH_DPOR_H

#include "rt.h"

int dpor_choose(struct node *node, uint32_t depth);
void dpor_update(uint32_t limit);   /* backtrack sets of the nodes below `limit` */
bool dpor_backtrack(bool with_sleep);
tset dpor_left(struct node *node);

#endif
