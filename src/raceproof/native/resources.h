/* resources.h: what the program under test may use of the machine. */
#ifndef RESOURCES_H
#define RESOURCES_H

void limit_network(void);   /* before there are threads */
void limit_resources(void); /* when everything is reserved that the runtime itself needs */

#endif
