// Shared by the files of `sinew paper`: each figure or table of a paper is computed anew on one
// page, beside the published numbers.
#ifndef SINEW_APPS_PAPER_H_
#define SINEW_APPS_PAPER_H_

#include "page.h"
#include "sinew.h"

// Where a page goes, and what is said of its origin.
typedef struct Paper_ {
  const char* name;     // "2014-2"
  const char* output;   // path of the page
  const char* command;  // as typed
} Paper;

// Exit codes; messages are on stderr.
int paper_correctness(const Paper* p);  // 2014, figure 2
int paper_speed(const Paper* p);        // 2014, figure 3
int paper_2010(const Paper* p);
int paper_2011(const Paper* p);
int paper_sdfast(const Paper* p);
int paper_trajectory(const Paper* p);

// A model from MJCF text; NULL after a message on stderr.
mjModel* text_model(const char* xml);
double core_time(void);  // processor time of this thread, in seconds
// The median of n numbers, which are sorted.
double paper_median(double* x, int n);
// A page with one table, which is printed too; frees the table.
int paper_table(const Paper* p, const char* title, const char* text, Table* t);

#endif
