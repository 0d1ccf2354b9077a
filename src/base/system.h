// What operating systems do differently, behind functions with one meaning: system_posix.c and
// system_windows.c. Nothing else in the engine asks which system it runs on.
//
// Paths are UTF-8. Resolved paths have forward slashes; on Windows they begin with a drive ("C:/")
// or with the name of a server ("//server/").
#ifndef SINEW_BASE_SYSTEM_H_
#define SINEW_BASE_SYSTEM_H_

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

// ---- files
// The absolute path without links, to be freed with free. NULL: there is no such file.
char* system_resolve(const char* path);
// Opened for reading, without waiting and not for child processes; -1 with errno when it cannot be.
int system_open(const char* path);
// Is the opened file the one that the path names?
bool system_same_file(int file, const char* path);
bool system_readable(const char* path);
bool system_is_folder(const char* path);
bool system_make_folder(const char* path);
// Created or emptied; what is written arrives byte for byte.
FILE* system_create(const char* path);
// A regular file opened to append; NULL for links, pipes and files with several names.
FILE* system_append(const char* path);
// Could the file be written? Nothing is left behind that was not there.
bool system_writable(const char* path);
// Length of "C:" at the beginning of a path; 0 where there are no drives.
int system_drive(const char* path);

// ---- text
// Numbers in the "C" locale, in which '.' is the decimal point whatever the program has set.
double system_double(const char* text, char** end);
float system_float(const char* text, char** end);
// The calling thread prints numbers in the "C" locale until system_local.
typedef struct snLocale_ {
  void *plain, *before;
} snLocale;
snLocale system_plain(void);
void system_local(snLocale locale);
const void* system_seek(const void* text, size_t size, const void* part, size_t n);
// "Wed Nov 18 15:05:00 2026"
void system_date(char* text, size_t size);

// ---- memory: what system_aligned returns goes to system_release
void* system_aligned(size_t alignment, size_t bytes);
void system_release(void* block);
// A stream whose text system_said closes and returns, to be freed with free.
typedef struct snHeard_ {
  FILE* stream;
  char* text;
  size_t size;
} snHeard;
bool system_sink(snHeard* sink);
char* system_said(snHeard* sink);

// ---- jumps: setjmp that neither keeps the mask of signals nor unwinds; left by longjmp
#ifdef _WIN32
#define SYSTEM_SETJMP(place) _setjmp(place, NULL)
#else
#define SYSTEM_SETJMP(place) _setjmp(place)
#endif

// ---- processes
int system_cores(void);  // available to this process
// Opens a shared library for good. False: system_load_error says why.
bool system_load(const char* path);
const char* system_load_error(void);
// Makes the loader know an opened library by another name, the one that plugins are linked to.
void system_alias(const char* name);
// Ending of the names of shared libraries, with its dot.
extern const char* const system_library_ending;
// Names in a folder, sorted: visited one after the other. False: there is no such folder.
bool system_list(const char* folder, void (*visit)(void* context, const char* name), void* context);
// Path of the running program; false when the system does not tell.
bool system_program(char* path, size_t size);
int system_columns(void);  // of the terminal; 0: there is none
// Starts a program that reads what is written to *pipe; -1 when it cannot be started.
long system_start(const char* const* arguments, int* pipe);
// Waits for its end: true when it was a success.
bool system_wait(long process);

#endif
