// The translations of what people read, one for each language.

#ifndef LATCHKEY_TEXTS_H
#define LATCHKEY_TEXTS_H

// A file of GNU gettext's portable objects.
struct latchkey_text {
  // The code of ISO 639, such as "de".
  const char *language;
  const unsigned char *bytes;
  long size;
};

// Returns a text by its place in the table; its language is NULL beyond the end.
struct latchkey_text latchkey_text(int index);

#endif
