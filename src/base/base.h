// What every room may use: memory, faults, hashing, lanes, elementary functions.
#ifndef SINEW_BASE_BASE_H_
#define SINEW_BASE_BASE_H_

#include <locale.h>
#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(SN_INSIDE) && !defined(SN_ENTRY)
#include "base/inside.h"
#endif

#include "base/assert.h"
#include "base/elementary.h"
#include "base/lanes.h"
#include "base/lanes_sincos.h"

// ---- memory
// 64-byte aligned, through mju_user_malloc when set; NULL when there is none left: the caller
// returns an error and loses nothing. Tests make the n-th call fail (memory_fail_at).
void* memory_alloc(size_t bytes);
void* memory_alloc_zero(size_t bytes);
// Contents up to min(old, bytes) are kept; on failure NULL and the old block stays valid.
void* memory_resize(void* block, size_t old_bytes, size_t bytes);
void memory_free(void* block);
// A plain block of malloc, for what a program may release with its own free: counted, and failed on
// demand, like the others. Released with free.
void* memory_plain(size_t bytes);
void memory_fail_at(long n);  // fail the n-th allocation from now (1 is the next); 0 turns it off
// Programs make a bare mjModel with mju_malloc and let mj_recompile fill it: every block of
// mju_malloc has room behind it for a model's private tail.
enum { snTAIL = 64 };
long memory_count(void);  // allocations made so far by this process

// ---- faults: the message of an operation that could not be done
// mju_error is for misuse by the programmer. It may return: after it, leave with nothing lost.
typedef struct snFault_ {
  bool raised;
  char text[1024];
} snFault;

// Record the first fault (later ones are ignored); always returns false, so that callers can
// write `return fault_raise(f, "...")`.
bool fault_raise(snFault* fault, const char* format, ...) mjPRINTFLIKE(2, 3);

// ---- handlers of the calling thread, before those of the program. The released library exports
// these four for language bindings; no header of the interface declares them.
typedef void (*snHandler)(const char*);
MJAPI snHandler _mjPRIVATE__get_tls_error_fn(void);
MJAPI void _mjPRIVATE__set_tls_error_fn(snHandler handler);
MJAPI snHandler _mjPRIVATE__get_tls_warning_fn(void);
MJAPI void _mjPRIVATE__set_tls_warning_fn(snHandler handler);

// Warnings of this thread go into a text, of which the first counts, until they are given back to
// whoever heard them before.
typedef struct snHearing_ {
  char text[1024];
  struct snHearing_* outer;
} snHearing;

void hearing_begin(snHearing* hearing);
void hearing_end(snHearing* hearing);

// ---- hashing: 64-bit, the same on every platform
uint64_t hash_bytes(const void* data, size_t bytes, uint64_t seed);

// ---- text: the locale in which '.' is the decimal point, whatever the program's is
locale_t text_locale(void);

// ---- threads: the pool's worker that this thread is, from 1 on; 0 outside of any pool. Set by the
// pool when a worker starts.
extern _Thread_local int thread_worker;

// ---- clock: monotonic microseconds
double clock_us(void);

#endif
