/* The order in which lanes are searched: what is found first bounds the rest. */

#ifndef STOWAGE_TURNS_H
#define STOWAGE_TURNS_H

#include <stdlib.h>

#include "bounds.h"

/* Estimates the best candidate in a box on volumes. */
static Bound promised(Work *w, const Lane *l, int64_t k, const Box *box) {
  int bins;
  Relaxed x = relaxed_of(w, l, k, box, &bins);
  int knee = knee_of(&x, bins);
  return relaxed_bound(&x, knee, knee);
}

/* Estimates the best candidate in a box. The most promising lanes are searched first, and bound the others. */
static Bound promise(Work *w, const Lane *l, int64_t k) {
  Box box;
  box_of(w, l, k, &box);
  if (l->volume >= 0) return promised(w, l, k, &box);
  return bound_of(w, l, w->nodes_low[k], w->charges_low[k], least_s(&box.node_need), least_s(&box.need), 0.0);
}

/* Estimates the best candidate at one node count. */
static Bound promise_at(Work *w, const Lane *l, int64_t place) {
  const Problem *q = w->q;
  View v = exact_view(w, l, place);
  Need need;
  Rates rates;
  Link link = {0};
  rates_of(q, l, &v, &rates);
  if (l->volume >= 0) link_of(q, l, &v, &link);
  need_of(w, l, &v, &rates, &link, &need, NULL);
  const double *charges = q->charges + ((int64_t)l->klass * q->places + place) * 2;
  double n = q->nodes[place], charged = charges[0] + charges[1];
  if (l->volume < 0) return bound_of(w, l, n, charged, n * least_s(&need), least_s(&need), 0.0);
  int bins;
  const VolumeType *t = &q->volume[l->volume];
  const double *envelope = envelope_of(w, l, t, &bins);
  Relaxed x = {w, l, t, envelope, &need, NULL, n, charged, q->held_mb[place] / (n * q->mb_per_gib)};
  int knee = knee_of(&x, bins);
  return relaxed_bound(&x, knee, knee);
}

/* Number of lanes that each estimate brings forward. */
enum { FORWARD = 5 };

typedef struct {
  double lowest;
  int32_t lane, rank; /* rank: among the lanes brought forward; 2 * FORWARD for all others */
} Turn;

static int earlier(const void *a, const void *b) {
  const Turn *one = a, *other = b;
  if (one->rank != other->rank) return one->rank < other->rank ? -1 : 1;
  if (one->lowest != other->lowest) return one->lowest < other->lowest ? -1 : 1;
  return (one->lane > other->lane) - (one->lane < other->lane);
}

/* A box of the tree, and its places. */
typedef struct {
  int64_t k, first, last;
} Places;

/* Returns the smallest box with all places of a range. */
static Places box_around(const Work *w, int64_t first, int64_t last) {
  Places box = {1, 0, w->leaves - 1};
  while (box.first < box.last) {
    int64_t middle = box.first + (box.last - box.first) / 2;
    if (first <= middle && last > middle) break;
    box.k = 2 * box.k + (first > middle);
    if (first > middle)
      box.first = middle + 1;
    else
      box.last = middle;
  }
  return box;
}

/* The lanes with the lowest estimates so far, in order. */
typedef struct {
  double estimate[FORWARD];
  int32_t turn[FORWARD], size;
} Leaders;

static void note_leader(Leaders *of, double estimate, int32_t turn) {
  int at = of->size;
  if (at < FORWARD)
    of->size++;
  else if (estimate >= of->estimate[--at])
    return;
  for (; at > 0 && of->estimate[at - 1] > estimate; at--) {
    of->estimate[at] = of->estimate[at - 1];
    of->turn[at] = of->turn[at - 1];
  }
  of->estimate[at] = estimate;
  of->turn[at] = turn;
}

static void bring_forward(Turn *turns, const Leaders *of, int32_t behind) {
  for (int32_t i = 0; i < of->size; i++)
    if (turns[of->turn[i]].rank > behind + i) turns[of->turn[i]].rank = behind + i;
}

/* Brings the lanes forward that cost least for their speed at some node count, then those that cost least there. Few
 * lanes have all points of the frontier. */
static void lead_at(Work *w, Turn *turns, int32_t count, int64_t place) {
  Leaders cheapest = {.size = 0}, fastest = {.size = 0};
  for (int32_t i = 0; i < count; i++) {
    const Lane *l = &w->q->lane[turns[i].lane];
    if (l->first > place || l->last < place) continue;
    Bound b = promise_at(w, l, place);
    double cost = weighed_cost(w->q, b.cost_usd, b.value);
    note_leader(&cheapest, cost, i);
    note_leader(&fastest, cost * b.time_s, i);
  }
  bring_forward(turns, &fastest, 0);
  bring_forward(turns, &cheapest, FORWARD);
}

/* Lists the lanes that no other dominates, the most promising ones first. */
static int32_t list_undominated(Work *w, Turn *turns) {
  int32_t count = 0;
  for (int32_t i = 0; i < w->q->lanes; i++) {
    if (w->row[i] < 0 || w->above[i] >= 0) continue;
    const Lane *l = &w->q->lane[i];
    turns[count++] = (Turn){promise(w, l, box_around(w, l->first, l->last).k).value, i, 2 * FORWARD};
  }
  for (int64_t place = w->leaves / 2; place > 1 && w->q->want_frontier; place /= 12)
    if (place < w->q->places) lead_at(w, turns, count, place);
  qsort(turns, (size_t)count, sizeof(Turn), earlier);
  return count;
}

#endif
