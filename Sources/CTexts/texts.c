// The compiler puts the files in as they are, so that an installed program needs no other file.

#include "texts.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char german[] = {
#embed "de.po"
};

static const struct latchkey_text texts[] = {
    {"de", german, sizeof german},
};

struct latchkey_text latchkey_text(int index) {
  struct latchkey_text none = {0, 0, 0};
  return index >= 0 && index < (int)(sizeof texts / sizeof texts[0]) ? texts[index] : none;
}
