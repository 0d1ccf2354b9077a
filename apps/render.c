// sinew render MODEL: a picture, a turntable, or a sheet of keyframes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "picture.h"
#include "sinew.h"

const char help_render[] =
    "Draws MODEL and writes a PNG file: in software, without a display or a graphics\n"
    "card. Without MODEL: the figure that 'sinew run' shows.\n\n"
    "  -o FILE               the picture (default: the model's name with .png)\n"
    "  --size WxH            in pixels (default 640x480)\n"
    "  --camera C            name or number (default: a free one that sees the model)\n"
    "  --key N or NAME       pose of that keyframe (default: the model's own)\n"
    "  --time SECONDS        simulate that long first, without controls\n"
    "  --keys                all keyframes on one sheet\n"
    "  --cameras             all cameras on one sheet\n"
    "  --turntable           a video around the model: animated PNG, or by ffmpeg\n"
    "                        when FILE ends in .mp4 or the like\n"
    "  --depth, --objects    distances, or a colour for each object\n"
    "  --show NAME           switch what is drawn: contact point, joint, inertia, ...\n"
    "                        (--show list names them)\n"
    "  --plain               no light and no sky for a model that has none\n"
    "  --terminal[=HOW]      show it here instead: blocks, kitty, sixel or text\n\n"
    "Exit code: 0 drawn, 1 it was not, 2 wrong usage.\n";

typedef struct Order_ {
  const char *path, *output, *camera, *key, *terminal;
  int width, height, keys, cameras, turntable, in_terminal, plain;
  double time;
  Show show;
  bool toggled[mjNVISFLAG];
} Order;

// ---- arguments

static bool show_read(Order* o, const char* name) {
  int found = -1;
  for (int i = 0; i < mjNVISFLAG; i++) {
    // "Contact Point", contactpoint and contact-point are the same name
    const char *a = mjVISSTRING[i][0], *b = name;
    while (*a && *b) {
      if (*a == ' ' || *a == '&') {
        a++;
      } else if (*b == ' ' || *b == '-' || *b == '_' || *b == '&') {
        b++;
      } else if ((*a | 32) == (*b | 32)) {
        a++, b++;
      } else {
        break;
      }
    }
    if (!*b && found < 0) found = i;
    if (!*a && !*b) {
      found = i;
      break;
    }
  }
  if (found >= 0) {
    o->toggled[found] = true;
    return true;
  }
  FILE* out = strcmp(name, "list") ? stderr : stdout;
  if (out == stderr) fprintf(out, "sinew render: --show '%s' is none of these\n", name);
  for (int i = 0; i < mjNVISFLAG; i++) {
    fprintf(out, "%s%s%s", mjVISSTRING[i][0], mjVISSTRING[i][1][0] == '1' ? " (shown already)" : "",
            i + 1 < mjNVISFLAG ? ", " : "\n");
  }
  return false;
}

// 0: continue; 1: finished, exit code in *status.
static int order_read(Order* o, int argc, char** argv, int* status) {
  *status = 2;
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i], *v = i + 1 < argc ? argv[i + 1] : NULL;
    if (a[0] != '-') {
      if (o->path)
        return *status = wrong_usage("render", "one model at a time, got '%s' too", a), 1;
      o->path = a;
    } else if (!strcmp(a, "--keys")) {
      o->keys = 1;
    } else if (!strcmp(a, "--cameras")) {
      o->cameras = 1;
    } else if (!strcmp(a, "--turntable")) {
      o->turntable = 1;
    } else if (!strcmp(a, "--plain")) {
      o->plain = 1;
    } else if (!strcmp(a, "--depth")) {
      o->show = SHOW_DEPTH;
    } else if (!strcmp(a, "--objects")) {
      o->show = SHOW_OBJECTS;
    } else if (!strncmp(a, "--terminal", 10) && (!a[10] || a[10] == '=')) {
      o->in_terminal = 1;
      o->terminal = a[10] ? a + 11 : NULL;
    } else if (!v) {
      return *status = wrong_usage("render", "%s needs a value, or is unknown", a), 1;
    } else {
      i++;
      if (!strcmp(a, "-o") || !strcmp(a, "--output")) {
        o->output = v;
      } else if (!strcmp(a, "--camera")) {
        o->camera = v;
      } else if (!strcmp(a, "--key")) {
        o->key = v;
      } else if (!strcmp(a, "--size")) {
        if (!size_read("render", v, &o->width, &o->height)) return 1;
      } else if (!strcmp(a, "--show")) {
        if (!show_read(o, v)) return *status = strcmp(v, "list") ? 2 : 0, 1;
      } else if (!strcmp(a, "--time")) {
        char* end;
        o->time = strtod(v, &end);
        if (end == v || *end || !(o->time >= 0 && o->time <= 1e6)) {
          wrong_usage("render", "--time '%s', expected seconds, from 0 to 1e6", v);
          return 1;
        }
      } else {
        return *status = wrong_usage("render", "unknown option %s", a), 1;
      }
    }
  }
  if (o->keys + o->cameras + o->turntable > 1) {
    wrong_usage("render", "--keys, --cameras or --turntable, one of them");
    return 1;
  }
  return 0;
}

// ---- what is drawn

// Number of columns for which tiles have about the aspect ratio of the picture.
static int sheet_columns(int count) {
  int columns = 1;
  while (columns * columns < count) columns++;
  return columns;
}

static const char* name_or_number(const mjModel* m, int type, int id, char text[120]) {
  const char* name = mj_id2name(m, type, id);
  snprintf(text, 120, name && name[0] ? "%.100s" : "#%.0s%d", name && name[0] ? name : "", id);
  return text;
}

static bool draw_sheet(Studio* s, mjData* d, const Order* o) {
  const mjModel* m = s->m;
  int count = o->keys ? m->nkey : m->ncam, columns = sheet_columns(count);
  char name[120];
  if (!count) {
    fprintf(stderr, "sinew render: the model has no %s\n", o->keys ? "keyframes" : "cameras");
    return false;
  }
  for (int i = 0; i < count; i++) {
    if (o->keys) {
      mj_resetDataKeyframe(m, d, i);
      mj_forward(m, d);
    } else {
      s->camera.type = mjCAMERA_FIXED;
      s->camera.fixedcamid = i;
    }
    name_or_number(m, o->keys ? mjOBJ_KEY : mjOBJ_CAMERA, i, name);
    studio_draw(s, d, studio_part(s, i, count, columns), name);
  }
  return true;
}

enum { TURN = 72, TURN_RATE = 24 };  // pictures per turn; per second

static bool draw_turntable(Studio* s, const mjData* d, Picture* p, const char* output, char* name,
                           int room) {
  if (s->camera.type == mjCAMERA_FIXED) {
    fprintf(stderr, "sinew render: --turntable moves the camera: not one of the model's\n");
    return false;
  }
  Video* v = video_open(output, s->width, s->height, TURN_RATE);
  if (!v) return false;
  double start = s->camera.azimuth;
  for (int i = 0; i < TURN; i++) {
    s->camera.azimuth = start + 360.0 * i / TURN;
    studio_draw(s, d, studio_part(s, 0, 1, 1), NULL);
    studio_read(s, p);
    if (!video_add(v, p)) break;
  }
  return video_close(v, name, room);
}

// The requested pose: keyframe or time.
static bool pose(const mjModel* m, mjData* d, const Order* o) {
  if (o->key) {
    int key = find_key("render", m, o->key);
    if (key < 0) return false;
    mj_resetDataKeyframe(m, d, key);
  }
  long steps = (long)ceil(o->time / m->opt.timestep - 1e-9);
  for (long i = 0; i < steps; i++) mj_step(m, d);
  mj_forward(m, d);
  return true;
}

static void default_name(const char* path, char name[4096]) {
  const char* base = path ? strrchr(path, '/') : NULL;
  base = base ? base + 1 : path ? path : "figure.xml";
  const char* dot = strrchr(base, '.');
  int n = dot && dot != base ? (int)(dot - base) : (int)strlen(base);
  snprintf(name, 4096, "%.*s.png", n, base);
}

static bool render(const mjModel* m, mjData* d, const Order* o) {
  Studio s = {0};
  Picture p = {0};
  char name[4096];
  if (o->output) {
    snprintf(name, sizeof name, "%s", o->output);
  } else {
    default_name(o->path, name);
  }
  bool ok = pose(m, d, o) && studio_open(&s, "render", m, o->camera, o->width, o->height) &&
            picture_make(&p, o->width, o->height);
  for (int i = 0; i < mjNVISFLAG; i++) s.option.flags[i] ^= o->toggled[i];
  s.show = o->show;
  s.plain = o->plain;
  if (ok && o->turntable) {
    ok = draw_turntable(&s, d, &p, name, name, sizeof name);
  } else if (ok) {
    if (o->keys || o->cameras) {
      ok = draw_sheet(&s, d, o);
    } else {
      studio_draw(&s, d, studio_part(&s, 0, 1, 1), NULL);
    }
    if (ok) studio_read(&s, &p);
    bool save = ok && (o->output || !o->in_terminal);
    if (ok && o->in_terminal) ok = terminal_show(&p, o->terminal);
    if (ok && save) ok = picture_save(&p, name);
    if (!save) name[0] = 0;
  }
  if (ok && name[0]) printf("%s\n", name);
  picture_free(&p);
  studio_close(&s);
  return ok;
}

int command_render(int argc, char** argv) {
  Order o = {.width = 640, .height = 480};
  int status;
  if (order_read(&o, argc, argv, &status)) return status;
  mjModel* m = o.path ? load_model(o.path) : example_model();
  if (!m) return 1;
  mjData* d = mj_makeData(m);
  bool ok = d && render(m, d, &o);
  mj_deleteData(d);
  mj_deleteModel(m);
  return ok ? 0 : 1;
}
