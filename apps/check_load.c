// Reading on after an error, for `sinew check`. The engine stops at the first error, and its
// message gives the place. The offending attribute or element is removed from the text, or replaced
// by a stand-in where it refers to an unreadable file, and the changed text is read again from
// memory. Messages about elements that were removed are consequences and are not printed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew.h"

enum { kMostErrors = 100, kPath = 1024 };

typedef struct Text_ {
  char path[kPath];
  char* text;
  struct Text_* next;
} Text;

typedef struct Gone_ {
  char quoted[256];  // 'name'
  struct Gone_* next;
} Gone;

typedef struct Reading_ {
  Text* texts;
  Gone* gone;
  mjVFS vfs;
} Reading;

// Where a message points: "path:line:column: element 'e', attribute 'a': ..." of the reader, or
// "...\nElement name 'n', id 3, line 6 of path" of the compiler.
typedef struct Place_ {
  char path[kPath], attribute[128], name[256];
  int line, column;  // column 0: only the line is known
} Place;

// ---- messages

static bool find_compiler_place(const char* message, Place* at) {
  const char* element = strstr(message, "\nElement name '");
  if (!element) return false;
  element += strlen("\nElement name '");
  const char* line = strstr(element, ", line ");
  const char* quote = strstr(element, "', ");
  if (!quote) quote = strchr(element, '\'');
  if (!line || !quote) return false;
  snprintf(at->name, sizeof at->name, "%.*s", (int)(quote - element), element);
  int used = 0;
  if (sscanf(line, ", line %d of %n", &at->line, &used) != 1 || !used) return false;
  snprintf(at->path, sizeof at->path, "%s", line + used);
  return true;
}

// The last place in the message: a model that attaches another names its own place first.
static bool find_reader_place(const char* message, Place* at) {
  const char* found = NULL;
  int line, column, used, length = 0;
  for (const char* p = message; (p = strchr(p, ':')); p++) {
    used = 0;
    if (sscanf(p, ":%d:%d: element '%n", &line, &column, &used) == 2 && used) {
      found = p;
      at->line = line;
      at->column = column;
      length = used;
    }
  }
  if (!found) return false;
  const char* start = message;
  for (const char* p = message; p < found; p++) {
    if (!strncmp(p, ": ", 2)) start = p + 2;
  }
  snprintf(at->path, sizeof at->path, "%.*s", (int)(found - start), start);
  const char* behind = strchr(found + length, '\'');
  const char attribute[] = "', attribute '";
  if (behind && !strncmp(behind, attribute, strlen(attribute))) {
    const char* name = behind + strlen(attribute);
    snprintf(at->attribute, sizeof at->attribute, "%.*s", (int)strcspn(name, "'"), name);
  }
  return true;
}

static void print_error(const char* message, const Place* at, bool compiler) {
  const char* text = strncmp(message, "Error: ", 7) ? message : message + 7;
  int length = (int)(compiler ? strcspn(text, "\n") : strlen(text));
  if (compiler) {
    printf("error: %s:%d: %.*s", at->path, at->line, length, text);
    printf(at->name[0] ? " (element '%s')\n" : "\n", at->name);
  } else {
    printf("error: %.*s\n", length, text);
  }
}

static bool follows_from_gone(const Reading* r, const char* message) {
  for (const Gone* g = r->gone; g; g = g->next) {
    if (strstr(message, g->quoted)) return true;
  }
  return false;
}

// ---- texts

static char* read_text(const char* path) {
  FILE* f = fopen(path, "rb");
  char* text = NULL;
  size_t n = 0, room = 1 << 16, got;
  while (f && (text = realloc(text, room + 1)) && (got = fread(text + n, 1, room - n, f)) > 0) {
    n += got;
    if (n == room) room *= 2;
  }
  if (text) text[n] = 0;
  if (f) fclose(f);
  return text;
}

static Text* text_of(Reading* r, const char* path) {
  for (Text* t = r->texts; t; t = t->next) {
    if (!strcmp(t->path, path)) return t;
  }
  Text* t = calloc(1, sizeof *t);
  if (!t || !(t->text = read_text(path))) {
    free(t);
    return NULL;
  }
  snprintf(t->path, sizeof t->path, "%s", path);
  t->next = r->texts;
  r->texts = t;
  return t;
}

static char* line_at(char* text, int line) {
  for (int i = 1; i < line && text; i++) {
    text = strchr(text, '\n');
    if (text) text++;
  }
  return text;
}

// End of the tag that begins at p; '>' inside of quotes does not count.
static char* tag_end(char* p) {
  char quote = 0;
  for (; *p && (quote || *p != '>'); p++) {
    if (quote ? *p == quote : *p == '"' || *p == '\'') quote = quote ? 0 : *p;
  }
  return *p ? p + 1 : NULL;
}

// End of the element whose start tag begins at p, including its contents.
static char* element_end(char* p) {
  int depth = 0;
  while (p && *p) {
    if (!strncmp(p, "<!--", 4)) {
      p = strstr(p, "-->");
      if (p) p += 3;
      continue;
    }
    if (*p != '<') {
      p++;
      continue;
    }
    bool closes = p[1] == '/';
    char* end = tag_end(p);
    if (!end) return NULL;
    if (closes) {
      depth--;
    } else if (end[-2] != '/') {
      depth++;
    }
    p = end;
    if (depth == 0) return p;
  }
  return NULL;
}

// The value of an attribute in the tag from p to end; its extent in [*start, *stop), name and
// quotes included. NULL: absent.
static char* attribute_in(char* p, const char* end, const char* name, char** start, char** stop) {
  size_t n = strlen(name);
  char quote = 0;
  for (bool fresh = false; p < end; p++) {
    if (!quote && fresh && !strncmp(p, name, n) && strchr(" \t\r\n=", p[n])) {
      char* value = p + n;
      while (value < end && *value != '"' && *value != '\'') value++;
      char* close = value < end ? strchr(value + 1, *value) : NULL;
      if (!close || close >= end) return NULL;
      *start = p;
      *stop = close + 1;
      return value + 1;
    }
    if (quote ? *p == quote : *p == '"' || *p == '\'') quote = quote ? 0 : *p;
    fresh = !quote && strchr(" \t\r\n\"'", *p);
  }
  return NULL;
}

static void remember(Reading* r, const char* name, size_t length) {
  Gone* g = calloc(1, sizeof *g);
  if (!g || !length) {
    free(g);
    return;
  }
  snprintf(g->quoted, sizeof g->quoted, "'%.*s'", (int)length, name);
  g->next = r->gone;
  r->gone = g;
}

// Names of the element and of everything inside of it, which others may refer to.
static void remember_names(Reading* r, char* from, char* to) {
  static const char* const kNames[] = {"name", "class", "file"};
  for (char* p = from; p < to; p++) {
    if (*p != '<') continue;
    char* end = tag_end(p);
    for (int k = 0; end && k < 3; k++) {
      char *start, *stop, *value = attribute_in(p, end, kNames[k], &start, &stop);
      if (!value) continue;
      size_t n = (size_t)(stop - 1 - value);
      if (k == 2) {  // an unnamed mesh is named after its file
        for (size_t i = n; i-- > 0;) {
          if (value[i] == '/') {
            value += i + 1;
            n -= i + 1;
            break;
          }
        }
        const char* dot = memchr(value, '.', n);
        if (dot) n = (size_t)(dot - value);
      }
      remember(r, value, n);
    }
    if (!end) return;
    p = end - 1;
  }
}

static void blank(char* from, const char* to) {
  for (; from < to; from++) {
    if (*from != '\n') *from = ' ';
  }
}

// ---- repair

// The stand-in for an unreadable file, by the type of its element.
static const char* stand_in(const char* tag) {
  if (!strncmp(tag, "<mesh", 5)) return "vertex='0 0 0 1 0 0 0 1 0 0 0 1'";
  if (!strncmp(tag, "<hfield", 7)) return "nrow='2' ncol='2'";
  if (!strncmp(tag, "<texture", 8)) return "builtin='flat' width='8' height='8'";
  return NULL;
}

static bool replace_file(Text* t, char* tag, const char* with) {
  char *end = tag_end(tag), *start, *stop;
  char* value = end ? attribute_in(tag, end, "file", &start, &stop) : NULL;
  if (!value) return false;
  char name[300] = "", *unused[2];
  if (!attribute_in(tag, end, "name", &unused[0], &unused[1])) {
    const char* stem = value;
    for (const char* p = value; p < stop - 1; p++) {
      if (*p == '/') stem = p + 1;
    }
    snprintf(name, sizeof name, " name='%.*s'", (int)strcspn(stem, ".\"'"), stem);
  }
  size_t before = (size_t)(start - t->text);
  size_t room = strlen(t->text) + strlen(with) + strlen(name) + 1;
  char* text = malloc(room);
  if (!text) return false;
  snprintf(text, room, "%.*s%s%s%s", (int)before, t->text, with, name, stop);
  free(t->text);
  t->text = text;
  return true;
}

// The tag that the compiler means on a line: the one with the name, else the first.
static char* tag_on_line(char* line, const char* name) {
  char* first = NULL;
  const char* end = line + strcspn(line, "\n");
  for (char* p = line; p < end; p++) {
    if (*p != '<' || p[1] == '/' || p[1] == '!') continue;
    char *close = tag_end(p), *start, *stop;
    char* value = close ? attribute_in(p, close, "name", &start, &stop) : NULL;
    if (!first) first = p;
    if (value && (size_t)(stop - 1 - value) == strlen(name) && !strncmp(value, name, strlen(name)))
      return p;
  }
  return first;
}

static bool repair(Reading* r, const char* message, const Place* at, bool compiler) {
  Text* t = text_of(r, at->path);
  char* p = t ? line_at(t->text, at->line) : NULL;
  if (!p) return false;
  if (compiler) {
    p = tag_on_line(p, at->name);
  } else if ((size_t)at->column <= strlen(p)) {
    p += at->column - 1;
  }
  if (!p) return false;
  if (at->attribute[0] && !strncmp(p, at->attribute, strlen(at->attribute))) {
    char *start, *stop, *end = tag_end(p);
    char* before = p > t->text ? p - 1 : p;
    if (end && attribute_in(before, end, at->attribute, &start, &stop)) {
      if (!strcmp(at->attribute, "name") || !strcmp(at->attribute, "class")) {
        remember_names(r, p, stop);
      }
      blank(start, stop);
      return true;
    }
  }
  while (p > t->text && *p != '<') p--;
  if (*p != '<') return false;
  const char* with = strstr(message, "file") ? stand_in(p) : NULL;
  if (with && replace_file(t, p, with)) return true;
  char* end = element_end(p);
  // without its root nothing would be left
  if (!end || !strncmp(p, "<mujoco", 7) || !strncmp(p, "<robot", 6)) return false;
  remember_names(r, p, end);
  blank(p, end);
  return true;
}

// Every attempt repeats the warnings: of equal warnings in a row only the first is shown.
static void warn_once(const char* text) {
  static char last[1024];
  if (strcmp(text, last)) printf("warning: %s\n", text);
  snprintf(last, sizeof last, "%s", text);
}

static mjModel* try_read(Reading* r, const char* path, char error[2048]) {
  mj_defaultVFS(&r->vfs);
  for (Text* t = r->texts; t; t = t->next) {
    mj_addBufferVFS(&r->vfs, t->path, t->text, (int)strlen(t->text));
  }
  error[0] = 0;
  mjModel* m = mj_loadXML(path, &r->vfs, error, 2048);
  mj_deleteVFS(&r->vfs);
  return m;
}

mjModel* check_load(const char* path, int* errors) {
  Reading r = {0};
  char error[2048];
  mjModel* m = NULL;
  *errors = 0;
  if (!confine_to_folder_of(path)) {
    ++*errors;
    return NULL;
  }
  mju_user_warning = warn_once;
  if (ends_with(path, ".mjb")) {
    m = mj_loadModel(path, NULL);
    *errors = !m;
    mju_user_warning = NULL;
    return m;
  }
  for (int i = 0; i < kMostErrors && !(m = try_read(&r, path, error)); i++) {
    Place at = {{0}, {0}, {0}, 0, 0};
    bool compiler = find_compiler_place(error, &at);
    bool placed = compiler || find_reader_place(error, &at);
    if (!follows_from_gone(&r, error)) {
      print_error(error, &at, compiler);
      ++*errors;
    }
    if (!placed || !repair(&r, error, &at, compiler)) {
      printf("the rest of the model was not looked at: mend this first\n");
      break;
    }
  }
  mju_user_warning = NULL;
  if (m && error[0] && !*errors) {
    printf("warning: %s\n", error);
    ++*errors;
  }
  while (r.texts) {
    Text* next = r.texts->next;
    free(r.texts->text);
    free(r.texts);
    r.texts = next;
  }
  while (r.gone) {
    Gone* next = r.gone->next;
    free(r.gone);
    r.gone = next;
  }
  return m;
}
