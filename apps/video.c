// Videos: through a pipe to ffmpeg, or as animated PNG (APNG).
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "picture.h"
#include "sinew.h"

struct Video_ {
  char name[4096];
  snFilm* film;  // animated PNG; NULL: ffmpeg
  int pipe;
  long encoder;
  size_t bytes;  // bytes of a picture
  bool failed;
};

// Starts the encoder, which reads pictures from a pipe. Arguments are passed without a shell, so
// file names need no quoting.
static bool encoder_start(Video* v, int width, int height, double rate) {
  char size[32], speed[32];
  snprintf(size, sizeof size, "%dx%d", width, height);
  snprintf(speed, sizeof speed, "%g", rate);
  const char* arguments[] = {"ffmpeg",   "-y",       "-v",       "error",
                             "-f",       "rawvideo", "-pix_fmt", "rgb24",
                             "-s",       size,       "-r",       speed,
                             "-i",       "-",        "-vf",      "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                             "-pix_fmt", "yuv420p",  v->name,    NULL};
  v->encoder = system_start(arguments, &v->pipe);
  return v->encoder >= 0;
}

Video* video_open(const char* path, int width, int height, double rate) {
  Video* v = calloc(1, sizeof *v);
  if (!v || strlen(path) + 8 > sizeof v->name) {
    fprintf(stderr, "sinew: %s: %s\n", path, v ? "the name is too long" : "no memory");
    free(v);
    return NULL;
  }
  snprintf(v->name, sizeof v->name, "%s", path);
  v->bytes = 3 * (size_t)width * (size_t)height;
  bool own = ends_with(path, ".png") || ends_with(path, ".apng");
  if (!own && encoder_start(v, width, height, rate)) return v;
  if (!own) {
    strcat(v->name, ".png");
    fprintf(stderr, "sinew: ffmpeg is not installed: the video becomes an animated PNG, %s\n",
            v->name);
  }
  v->film = sn_makeFilm(width, height, rate);
  if (v->film) return v;
  fprintf(stderr, "sinew: %s: no memory\n", v->name);
  free(v);
  return NULL;
}

bool video_add(Video* v, const Picture* p) {
  if (v->film) {
    v->failed = v->failed || !sn_addPicture(v->film, p->rgb);
    return !v->failed;
  }
  for (size_t at = 0; at < v->bytes && !v->failed;) {
    ssize_t n = write(v->pipe, p->rgb + at, v->bytes - at);
    if (n < 0 && errno != EINTR) v->failed = true;
    if (n > 0) at += (size_t)n;
  }
  return !v->failed;
}

bool video_close(Video* v, char* name, int room) {
  char error[1000] = "it could not be written";
  if (v->film) {
    v->failed = v->failed || !sn_saveFilm(v->film, v->name, error, sizeof error);
    sn_freeFilm(v->film);
  } else {
    close(v->pipe);
    if (!system_wait(v->encoder)) {
      v->failed = true;
      snprintf(error, sizeof error, "ffmpeg failed");
    }
  }
  bool ok = !v->failed;
  if (!ok) fprintf(stderr, "sinew: %s: %s\n", v->name, error);
  snprintf(name, (size_t)room, "%s", v->name);
  free(v);
  return ok;
}
