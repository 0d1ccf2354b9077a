// Resource providers: sources of files whose name begins with "prefix:".
#include <ctype.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

#include "plugin/registry.h"

static snRegistry providers = {.entry_size = sizeof(mjpResourceProvider)};
static pthread_mutex_t providers_lock = PTHREAD_MUTEX_INITIALIZER;

void mjp_defaultResourceProvider(mjpResourceProvider* provider) {
  memset(provider, 0, sizeof *provider);
}

int mjp_resourceProviderCount(void) { return registry_count(&providers); }

// Slots count from 1; 0 means the file system.
const mjpResourceProvider* mjp_getResourceProviderAtSlot(int slot) {
  return registry_at(&providers, slot - 1);
}

// A prefix is a URI scheme: a letter, then letters, digits, '+', '-', '.'.
static bool provider_prefix_valid(const char* prefix) {
  if (!prefix || !isalpha((unsigned char)prefix[0])) return false;
  for (const char* c = prefix + 1; *c; c++) {
    if (!isalnum((unsigned char)*c) && !strchr("+-.", *c)) return false;
  }
  return true;
}

const mjpResourceProvider* mjp_getResourceProvider(const char* resource_name) {
  const char* colon = resource_name ? strchr(resource_name, ':') : NULL;
  if (!colon) return NULL;
  size_t length = (size_t)(colon - resource_name);
  int count = registry_count(&providers);
  for (int i = 0; i < count; i++) {
    const mjpResourceProvider* provider = registry_at(&providers, i);
    if (strlen(provider->prefix) == length &&
        !strncasecmp(provider->prefix, resource_name, length)) {
      return provider;
    }
  }
  return NULL;
}

static bool provider_same(const mjpResourceProvider* a, const mjpResourceProvider* b) {
  return !strcasecmp(a->prefix, b->prefix) && a->open == b->open && a->read == b->read &&
         a->close == b->close && a->getdir == b->getdir && a->modified == b->modified &&
         a->data == b->data;
}

int mjp_registerResourceProvider(const mjpResourceProvider* provider) {
  if (!provider || !provider_prefix_valid(provider->prefix)) {
    mju_warning("mjp_registerResourceProvider: prefix '%s' is not a valid URI scheme",
                provider && provider->prefix ? provider->prefix : "");
    return -1;
  }
  if (!provider->open || !provider->read || !provider->close) {
    mju_warning("mjp_registerResourceProvider: provider '%s' needs open, read and close",
                provider->prefix);
    return -1;
  }
  int slot = -1;
  bool clash = false;
  pthread_mutex_lock(&providers_lock);
  for (int i = 0; i < registry_count(&providers); i++) {
    const mjpResourceProvider* known = registry_at(&providers, i);
    if (!strcasecmp(known->prefix, provider->prefix)) {
      slot = i;
      clash = !provider_same(known, provider);
    }
  }
  if (slot < 0) {
    mjpResourceProvider copy = *provider;
    copy.prefix = registry_text(provider->prefix);
    if (copy.prefix) slot = registry_add(&providers, &copy);
    if (slot < 0) memory_free((void*)copy.prefix);
  }
  pthread_mutex_unlock(&providers_lock);
  if (clash) {
    mju_warning("mjp_registerResourceProvider: another provider of '%s' is registered",
                provider->prefix);
    return -1;
  }
  return slot < 0 ? -1 : slot + 1;
}
