/*
 * The viewer's page as it is in the program: made of tools/view/dist by embed.py.
 */
#ifndef ORMA_TOOLS_VIEW_PAGE_H
#define ORMA_TOOLS_VIEW_PAGE_H
#include "processor/view/view.h"

extern const struct orma_view_page orma_view_page;
#endif
