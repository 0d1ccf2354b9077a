// Pictures as files: PNG, and for more than one picture animated PNG, which browsers and picture
// viewers play; programs that know PNG alone show the first.
//
//   snFilm* film = sn_makeFilm(640, 480, 30);
//   while (...) sn_addPicture(film, rgb);
//   sn_saveFilm(film, "run.png");
//   sn_freeFilm(film);
//
// Pictures are compressed when they are added; of each only the rectangle that changed.
#ifndef SINEW_FILM_H_
#define SINEW_FILM_H_

#include <mujoco/mujoco.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct snFilm_ snFilm;

// Pictures of `width` x `height`, `rate` of them a second (at least 0.01, at most 1000). NULL after
// mju_error when a number is out of range or memory is short.
MJAPI snFilm* sn_makeFilm(int width, int height, double rate);

// The next picture: height x width x 3 bytes, top row first. Returns 1, or 0 after mju_error.
MJAPI int sn_addPicture(snFilm* film, const unsigned char* rgb);

// The file as it stands: its size, and its bytes when `bytes` has room for them.
MJAPI size_t sn_filmBytes(const snFilm* film, unsigned char* bytes, size_t room);

// Write the file. Returns 1, or 0 with a message in `error`.
MJAPI int sn_saveFilm(const snFilm* film, const char* path, char* error, int error_sz);

// Free; NULL is nothing.
MJAPI void sn_freeFilm(snFilm* film);

#if defined(__cplusplus)
}
#endif
#endif
