// system.h on Windows, with mingw-w64: its C library has strtod, printf and strings of its own,
// which round as on other systems.
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0601  // Windows 7
#include "base/system.h"

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <malloc.h>
#include <process.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <windows.h>

// ---- names: UTF-8 outside, UTF-16 for the system

static wchar_t* name_wide(const char* path) {
  int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
  wchar_t* wide = n > 0 ? malloc((size_t)n * sizeof *wide) : NULL;
  if (wide) {
    MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, n);
  } else {
    errno = n > 0 ? ENOMEM : EINVAL;
  }
  return wide;
}

static char* name_narrow(const wchar_t* wide) {
  int n = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
  char* path = n > 0 ? malloc((size_t)n) : NULL;
  if (path) WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, n, NULL, NULL);
  return path;
}

static void name_slashes(char* path) {
  for (; *path; path++) *path = *path == '\\' ? '/' : *path;
}

// A handle that asks for nothing but the file's identity; folders too.
static HANDLE handle_open(const char* path) {
  wchar_t* wide = name_wide(path);
  if (!wide) return INVALID_HANDLE_VALUE;
  HANDLE handle = CreateFileW(wide, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
  free(wide);
  return handle;
}

// ---- files

char* system_resolve(const char* path) {
  HANDLE handle = handle_open(path);
  if (handle == INVALID_HANDLE_VALUE) return NULL;
  enum { kRoom = 32768 };  // the longest path of the system
  wchar_t* wide = malloc(kRoom * sizeof *wide);
  DWORD n = wide ? GetFinalPathNameByHandleW(handle, wide, kRoom, FILE_NAME_NORMALIZED) : 0;
  CloseHandle(handle);
  char* found = NULL;
  if (n && n < kRoom) {
    // "\\?\C:\folder", "\\?\UNC\server\folder"
    wchar_t* start = wide;
    if (!wcsncmp(wide, L"\\\\?\\UNC\\", 8)) {
      start = wide + 6;
      *start = L'\\';
    } else if (!wcsncmp(wide, L"\\\\?\\", 4)) {
      start = wide + 4;
    }
    found = name_narrow(start);
    if (found) name_slashes(found);
  }
  free(wide);
  return found;
}

int system_open(const char* path) {
  wchar_t* wide = name_wide(path);
  int file = wide ? _wopen(wide, _O_RDONLY | _O_BINARY | _O_NOINHERIT) : -1;
  free(wide);
  return file;
}

bool system_same_file(int file, const char* path) {
  HANDLE there = handle_open(path);
  BY_HANDLE_FILE_INFORMATION a, b;
  bool same = there != INVALID_HANDLE_VALUE &&
              GetFileInformationByHandle((HANDLE)_get_osfhandle(file), &a) &&
              GetFileInformationByHandle(there, &b) &&
              a.dwVolumeSerialNumber == b.dwVolumeSerialNumber &&
              a.nFileIndexHigh == b.nFileIndexHigh && a.nFileIndexLow == b.nFileIndexLow;
  if (there != INVALID_HANDLE_VALUE) CloseHandle(there);
  return same;
}

static DWORD attributes(const char* path) {
  wchar_t* wide = name_wide(path);
  DWORD found = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
  free(wide);
  return found;
}

bool system_readable(const char* path) { return attributes(path) != INVALID_FILE_ATTRIBUTES; }

bool system_is_folder(const char* path) {
  DWORD found = attributes(path);
  return found != INVALID_FILE_ATTRIBUTES && (found & FILE_ATTRIBUTE_DIRECTORY);
}

bool system_make_folder(const char* path) {
  wchar_t* wide = name_wide(path);
  bool made = wide && !_wmkdir(wide);
  free(wide);
  return made;
}

FILE* system_create(const char* path) {
  wchar_t* wide = name_wide(path);
  FILE* file = wide ? _wfopen(wide, L"wb") : NULL;
  free(wide);
  return file;
}

FILE* system_append(const char* path) {
  DWORD found = attributes(path);
  if (found != INVALID_FILE_ATTRIBUTES && (found & FILE_ATTRIBUTE_REPARSE_POINT)) return NULL;
  wchar_t* wide = name_wide(path);
  FILE* file = wide ? _wfopen(wide, L"ab") : NULL;
  free(wide);
  BY_HANDLE_FILE_INFORMATION info;
  if (file && (!GetFileInformationByHandle((HANDLE)_get_osfhandle(_fileno(file)), &info) ||
               info.nNumberOfLinks != 1)) {
    fclose(file);
    file = NULL;
  }
  return file;
}

bool system_writable(const char* path) {
  bool there = attributes(path) != INVALID_FILE_ATTRIBUTES;
  if (system_is_folder(path)) return false;
  wchar_t* wide = name_wide(path);
  int file = wide ? _wopen(wide, _O_WRONLY | _O_CREAT | _O_NOINHERIT, _S_IREAD | _S_IWRITE) : -1;
  if (file >= 0) _close(file);
  if (file >= 0 && !there) _wunlink(wide);
  free(wide);
  return file >= 0;
}

int system_drive(const char* path) {
  bool letter = (*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z');
  return letter && path[1] == ':' ? 2 : 0;
}

// ---- text

// The locale of one thread can be set once the thread has one of its own.
snLocale system_plain(void) {
  if (!strcmp(localeconv()->decimal_point, ".")) return (snLocale){0};
  int shared = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
  char* before = _strdup(setlocale(LC_NUMERIC, NULL));
  setlocale(LC_NUMERIC, "C");
  return (snLocale){(void*)(intptr_t)(shared < 0 ? _DISABLE_PER_THREAD_LOCALE : shared), before};
}

void system_local(snLocale locale) {
  if (!locale.before) return;
  setlocale(LC_NUMERIC, locale.before);
  _configthreadlocale((int)(intptr_t)locale.plain);
  free(locale.before);
}

double system_double(const char* text, char** end) {
  snLocale locale = system_plain();
  double value = strtod(text, end);
  system_local(locale);
  return value;
}

float system_float(const char* text, char** end) {
  snLocale locale = system_plain();
  float value = strtof(text, end);
  system_local(locale);
  return value;
}

const void* system_seek(const void* text, size_t size, const void* part, size_t n) {
  const char* at = text;
  if (!n) return text;
  for (; size >= n; at++, size--) {
    const char* first = memchr(at, *(const char*)part, size - n + 1);
    if (!first) return NULL;
    size -= (size_t)(first - at);
    at = first;
    if (!memcmp(at, part, n)) return at;
  }
  return NULL;
}

void system_date(char* text, size_t size) {
  time_t now = time(NULL);
  struct tm local;
  *text = 0;
  if (!localtime_s(&local, &now)) strftime(text, size, "%a %b %d %H:%M:%S %Y", &local);
}

// ---- memory

void* system_aligned(size_t alignment, size_t bytes) { return _aligned_malloc(bytes, alignment); }

void system_release(void* block) { _aligned_free(block); }

// A file that the system deletes when it is closed.
bool system_sink(snHeard* sink) {
  *sink = (snHeard){0};
  char* name = _tempnam(NULL, "sinew");
  sink->stream = name ? fopen(name, "w+bTD") : NULL;
  free(name);
  return sink->stream != NULL;
}

char* system_said(snHeard* sink) {
  long size = ftell(sink->stream);
  char* text = size >= 0 ? calloc((size_t)size + 1, 1) : NULL;
  rewind(sink->stream);
  if (text) fread(text, 1, (size_t)size, sink->stream);
  fclose(sink->stream);
  return text;
}

// ---- processes

int system_cores(void) {
  DWORD_PTR own, all;
  if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &all)) return 1;
  int n = __builtin_popcountll(own);
  return n > 0 ? n : 1;
}

static _Thread_local char load_error[512];

bool system_load(const char* path) {
  wchar_t* wide = name_wide(path);
  HMODULE library = wide ? LoadLibraryW(wide) : NULL;
  DWORD code = GetLastError();
  free(wide);
  if (library) return true;
  DWORD n = FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, code,
                           0, load_error, sizeof load_error, NULL);
  while (n && strchr("\r\n. ", load_error[n - 1])) n--;
  load_error[n] = 0;
  if (!n) snprintf(load_error, sizeof load_error, "error %lu of the system", (unsigned long)code);
  return false;
}

const char* system_load_error(void) { return load_error; }

void system_alias(const char* name) {}  // libraries are known by their file's name alone

const char* const system_library_ending = ".dll";

static int name_order(const void* a, const void* b) {
  return strcmp(*(char* const*)a, *(char* const*)b);
}

// All names that match a pattern, in *list; their number.
static int list_names(const wchar_t* pattern, char*** list) {
  WIN32_FIND_DATAW found;
  HANDLE search = FindFirstFileW(pattern, &found);
  int n = 0, room = 0;
  *list = NULL;
  if (search == INVALID_HANDLE_VALUE) return 0;
  do {
    if (n == room) {
      room = 2 * room + 16;
      char** more = realloc(*list, (size_t)room * sizeof **list);
      if (!more) break;
      *list = more;
    }
    (*list)[n] = name_narrow(found.cFileName);
    n += (*list)[n] != NULL;
  } while (FindNextFileW(search, &found));
  FindClose(search);
  return n;
}

bool system_list(const char* folder, void (*visit)(void* context, const char* name),
                 void* context) {
  if (!system_is_folder(folder)) return false;
  size_t bytes = strlen(folder) + 3;
  char* pattern = malloc(bytes);
  if (pattern) snprintf(pattern, bytes, "%s/*", folder);
  wchar_t* wide = pattern ? name_wide(pattern) : NULL;
  char** name = NULL;
  int n = wide ? list_names(wide, &name) : 0;
  if (n) qsort(name, (size_t)n, sizeof *name, name_order);
  for (int i = 0; i < n; i++) {
    visit(context, name[i]);
    free(name[i]);
  }
  free(name);
  free(wide);
  free(pattern);
  return true;
}

bool system_program(char* path, size_t size) {
  wchar_t wide[MAX_PATH];
  DWORD n = GetModuleFileNameW(NULL, wide, MAX_PATH);
  char* found = n && n < MAX_PATH ? name_narrow(wide) : NULL;
  bool fits = found && strlen(found) < size;
  if (fits) {
    name_slashes(found);
    strcpy(path, found);
  }
  free(found);
  return fits;
}

int system_columns(void) {
  CONSOLE_SCREEN_BUFFER_INFO info;
  if (!GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &info)) return 0;
  return info.srWindow.Right - info.srWindow.Left + 1;
}

// _spawnvp joins the arguments with blanks: those that have blanks are put in quotes. A quote is no
// part of a file name here.
static void free_quoted(char** quoted) {
  for (int i = 0; quoted && quoted[i]; i++) free(quoted[i]);
  free(quoted);
}

static char** quote(const char* const* arguments) {
  size_t n = 0;
  while (arguments[n]) n++;
  char** quoted = calloc(n + 1, sizeof *quoted);
  for (size_t i = 0; quoted && i < n; i++) {
    const char* mark = strchr(arguments[i], ' ') ? "\"" : "";
    size_t bytes = strlen(arguments[i]) + 3;
    quoted[i] = malloc(bytes);
    if (!quoted[i]) return free_quoted(quoted), NULL;
    snprintf(quoted[i], bytes, "%s%s%s", mark, arguments[i], mark);
  }
  return quoted;
}

long system_start(const char* const* arguments, int* end) {
  int ends[2], input = _dup(0);
  char** quoted = quote(arguments);
  intptr_t process = -1;
  if (quoted && !_pipe(ends, 1 << 20, _O_BINARY | _O_NOINHERIT)) {
    _dup2(ends[0], 0);  // the child inherits the standard input of the moment
    process = _spawnvp(_P_NOWAIT, arguments[0], (const char* const*)quoted);
    if (input >= 0) {
      _dup2(input, 0);
    } else {
      _close(0);
    }
    _close(ends[0]);
    if (process == -1) _close(ends[1]);
    *end = ends[1];
  }
  if (input >= 0) _close(input);
  free_quoted(quoted);
  return (long)process;  // handles have 32 significant bits
}

bool system_wait(long process) {
  int status = 1;
  return _cwait(&status, process, 0) != -1 && status == 0;
}
#endif
