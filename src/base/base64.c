// Base64 (RFC 4648, section 4: with padding, without line breaks). The released library exports
// these three functions without declaring them.
#include "base/base.h"

MJAPI size_t mju_encodeBase64(char* buf, const uint8_t* data, size_t ndata);
MJAPI size_t mju_isValidBase64(const char* s);
MJAPI size_t mju_decodeBase64(uint8_t* buf, const char* s);

static const char kDigit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// -1 for a character outside of the alphabet.
static int digit_value(char c) {
  const char* at = c ? strchr(kDigit, c) : NULL;
  return at ? (int)(at - kDigit) : -1;
}

// Returns the bytes written, the closing zero included.
size_t mju_encodeBase64(char* buf, const uint8_t* data, size_t ndata) {
  size_t n = 0;
  for (size_t i = 0; i < ndata; i += 3) {
    size_t rest = ndata - i;
    uint32_t word = (uint32_t)data[i] << 16;
    if (rest > 1) word |= (uint32_t)data[i + 1] << 8;
    if (rest > 2) word |= data[i + 2];
    buf[n++] = kDigit[word >> 18];
    buf[n++] = kDigit[word >> 12 & 63];
    buf[n++] = rest > 1 ? kDigit[word >> 6 & 63] : '=';
    buf[n++] = rest > 2 ? kDigit[word & 63] : '=';
  }
  buf[n++] = 0;
  return n;
}

// Number of bytes that the text encodes; 0 when it is not valid Base64.
size_t mju_isValidBase64(const char* s) {
  size_t n = s ? strlen(s) : 0, pad = 0;
  if (!n || n % 4) return 0;
  if (s[n - 1] == '=') pad = s[n - 2] == '=' ? 2 : 1;
  for (size_t i = 0; i < n - pad; i++) {
    if (digit_value(s[i]) < 0) return 0;
  }
  return n / 4 * 3 - pad;
}

// Returns the bytes written; 0 when the text is not valid Base64.
size_t mju_decodeBase64(uint8_t* buf, const char* s) {
  size_t bytes = mju_isValidBase64(s);
  for (size_t i = 0, n = 0; n < bytes; i += 4) {
    uint32_t word = 0;
    for (int k = 0; k < 4; k++) {
      int digit = digit_value(s[i + (size_t)k]);
      word = word << 6 | (uint32_t)(digit < 0 ? 0 : digit);
    }
    for (int shift = 16; shift >= 0 && n < bytes; shift -= 8) buf[n++] = (uint8_t)(word >> shift);
  }
  return bytes;
}
