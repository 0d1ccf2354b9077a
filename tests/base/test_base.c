// Room base: allocation and failures on demand, errors, faults, hash, names.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sinew/confine.h>

#include "base/base.h"

typedef void (*Handler)(const char*);
Handler _mjPRIVATE__get_tls_error_fn(void);
void _mjPRIVATE__set_tls_error_fn(Handler handler);
Handler _mjPRIVATE__get_tls_warning_fn(void);
void _mjPRIVATE__set_tls_warning_fn(Handler handler);

static char heard[2][1024];
static void hear_first(const char* text) { snprintf(heard[0], sizeof heard[0], "%s", text); }
static void hear_second(const char* text) { snprintf(heard[1], sizeof heard[1], "%s", text); }

static void test_memory(void** unused) {
  for (size_t bytes = 0; bytes < 300; bytes += 7) {
    char* block = memory_alloc_zero(bytes);
    assert_true((uintptr_t)block % 64 == 0);
    for (size_t i = 0; i < bytes; i++) assert_int_equal(block[i], 0);
    for (size_t i = 0; i < bytes; i++) block[i] = (char)i;
    block = memory_resize(block, bytes, 2 * bytes);
    for (size_t i = 0; i < bytes; i++) assert_int_equal(block[i], (char)i);
    memory_free(block);
  }
  assert_null(memory_alloc(SIZE_MAX - 10));
  memory_free(NULL);
}

static void test_injected_failure(void** unused) {
  memory_fail_at(2);
  void* first = memory_alloc(8);
  void* second = memory_alloc(8);
  void* third = memory_alloc(8);
  assert_non_null(first);
  assert_null(second);
  assert_non_null(third);
  memory_fail_at(1);
  assert_null(memory_resize(first, 8, 16));
  memory_fail_at(0);
  memory_free(first);
  memory_free(third);

  mju_user_error = hear_first;
  heard[0][0] = 0;
  memory_fail_at(1);
  assert_null(mju_malloc(10));
  memory_fail_at(0);
  assert_non_null(strstr(heard[0], "10 bytes"));
  mju_clearHandlers();
}

static int user_blocks;
static void* user_malloc(size_t bytes) {
  user_blocks++;
  return malloc(bytes);
}
static void user_free(void* block) {
  user_blocks--;
  free(block);
}

static void test_user_memory(void** unused) {
  void* before = memory_alloc(100);
  mju_user_malloc = user_malloc;
  mju_user_free = user_free;
  void* during = memory_alloc(100);
  void* documented = mju_malloc(100);
  assert_true((uintptr_t)during % 64 == 0);
  assert_int_equal(user_blocks, 2);
  mju_free(documented);
  assert_int_equal(user_blocks, 1);
  mju_clearHandlers();
  assert_null(mju_user_malloc);
  memory_free(during);  // goes back to where it came from
  assert_int_equal(user_blocks, 0);
  memory_free(before);
}

static void test_handlers(void** unused) {
  mju_user_error = hear_first;
  mju_error("number %d and %s", 7, "text");
  assert_string_equal(heard[0], "number 7 and text");
  mju_error_i("only %d", 3);
  assert_string_equal(heard[0], "only 3");
  mju_error_s("only %s", "words");
  assert_string_equal(heard[0], "only words");

  // the handler of the thread comes first
  assert_null(_mjPRIVATE__get_tls_error_fn());
  _mjPRIVATE__set_tls_error_fn(hear_second);
  assert_true(_mjPRIVATE__get_tls_error_fn() == hear_second);
  mju_error("for the thread");
  assert_string_equal(heard[0], "only words");
  assert_string_equal(heard[1], "for the thread");
  _mjPRIVATE__set_tls_error_fn(NULL);

  mju_user_warning = hear_first;
  mju_warning("warned %d", 1);
  assert_string_equal(heard[0], "warned 1");
  mju_warning_i("w %d", 2);
  assert_string_equal(heard[0], "w 2");
  mju_warning_s("w %s", "x");
  assert_string_equal(heard[0], "w x");
  _mjPRIVATE__set_tls_warning_fn(hear_second);
  mju_warning("thread");
  assert_string_equal(heard[1], "thread");
  assert_true(_mjPRIVATE__get_tls_warning_fn() == hear_second);
  _mjPRIVATE__set_tls_warning_fn(NULL);

  // a message longer than the buffer is cut, not overrun
  char text[5000];
  memset(text, 'a', sizeof text);
  text[sizeof text - 1] = 0;
  mju_error("%s", text);
  assert_int_equal(strlen(heard[0]), 1023);
  mju_clearHandlers();
  assert_null(mju_user_error);
  assert_null(mju_user_warning);
}

// What the two messages write to stderr, in `text`.
static void hear_stderr(char* text, size_t room) {
  fflush(stderr);
  int kept = dup(2), file = open("heard", O_RDWR | O_CREAT | O_TRUNC, 0600);
  dup2(file, 2);
  mju_error("nobody listens");
  mju_warning("nor here");
  fflush(stderr);
  dup2(kept, 2);
  ssize_t n = pread(file, text, room - 1, 0);
  text[n > 0 ? n : 0] = 0;
  close(file);
  close(kept);
  remove("heard");
}

static void test_log_file(void** unused) {
  char folder[] = "/tmp/sinew_log_XXXXXX", told[500];
  char* back = getcwd(NULL, 0);
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  // by default no file, but not silence either
  hear_stderr(told, sizeof told);
  assert_string_equal(told, "ERROR: nobody listens\nWARNING: nor here\n");
  assert_int_equal(access("MUJOCO_LOG.TXT", F_OK), -1);
  // never through a link, to a file that is there or not, nor into a pipe
  sn_writeLog(1);
  const char* const kinds[] = {"symbolic", "dangling", "hard", "pipe"};
  for (int i = 0; i < 4; i++) {
    FILE* precious = fopen("precious", "w");
    assert_non_null(precious);
    fclose(precious);
    int made = i == 0   ? symlink("precious", "MUJOCO_LOG.TXT")
               : i == 1 ? symlink("nothing", "MUJOCO_LOG.TXT")
               : i == 2 ? link("precious", "MUJOCO_LOG.TXT")
                        : mkfifo("MUJOCO_LOG.TXT", 0600);
    assert_int_equal(made, 0);
    hear_stderr(told, sizeof told);
    struct stat info;
    assert_int_equal(stat("precious", &info), 0);
    if (info.st_size) print_error("written through a %s link\n", kinds[i]);
    assert_int_equal(info.st_size, 0);
    assert_int_equal(access("nothing", F_OK), -1);
    remove("MUJOCO_LOG.TXT");
    remove("precious");
  }
  hear_stderr(told, sizeof told);
  sn_writeLog(0);
  hear_stderr(told, sizeof told);
  FILE* file = fopen("MUJOCO_LOG.TXT", "r");
  assert_non_null(file);
  char content[500] = "";
  size_t n = fread(content, 1, sizeof content - 1, file);
  content[n] = 0;
  fclose(file);
  assert_non_null(strstr(content, "ERROR: nobody listens"));
  assert_non_null(strstr(content, "WARNING: nor here"));
  assert_null(strstr(strstr(content, "nobody listens") + 1, "nobody listens"));
  remove("MUJOCO_LOG.TXT");
  assert_int_equal(chdir(back), 0);
  rmdir(folder);
  free(back);
}

static void test_fault(void** unused) {
  snFault fault = {0};
  assert_false(fault_raise(&fault, "first %d", 1));
  assert_false(fault_raise(&fault, "second"));
  assert_true(fault.raised);
  assert_string_equal(fault.text, "first 1");
  assert_false(fault_raise(NULL, "nowhere"));
}

static void test_hash(void** unused) {
  // fixed forever: golden hashes are made of it
  assert_true(hash_bytes("", 0, 0) == UINT64_C(0x0baaaf7f062b0c9d));
  assert_true(hash_bytes("sinew", 5, 1) == UINT64_C(0x7edefe27df2de7a3));
  unsigned char data[64];
  for (int i = 0; i < 64; i++) data[i] = (unsigned char)(i * 37);
  uint64_t reference = hash_bytes(data, 64, 1);
  assert_true(hash_bytes(data, 64, 1) == reference);
  assert_true(hash_bytes(data, 64, 2) != reference);
  assert_true(hash_bytes(data, 63, 1) != reference);
  int bits = 0;
  for (int i = 0; i < 512; i++) {
    data[i / 8] ^= (unsigned char)(1 << i % 8);
    uint64_t other = hash_bytes(data, 64, 1);
    assert_true(other != reference);
    bits += __builtin_popcountll(other ^ reference);
    data[i / 8] ^= (unsigned char)(1 << i % 8);
  }
  assert_true(bits > 512 * 30 && bits < 512 * 34);  // half of the bits change
}

static void test_clock(void** unused) {
  double a = clock_us(), b = clock_us();
  assert_true(b >= a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory),      cmocka_unit_test(test_injected_failure),
      cmocka_unit_test(test_user_memory), cmocka_unit_test(test_handlers),
      cmocka_unit_test(test_log_file),    cmocka_unit_test(test_fault),
      cmocka_unit_test(test_hash),        cmocka_unit_test(test_clock),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
