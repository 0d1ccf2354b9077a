// Pictures of models in the command: a studio draws them (studio.c), a video holds many (video.c),
// a terminal shows one (terminal.c).
#ifndef SINEW_APPS_PICTURE_H_
#define SINEW_APPS_PICTURE_H_

#include <mujoco/mujoco.h>
#include <sinew/film.h>
#include <stdbool.h>

typedef struct Picture_ {
  int width, height;
  unsigned char* rgb;  // top row first
} Picture;

bool picture_make(Picture* p, int width, int height);  // false after a message on stderr
void picture_free(Picture* p);

// Write as PNG; false after a message on stderr.
bool picture_save(const Picture* p, const char* path);

// "640x480"; false after a message that names the command.
bool size_read(const char* command, const char* text, int* width, int* height);

// ---- studio: draws scenes of one model on one sheet, which may have several pictures side by side

typedef enum { SHOW_COLOURS, SHOW_DEPTH, SHOW_OBJECTS } Show;

typedef struct Studio_ {
  const mjModel* m;
  mjrContext context;
  mjvScene scene;
  mjvOption option;
  mjvCamera camera;
  bool fitted;  // the free camera has been moved closer
  bool plain;   // no light or sky is added to a model without
  Show show;
  int width, height;  // of the picture sheet
} Studio;

// `camera`: name or number of one of the model's, NULL: a free one that sees the whole model, and
// follows it when it is one moving figure. False after a message on stderr that lists the cameras.
bool studio_open(Studio* s, const char* command, const mjModel* m, const char* camera, int width,
                 int height);
void studio_close(Studio* s);

// Draws the poses of the data in a part of the sheet (from the bottom left), with an optional
// caption.
void studio_draw(Studio* s, const mjData* d, mjrRect part, const char* caption);

// The sheet as a picture of the studio's size.
void studio_read(const Studio* s, Picture* p);

// Part `i` of `count` equal ones, in reading order, `columns` in a row.
mjrRect studio_part(const Studio* s, int i, int count, int columns);

// ---- videos

typedef struct Video_ Video;

// Files that end in .png or .apng are animated PNG; others go through ffmpeg. Where that is not
// installed the video becomes animated PNG, its name gets .png, and a message on stderr says so.
// NULL after a message.
Video* video_open(const char* path, int width, int height, double rate);
bool video_add(Video* v, const Picture* p);  // false: the video cannot be written
// Finishes the file; its name in `name`. False after a message. Frees the video.
bool video_close(Video* v, char* name, int room);

// ---- video and contact sheet of a run

typedef struct RecorderOptions_ {
  const char *video, *sheet, *html, *camera;  // files, NULL: none; camera as for a studio
  int width, height;  // of the video; pictures on the sheet are half as large
  double rate;        // pictures per second of simulated time
} RecorderOptions;

typedef struct Recorder_ Recorder;

Recorder* recorder_open(const mjModel* m, const RecorderOptions* o, double duration);  // or NULL
// The first picture. Poses are computed in a copy of the data, so that a run has the same bits with
// and without pictures.
void recorder_begin(Recorder* r, const mjModel* m, const mjData* d);
void recorder_look(Recorder* r, const mjData* d,
                   double elapsed);  // simulated seconds since the start
// Writes the files and prints their names; false after a message. Frees the recorder.
bool recorder_close(Recorder* r);

// ---- terminals

// Shows a picture on stdout, at most `columns` wide: half blocks in 24-bit color, or the terminal's
// image protocol (kitty, sixel). NULL: detected from the environment. False after a message when
// the name is unknown.
bool terminal_show(const Picture* p, const char* way);
int terminal_columns(void);

#endif
