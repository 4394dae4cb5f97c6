/* Scheduling of the service while a session asks for a better one: the best of all wins. */
#ifndef ORMA_TRACED_SESSIONS_BOOST_H
#define ORMA_TRACED_SESSIONS_BOOST_H

struct traced_service;

/*
 * Applies what the sessions that exist ask for together; with none of them the
 * ordinary policy. -EPERM and others: it can't be had, and nothing has changed.
 */
int traced_boost_update(struct traced_service *service);
#endif
