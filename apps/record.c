// Pictures of a run: a video, a sheet of six moments, and a page that plays it in a browser.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "web_page.h"
#include "picture.h"
#include "sinew.h"

enum { MOMENTS = 6, COLUMNS = 3 };

struct Recorder_ {
  Studio video_studio, sheet_studio;
  Video* video;
  Picture picture;  // of the video
  const char *sheet, *html;
  const mjModel* model;
  double* state;  // (states x size), for the page
  long states, room;
  double duration, rate;
  long pictures, moments;  // so far
  bool failed;
};

Recorder* recorder_open(const mjModel* m, const RecorderOptions* o, double duration) {
  Recorder* r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->duration = duration;
  r->rate = o->rate;
  r->sheet = o->sheet;
  r->html = o->html;
  r->model = m;
  char page[PATH_MAX];
  bool ok = !o->html || web_page_find("run", page);
  if (ok && o->video) {
    ok = studio_open(&r->video_studio, "run", m, o->camera, o->width, o->height) &&
         picture_make(&r->picture, o->width, o->height) &&
         (r->video = video_open(o->video, o->width, o->height, o->rate));
  }
  if (ok && o->sheet) {
    ok = studio_open(&r->sheet_studio, "run", m, o->camera, o->width * COLUMNS / 2,
                     o->height * (MOMENTS / COLUMNS) / 2);
  }
  if (ok) return r;
  recorder_close(r);
  return NULL;
}

static void keep_state(Recorder* r, const mjData* d) {
  size_t size = (size_t)mj_stateSize(r->model, mjSTATE_INTEGRATION);
  if (r->states == r->room) {
    long room = 2 * r->room + 256;
    double* more = realloc(r->state, sizeof(double) * size * (size_t)room);
    if (!more) {
      r->failed = true;
      return;
    }
    r->state = more;
    r->room = room;
  }
  mj_getState(r->model, d, r->state + size * (size_t)r->states++, mjSTATE_INTEGRATION);
}

// The k-th picture is due at k/rate, the k-th moment at k duration/5, within half a step.
void recorder_look(Recorder* r, const mjData* d, double elapsed) {
  double soon = elapsed + 1e-9;
  if (r->html) keep_state(r, d);
  if (r->video && soon >= (double)r->pictures / r->rate) {
    studio_draw(&r->video_studio, d, studio_part(&r->video_studio, 0, 1, 1), NULL);
    studio_read(&r->video_studio, &r->picture);
    // a time step longer than a frame: repeat the picture, so that the video keeps its pace
    while (!r->failed && soon >= (double)r->pictures / r->rate) {
      r->failed = !video_add(r->video, &r->picture);
      r->pictures++;
    }
  }
  while (r->sheet && r->moments < MOMENTS &&
         soon >= r->duration * (double)r->moments / (MOMENTS - 1)) {
    char caption[40];
    snprintf(caption, sizeof caption, "t = %.3g s", elapsed);
    studio_draw(&r->sheet_studio, d,
                studio_part(&r->sheet_studio, (int)r->moments, MOMENTS, COLUMNS), caption);
    r->moments++;
  }
}

void recorder_begin(Recorder* r, const mjModel* m, const mjData* d) {
  mjData* copy = mj_copyData(NULL, m, d);
  if (!copy) return;
  mj_forward(m, copy);
  recorder_look(r, copy, 0);
  mj_deleteData(copy);
}

bool recorder_close(Recorder* r) {
  if (!r) return true;
  bool ok = !r->failed;
  char name[4096];
  if (r->video) {
    ok = video_close(r->video, name, sizeof name) && ok;
    if (ok) printf("%-20s %s, %ld pictures\n", "video", name, r->pictures);
  }
  if (r->sheet && r->sheet_studio.m && r->moments) {
    Picture p;
    bool made = picture_make(&p, r->sheet_studio.width, r->sheet_studio.height);
    if (made) studio_read(&r->sheet_studio, &p);
    bool saved = made && picture_save(&p, r->sheet);
    if (saved) printf("%-20s %s\n", "picture", r->sheet);
    ok = ok && saved;
    picture_free(&p);
  }
  if (r->html && r->states) {
    bool saved = web_page_write("run", r->html, r->model, r->state, r->states);
    if (saved) printf("%-20s %s\n", "page", r->html);
    ok = ok && saved;
  }
  free(r->state);
  picture_free(&r->picture);
  studio_close(&r->video_studio);
  studio_close(&r->sheet_studio);
  free(r);
  return ok;
}
