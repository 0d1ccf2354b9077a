// Videos: through a pipe to ffmpeg, or as animated PNG (APNG).
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "picture.h"
#include "sinew.h"

extern char** environ;

struct Video_ {
  char name[4096];
  snFilm* film;  // animated PNG; NULL: ffmpeg
  int pipe;
  pid_t encoder;
  size_t bytes;  // bytes of a picture
  bool failed;
};

// Starts the encoder, which reads pictures from a pipe. Arguments are passed without a shell, so
// file names need no quoting.
static bool encoder_start(Video* v, int width, int height, double rate) {
  char size[32], speed[32];
  snprintf(size, sizeof size, "%dx%d", width, height);
  snprintf(speed, sizeof speed, "%g", rate);
  char* arguments[] = {"ffmpeg",   "-y",       "-v",       "error",
                       "-f",       "rawvideo", "-pix_fmt", "rgb24",
                       "-s",       size,       "-r",       speed,
                       "-i",       "-",        "-vf",      "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                       "-pix_fmt", "yuv420p",  v->name,    NULL};
  int ends[2];
  if (pipe(ends)) return false;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  int failed = posix_spawnp(&v->encoder, "ffmpeg", &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  if (failed) {
    close(ends[1]);
    v->encoder = 0;
    return false;
  }
  v->pipe = ends[1];
  signal(SIGPIPE, SIG_IGN);  // an encoder that exits shows as a failed write
  return true;
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
    int status = 0;
    close(v->pipe);
    waitpid(v->encoder, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) {
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
