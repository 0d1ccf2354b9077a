// sinew view MODEL: the page with a model in it, on a loopback port. HTTP and WebSocket are
// libwebsockets'; without it at build time the command says how to get it.
//
// A browser runs pages of strangers, so whoever asks must know the address: a random token is its
// first folder, a WebSocket must come from this page (Origin), nothing but GET is answered, and of
// files only the page and those in the model's folder.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "web_page.h"
#include "sinew.h"

const char help_view[] =
    "Shows MODEL in a browser, where it can be run, pushed, changed and saved: serves a\n"
    "page on a loopback port and opens it, or prints its address. The page loads the\n"
    "model again when one of its files changes. Ctrl-C ends it.\n\n"
    "  --port N              the port (default: any that is free)\n"
    "  --no-open             print the address alone\n\n"
    "Over ssh: run it there, forward the port as it says, open the address here. Files\n"
    "in the folder of MODEL are served to those who know the address, no others.\n";

#ifndef SINEW_WITH_WEBSOCKETS

int command_view(int argc, char** argv) {
  fprintf(stderr,
          "sinew view: this build has no web server. Install libwebsockets-dev and build again\n"
          "(apt-get install libwebsockets-dev; make build), or use Python:\n"
          "  pip install 'sinew[viewer]'; python -m sinew.viewer MODEL\n");
  return 1;
}

#else

#include <errno.h>
#include <fcntl.h>
#include <libwebsockets.h>
#include <limits.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOKEN = 32, MOST_WATCHED = 4096, PERIOD_US = 400000, MOST_RECEIVED = 1 << 16 };
static const long long kLargestFile = 1LL << 30;

typedef struct Watched_ {
  char* path;
  struct timespec changed;
} Watched;

typedef struct Server_ {
  char token[TOKEN + 1];
  char page[PATH_MAX], folder[PATH_MAX], model[PATH_MAX];
  int port;
  struct lws_context* context;
  const struct lws_protocols* protocol;
  lws_sorted_usec_list_t timer;
  Watched watched[MOST_WATCHED];
  int nwatched;
  unsigned version;  // counts changes
} Server;

// of one connection
typedef struct Session_ {
  unsigned seen;  // the version that its page knows
  size_t received;
} Session;

static volatile sig_atomic_t stopped;
static void on_signal(int number) { stopped = 1; }

// ---- files

static bool is_file(const char* path, struct stat* info) {
  return !stat(path, info) && S_ISREG(info->st_mode);
}

// The file of the model's folder by its name there; links are followed first, then it must be
// inside.
static bool find_file(const Server* s, const char* name, char* path) {
  char joined[2 * PATH_MAX];
  struct stat info;
  size_t n = strlen(s->folder);
  snprintf(joined, sizeof joined, "%s/%s", s->folder, name);
  if (!realpath(joined, path)) return false;
  if (strncmp(path, s->folder, n) || (n > 1 && path[n] != '/')) return false;
  return is_file(path, &info) && info.st_size <= kLargestFile;
}

static void watch(Server* s, const char* path) {
  struct stat info;
  if (stat(path, &info)) return;
  for (int i = 0; i < s->nwatched; i++) {
    if (!strcmp(s->watched[i].path, path)) return;
  }
  if (s->nwatched == MOST_WATCHED) return;
  char* copy = strdup(path);
  if (copy) s->watched[s->nwatched++] = (Watched){copy, info.st_mtim};
}

static void look(lws_sorted_usec_list_t* timer) {
  Server* s = lws_container_of(timer, Server, timer);
  bool changed = false;
  for (int i = 0; i < s->nwatched; i++) {
    struct stat info;
    Watched* w = s->watched + i;
    // a file that an editor is just replacing may be gone for a moment
    if (stat(w->path, &info) || !memcmp(&info.st_mtim, &w->changed, sizeof w->changed)) continue;
    w->changed = info.st_mtim;
    changed = true;
  }
  if (changed) {
    s->version++;
    lws_callback_on_writable_all_protocol(s->context, s->protocol);
  }
  lws_sul_schedule(s->context, 0, &s->timer, look, PERIOD_US);
}

// ---- HTTP

static const char kHeaders[] =
    "x-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\n"
    "cross-origin-resource-policy: same-origin\r\nx-frame-options: DENY\r\ncache-control: "
    "no-store\r\n"
    "content-security-policy: default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; "
    "style-src 'unsafe-inline'; connect-src 'self' data: ws:; img-src 'self' data: blob:; "
    "media-src blob:\r\n";

static int refuse(struct lws* wsi, unsigned status) {
  lws_return_http_status(wsi, status, NULL);
  return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int send_file(struct lws* wsi, const char* path, const char* type) {
  int said = lws_serve_http_file(wsi, path, type, kHeaders, sizeof kHeaders - 1);
  return said < 0 || (said > 0 && lws_http_transaction_completed(wsi)) ? -1 : 0;
}

// A string of JSON: quotes, backslashes and control characters are escaped.
static void quote(char* to, size_t room, const char* text) {
  size_t n = 0;
  for (; *text && n + 8 < room; text++) {
    unsigned char c = (unsigned char)*text;
    if (c < 32 || c == '"' || c == '\\' || c == '<') {
      n += (size_t)snprintf(to + n, room - n, "\\u%04x", c);
    } else {
      to[n++] = (char)c;
    }
  }
  to[n] = 0;
}

static int send_start(const Server* s, struct lws* wsi) {
  unsigned char block[LWS_PRE + 8192], *begin = block + LWS_PRE, *at = begin,
                                       *end = block + sizeof block;
  char name[4096], body[5000];
  quote(name, sizeof name, s->model);
  int n = snprintf(body, sizeof body, "{\"served\":\"%s\"}", name);
  if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, "application/json", (lws_filepos_t)n, &at,
                                  end) ||
      lws_finalize_write_http_header(wsi, begin, &at, end)) {
    return -1;
  }
  unsigned char answer[LWS_PRE + sizeof body];
  memcpy(answer + LWS_PRE, body, (size_t)n);
  if (lws_write(wsi, answer + LWS_PRE, (size_t)n, LWS_WRITE_HTTP_FINAL) != n) return -1;
  return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int answer(Server* s, struct lws* wsi, const char* uri) {
  if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0) return refuse(wsi, 405);
  // every character of the token is compared, so that time tells nothing about it
  unsigned differs = strlen(uri) < TOKEN + 2 || uri[0] != '/' || uri[TOKEN + 1] != '/';
  for (int i = 0; !(strlen(uri) < TOKEN + 2) && i < TOKEN; i++) {
    differs |= (unsigned)(uri[1 + i] ^ s->token[i]);
  }
  if (differs) return refuse(wsi, 404);
  uri += TOKEN + 2;
  char path[PATH_MAX];
  if (!*uri) return send_file(wsi, s->page, "text/html; charset=utf-8");
  if (!strcmp(uri, "start.json")) return send_start(s, wsi);
  if (strncmp(uri, "file/", 5) || !find_file(s, uri + 5, path)) return refuse(wsi, 404);
  watch(s, path);
  return send_file(wsi, path, "application/octet-stream");
}

// ---- WebSocket: one word when the model has changed

// The page's own address as browsers name it.
static bool own_origin(struct lws* wsi) {
  char said[256], own[64];
  static const char* const kHosts[] = {"127.0.0.1", "localhost", "[::1]"};
  if (lws_hdr_copy(wsi, said, sizeof said, WSI_TOKEN_ORIGIN) <= 0) return false;
  for (size_t i = 0; i < sizeof kHosts / sizeof *kHosts; i++) {
    // over ssh the port here may be another one there: the host and a port are what is asked for
    snprintf(own, sizeof own, "http://%s:", kHosts[i]);
    size_t n = strlen(own);
    if (!strncmp(said, own, n) && said[n] && strspn(said + n, "0123456789") == strlen(said + n)) {
      return true;
    }
  }
  return false;
}

static bool own_address(const Server* s, struct lws* wsi) {
  char uri[TOKEN + 16], expected[TOKEN + 16];
  if (lws_hdr_copy(wsi, uri, sizeof uri, WSI_TOKEN_GET_URI) <= 0) return false;
  snprintf(expected, sizeof expected, "/%s/socket", s->token);
  return !strcmp(uri, expected);
}

static int tell_changed(const Server* s, struct lws* wsi, Session* session) {
  unsigned char text[LWS_PRE + 16];
  session->seen = s->version;
  memcpy(text + LWS_PRE, "changed", 7);
  return lws_write(wsi, text + LWS_PRE, 7, LWS_WRITE_TEXT) == 7 ? 0 : -1;
}

// One protocol for both: a WebSocket that names none gets the first.
static int on_event(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in,
                    size_t len) {
  Server* s = lws_context_user(lws_get_context(wsi));
  Session* session = user;
  switch (reason) {
    case LWS_CALLBACK_HTTP:
      return answer(s, wsi, in);
    case LWS_CALLBACK_HTTP_BODY:
      return -1;  // nobody sends anything here
    case LWS_CALLBACK_HTTP_FILE_COMPLETION:
      return lws_http_transaction_completed(wsi) ? -1 : 0;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
      return own_origin(wsi) && own_address(s, wsi) ? 0 : -1;
    case LWS_CALLBACK_ESTABLISHED:
      session->seen = s->version;
      session->received = 0;
      return 0;
    case LWS_CALLBACK_RECEIVE:
      session->received += len;
      return session->received > MOST_RECEIVED ? -1 : 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
      return session->seen == s->version ? 0 : tell_changed(s, wsi, session);
    default:
      return lws_callback_http_dummy(wsi, reason, user, in, len);
  }
}

// ---- start

static bool make_token(char* token) {
  unsigned char bytes[TOKEN / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
  for (size_t i = 0; i < sizeof bytes; i++) snprintf(token + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

static bool split_path(Server* s, const char* path) {
  char whole[PATH_MAX];
  struct stat info;
  if (!realpath(path, whole) || !is_file(whole, &info)) {
    fprintf(stderr, "sinew view: %s: %s\n", path, errno ? strerror(errno) : "not a file");
    return false;
  }
  char* slash = strrchr(whole, '/');
  snprintf(s->model, sizeof s->model, "%s", slash + 1);
  *slash = 0;
  snprintf(s->folder, sizeof s->folder, "%s", whole[0] ? whole : "/");
  return true;
}

static void open_browser(const char* address) {
  pid_t child = fork();
  if (child) return;
  int nothing = open("/dev/null", O_RDWR);
  if (nothing >= 0) dup2(nothing, 1), dup2(nothing, 2);
  execlp("xdg-open", "xdg-open", address, (char*)NULL);
  _exit(127);
}

static void announce(const Server* s, bool open) {
  char address[128];
  snprintf(address, sizeof address, "http://127.0.0.1:%d/%s/", s->port, s->token);
  printf("%s\n", address);
  bool far = getenv("SSH_CONNECTION") != NULL;
  bool display = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
  if (far) {
    printf("over ssh, on the machine with the browser: ssh -N -L %d:127.0.0.1:%d %s\n", s->port,
           s->port, "HOST");
  }
  printf("Ctrl-C ends it\n");
  fflush(stdout);
  if (open && display && !far) open_browser(address);
}

int command_view(int argc, char** argv) {
  const char* path = NULL;
  bool open = true;
  int port = 0;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--no-open")) {
      open = false;
    } else if (!strcmp(argv[i], "--port")) {
      char* end = NULL;
      long value = i + 1 < argc ? strtol(argv[++i], &end, 10) : 0;
      if (!end || *end || value < 1 || value > 65535) {
        return wrong_usage("view", "--port: expected a number from 1 to 65535");
      }
      port = (int)value;
    } else if (argv[i][0] == '-' || path) {
      return wrong_usage("view", "unexpected argument '%s'", argv[i]);
    } else {
      path = argv[i];
    }
  }
  if (!path) return wrong_usage("view", "expected a model");
  static Server server;
  Server* s = &server;
  errno = 0;
  if (!split_path(s, path)) return 1;
  if (!web_page_find("view", s->page)) return 1;
  if (!make_token(s->token)) return 1;
  static const struct lws_protocols protocols[] = {
      {"sinew", on_event, sizeof(Session), 4096, 0, NULL, 0},
      {NULL, NULL, 0, 0, 0, NULL, 0},
  };
  s->protocol = protocols;
  lws_set_log_level(LLL_ERR, NULL);
  struct lws_context_creation_info info = {.port = port,
                                           .iface = "127.0.0.1",
                                           .protocols = protocols,
                                           .user = s,
                                           .gid = (gid_t)-1,
                                           .uid = (uid_t)-1,
                                           .vhost_name = "sinew",
                                           .options = LWS_SERVER_OPTION_DISABLE_IPV6};
  s->context = lws_create_context(&info);
  struct lws_vhost* host = s->context ? lws_get_vhost_by_name(s->context, "sinew") : NULL;
  s->port = host ? lws_get_vhost_listen_port(host) : 0;
  if (s->port <= 0) {
    fprintf(stderr, "sinew view: port %d of 127.0.0.1 could not be opened\n", port);
    if (s->context) lws_context_destroy(s->context);
    return 1;
  }
  signal(SIGINT, on_signal);
  signal(SIGTERM, on_signal);
  announce(s, open);
  lws_sul_schedule(s->context, 0, &s->timer, look, PERIOD_US);
  while (!stopped && lws_service(s->context, 0) >= 0) {
  }
  lws_context_destroy(s->context);
  for (int i = 0; i < s->nwatched; i++) free(s->watched[i].path);
  return 0;
}

#endif
