// system.h on Linux, macOS, the BSDs and in browsers.
#ifndef _WIN32
#include "base/system.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <xlocale.h>
#endif

extern char** environ;

// ---- files

char* system_resolve(const char* path) { return realpath(path, NULL); }

int system_open(const char* path) { return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); }

bool system_same_file(int file, const char* path) {
  struct stat opened, there;
  return !fstat(file, &opened) && !stat(path, &there) && opened.st_dev == there.st_dev &&
         opened.st_ino == there.st_ino;
}

bool system_readable(const char* path) { return access(path, R_OK) == 0; }

bool system_is_folder(const char* path) {
  struct stat info;
  return !stat(path, &info) && S_ISDIR(info.st_mode);
}

bool system_make_folder(const char* path) { return !mkdir(path, 0777); }

FILE* system_create(const char* path) { return fopen(path, "w"); }

FILE* system_append(const char* path) {
  // O_NOFOLLOW: a symbolic link could redirect the log to a file that must not change;
  // O_NONBLOCK: opening a named pipe would hang
  int place = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  struct stat info;
  FILE* file = place >= 0 && !fstat(place, &info) && S_ISREG(info.st_mode) && info.st_nlink == 1
                   ? fdopen(place, "a")
                   : NULL;
  if (!file && place >= 0) close(place);
  return file;
}

bool system_writable(const char* path) {
  struct stat info;
  bool there = stat(path, &info) == 0;
  if (there && S_ISDIR(info.st_mode)) return false;
  // opening a pipe would block until it has a reader
  if (there && !S_ISREG(info.st_mode)) return access(path, W_OK) == 0;
  int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return false;
  close(file);
  if (!there) unlink(path);
  return true;
}

int system_drive(const char* path) { return 0; }

// ---- text

// Made on first use. Threads may race: the loser frees its copy.
static locale_t plain_locale(void) {
  static locale_t plain;
  if (!plain) {
    locale_t made = newlocale(LC_ALL_MASK, "C", (locale_t)0), none = (locale_t)0;
    if (!__atomic_compare_exchange_n(&plain, &none, made, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
      freelocale(made);
    }
  }
  return plain;
}

double system_double(const char* text, char** end) { return strtod_l(text, end, plain_locale()); }

float system_float(const char* text, char** end) { return strtof_l(text, end, plain_locale()); }

snLocale system_plain(void) {
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return (snLocale){(void*)plain, plain ? (void*)uselocale(plain) : NULL};
}

void system_local(snLocale locale) {
  if (!locale.plain) return;
  uselocale((locale_t)locale.before);
  freelocale((locale_t)locale.plain);
}

const void* system_seek(const void* text, size_t size, const void* part, size_t n) {
  return memmem(text, size, part, n);
}

void system_date(char* text, size_t size) {
  time_t now = time(NULL);
  struct tm local;
  *text = 0;
  if (localtime_r(&now, &local)) strftime(text, size, "%a %b %e %H:%M:%S %Y", &local);
}

// ---- memory

void* system_aligned(size_t alignment, size_t bytes) { return aligned_alloc(alignment, bytes); }

void system_release(void* block) { free(block); }

bool system_sink(snHeard* sink) {
  *sink = (snHeard){0};
  sink->stream = open_memstream(&sink->text, &sink->size);
  return sink->stream != NULL;
}

char* system_said(snHeard* sink) {
  fclose(sink->stream);
  return sink->text;
}

// ---- processes

int system_cores(void) {
#if defined(__EMSCRIPTEN__)
  return 1;  // the engine in a browser has one thread
#elif defined(__linux__)
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
#else
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? (int)n : 1;
#endif
}

bool system_load(const char* path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL) != NULL; }

const char* system_load_error(void) { return dlerror(); }

// The loader matches libraries by soname and by the names under which they were opened: opening
// that name ($ORIGIN, RTLD_NOLOAD) makes it known without loading anything.
void system_alias(const char* name) { dlopen(name, RTLD_LAZY | RTLD_NOLOAD); }

#ifdef __APPLE__
const char* const system_library_ending = ".dylib";
#else
const char* const system_library_ending = ".so";
#endif

bool system_list(const char* folder, void (*visit)(void* context, const char* name),
                 void* context) {
  struct dirent** entry;
  int count = scandir(folder, &entry, NULL, alphasort);
  if (count < 0) return false;
  for (int i = 0; i < count; i++) {
    visit(context, entry[i]->d_name);
    free(entry[i]);
  }
  free(entry);
  return true;
}

bool system_program(char* path, size_t size) {
#ifdef __APPLE__
  uint32_t room = (uint32_t)size;
  return !_NSGetExecutablePath(path, &room);
#else
  ssize_t n = readlink("/proc/self/exe", path, size - 1);
  if (n <= 0) return false;
  path[n] = 0;
  return true;
#endif
}

int system_columns(void) {
  struct winsize size;
  return ioctl(1, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

long system_start(const char* const* arguments, int* end) {
#ifdef __EMSCRIPTEN__
  return -1;
#else
  int ends[2];
  if (pipe(ends)) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  pid_t process;
  int failed =
      posix_spawnp(&process, arguments[0], &actions, NULL, (char* const*)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  if (failed) {
    close(ends[1]);
    return -1;
  }
  *end = ends[1];
  signal(SIGPIPE, SIG_IGN);  // a program that ends early shows as a failed write
  return process;
#endif
}

bool system_wait(long process) {
#ifdef __EMSCRIPTEN__
  return false;
#else
  int status = 0;
  waitpid((pid_t)process, &status, 0);
  return WIFEXITED(status) && !WEXITSTATUS(status);
#endif
}
#endif
