/* resources.h: what the program under test may use of the machine. */
#ifndef RESOURCES_H
#define RESOURCES_H

#include <stdbool.h>

void separate_from_others(void); /* a network and names of its own, as far as the system allows; before there are threads */
bool own_names(void);            /* new ones, for this process: System V objects, message queues, shared memory */
bool own_network(void);          /* likewise: one with nobody in it */
bool own_files(void);            /* likewise: what it writes where it runs, or in /tmp, is gone afterwards */
void limit_resources(void); /* when everything is reserved that the runtime itself needs */

#endif
