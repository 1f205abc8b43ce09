/* search_optimal.h: the parts of the optimal search that `race` uses too. */
#ifndef SEARCH_OPTIMAL_H
#define SEARCH_OPTIMAL_H

#include "rt.h"

void optimal_begin(void);
int optimal_choose(struct node *node, uint32_t depth);
void optimal_chosen(struct node *node, uint32_t depth);
void optimal_races(uint32_t limit);   /* see to it that the races among the first `limit` events will be reversed */
/* What comes behind state k is left out: first say so, then see to it for each event before it on which something
 * behind it may depend that this can come first. */
void optimal_cut(uint32_t k);
void optimal_before(uint32_t e);
bool optimal_backtrack(void);
tset optimal_left(struct node *node);

#endif
