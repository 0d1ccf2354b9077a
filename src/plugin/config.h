// Settings of first-party plugins, read from an instance's configuration. What cannot be read is
// told by a warning, which the error of the compiler repeats, and makes the instance refuse.
#ifndef SINEW_PLUGIN_CONFIG_H_
#define SINEW_PLUGIN_CONFIG_H_

#include "base/base.h"

// The text of a setting; NULL when it was not given or is blank.
const char* config_text(const mjModel* m, int instance, const char* key);

// `count` numbers separated by spaces; without the setting they keep their values. NaN is refused.
bool config_numbers(const mjModel* m, int instance, const char* key, int count, double* value);

// One number, of at least `least`.
bool config_number(const mjModel* m, int instance, const char* key, double least, double* value);

// Numbers in a text: how many were read, up to `count`; -1 when something else is in it.
int config_parse(const char* text, int count, double* value);

// The memory of an instance, zeroed; NULL with a warning when there is none.
void* config_instance(mjData* d, int instance, size_t bytes);
void config_destroy(mjData* d, int instance);

// For plugins without state.
int config_no_state(const mjModel* m, int instance);

#endif
