/* Moved: sdk/base/base64.h. */
#include "sdk/base/base64.h"
