/* report.h: writing records. */
#ifndef REPORT_H
#define REPORT_H

#include "rt.h"

void report_to(int descriptor);
void report_put(const char *format, ...) __attribute__((format(printf, 1, 2)));
void report_encoded(const char *text, size_t length);
void report_end(void);

#endif
