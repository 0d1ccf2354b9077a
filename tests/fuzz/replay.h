// Runs a fuzz target over the files of its corpus, so that faults once found stay fixed.
#ifndef SINEW_TESTS_FUZZ_REPLAY_H_
#define SINEW_TESTS_FUZZ_REPLAY_H_

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Returns the number of files run.
static int replay(const char* folder, int (*target)(const uint8_t*, size_t)) {
  DIR* dir = opendir(folder);
  if (!dir) return 0;
  int count = 0;
  for (struct dirent* entry = readdir(dir); entry; entry = readdir(dir)) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    FILE* file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
    if (!file) continue;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    uint8_t* bytes = malloc(size > 0 ? (size_t)size : 1);
    if (bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size) {
      target(bytes, (size_t)size);
      count++;
    }
    free(bytes);
    fclose(file);
  }
  closedir(dir);
  return count;
}

#endif
