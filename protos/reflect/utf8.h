/* Moved: sdk/base/utf8.h. */
#include "sdk/base/utf8.h"
