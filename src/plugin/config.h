// Settings of first-party plugins, read from the configuration of an instance. Malformed values
// give a warning, which the compiler includes in its error, and the instance is refused.
#ifndef SINEW_PLUGIN_CONFIG_H_
#define SINEW_PLUGIN_CONFIG_H_

#include "base/base.h"

// The text of a setting; NULL when absent or blank.
const char* config_text(const mjModel* m, int instance, const char* key);

// `count` numbers separated by spaces; without the setting they keep their values. NaN is refused.
bool config_numbers(const mjModel* m, int instance, const char* key, int count, double* value);

// One number, of at least `least`.
bool config_number(const mjModel* m, int instance, const char* key, double least, double* value);

// Parses up to `count` numbers; returns how many, or -1 for anything else in the text.
int config_parse(const char* text, int count, double* value);

// Zeroed memory of an instance; NULL with a warning without memory.
void* config_instance(mjData* d, int instance, size_t bytes);
void config_destroy(mjData* d, int instance);

// nstate callback of plugins without state.
int config_no_state(const mjModel* m, int instance);

#endif
