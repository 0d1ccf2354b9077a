// The page that shows models in a browser, one file (docs/page.md), and motions written as pages.
#ifndef SINEW_APPS_WEB_PAGE_H_
#define SINEW_APPS_WEB_PAGE_H_

#include <limits.h>
#include <mujoco/mujoco.h>
#include <stdbool.h>

// The page: named by SINEW_PAGE, installed, or of the build that this command is of. False after a
// message on stderr that says how to get it.
bool web_page_find(const char* command, char page[PATH_MAX]);

// Writes the page with a model and its states in it, count rows of mjSTATE_INTEGRATION. False after
// a message on stderr.
bool web_page_write(const char* command, const char* file, const mjModel* m, const double* states,
                    long count);

#endif
