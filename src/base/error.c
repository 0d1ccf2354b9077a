// Errors and warnings: messages to a program that misuses the library, or whose numbers go bad.
//
// A message goes to the handler of the calling thread, else to mju_user_error or mju_user_warning,
// else to stderr (and to MUJOCO_LOG.TXT if sn_writeLog or SINEW_LOG asked for it). The library
// never calls exit: mju_error returns, and so does the function that called it, with nothing
// leaked.
#include <sinew/confine.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/system.h"

void (*mju_user_error)(const char*);
void (*mju_user_warning)(const char*);
void* (*mju_user_malloc)(size_t);
void (*mju_user_free)(void*);

static _Thread_local snHandler thread_error;
static _Thread_local snHandler thread_warning;

snHandler _mjPRIVATE__get_tls_error_fn(void) { return thread_error; }
void _mjPRIVATE__set_tls_error_fn(snHandler handler) { thread_error = handler; }
snHandler _mjPRIVATE__get_tls_warning_fn(void) { return thread_warning; }
void _mjPRIVATE__set_tls_warning_fn(snHandler handler) { thread_warning = handler; }

void mju_clearHandlers(void) {
  mju_user_error = NULL;
  mju_user_warning = NULL;
  mju_user_malloc = NULL;
  mju_user_free = NULL;
}

void mju_writeLog(const char* type, const char* msg) {
  FILE* file = system_append("MUJOCO_LOG.TXT");
  if (!file) return;
  char when[64];
  system_date(when, sizeof when);
  fprintf(file, "%s\n%s: %s\n\n", when, type, msg);
  fclose(file);
}

// ---- the log file: written on demand only, for a library must not drop files where it happens to
// run
enum { LOG_UNDECIDED = -1 };
static atomic_int log_wanted = LOG_UNDECIDED;

void sn_writeLog(int on) { atomic_store(&log_wanted, on != 0); }

static void report_unhandled(const char* type, const char* text) {
  fprintf(stderr, "%s: %s\n", type, text);
  int wanted = atomic_load(&log_wanted);
  if (wanted == LOG_UNDECIDED) {
    const char* set = getenv("SINEW_LOG");
    wanted = set && *set;
    int undecided = LOG_UNDECIDED;
    // a call of sn_writeLog in the meantime takes precedence
    if (!atomic_compare_exchange_strong(&log_wanted, &undecided, wanted)) wanted = undecided;
  }
  if (wanted) mju_writeLog(type, text);
}

static void error_deliver(const char* text) {
  if (thread_error) {
    thread_error(text);
  } else if (mju_user_error) {
    mju_user_error(text);
  } else {
    report_unhandled("ERROR", text);
  }
}

static _Thread_local snHearing* hearing_now;

void hearing_begin(snHearing* hearing) {
  hearing->text[0] = 0;
  hearing->outer = hearing_now;
  hearing_now = hearing;
}

void hearing_end(snHearing* hearing) { hearing_now = hearing->outer; }

static void warning_deliver(const char* text) {
  if (hearing_now) {
    if (!hearing_now->text[0]) {
      snprintf(hearing_now->text, sizeof hearing_now->text, "%s", text);
    }
  } else if (thread_warning) {
    thread_warning(text);
  } else if (mju_user_warning) {
    mju_user_warning(text);
  } else {
    report_unhandled("WARNING", text);
  }
}

void mju_error(const char* msg, ...) {
  char text[1024];
  va_list args;
  va_start(args, msg);
  vsnprintf(text, sizeof text, msg, args);
  va_end(args);
  error_deliver(text);
}

void mju_warning(const char* msg, ...) {
  char text[1024];
  va_list args;
  va_start(args, msg);
  vsnprintf(text, sizeof text, msg, args);
  va_end(args);
  warning_deliver(text);
}

// The format comes from the caller and takes one int, or one string.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
void mju_error_i(const char* msg, int i) { mju_error(msg, i); }
void mju_error_s(const char* msg, const char* text) { mju_error(msg, text); }
void mju_warning_i(const char* msg, int i) { mju_warning(msg, i); }
void mju_warning_s(const char* msg, const char* text) { mju_warning(msg, text); }
#pragma GCC diagnostic pop
