/* The search in compiled form: branch and bound over node counts; every candidate that it computes is exact.

   Its physics is that of `stowage.model`, operation by operation in the same order, so that results are the same bit
   for bit; tests compare them with `predict`. It uses + - * / min max and the C library's expm1, log1p and log, as the
   model does; logarithms, powers and quantiles that depend on the node count come as tables from the model. Compile
   without fast-math and without contraction of a * b + c.

   Bounds are computed in another order, from below, and compared with a slack that exceeds their rounding errors. */

#include "stairs.h"

/* Counts all candidates of a lane in a box as excluded by a limit. */
static void refuse_all(Work *w, int32_t lane, int reason, int64_t first, int64_t last) {
  const Lane *l = &w->q->lane[lane];
  int64_t from = first < l->first ? l->first : first, to = last > l->last ? l->last : last;
  if (reason != NONE) refuse(w, lane, reason, candidates_in(w, l, from, to));
}

/* Returns whether to search fewer nodes first. The fastest candidate is more likely among more nodes, and what is found
 * first bounds the rest. */
static int fewer_first(const Work *w) { return w->q->objective != BY_TIME; }

static void walk_on_volumes(Work *w, int32_t lane, int64_t k, int64_t first, int64_t last, const Box *around) {
  const Lane *l = &w->q->lane[lane];
  if (last < l->first || first > l->last || w->failed) return;
  /* A single place is computed without a bound. */
  if (first == last) {
    leaf_on_volumes(w, lane, first);
    return;
  }
  Box box;
  int reason;
  if (!box_useful(w, l, k, around, &box, &reason)) {
    refuse_all(w, lane, reason, first, last);
    return;
  }
  int64_t middle = first + (last - first) / 2;
  if (fewer_first(w)) walk_on_volumes(w, lane, 2 * k, first, middle, &box);
  walk_on_volumes(w, lane, 2 * k + 1, middle + 1, last, &box);
  if (!fewer_first(w)) walk_on_volumes(w, lane, 2 * k, first, middle, &box);
}

static void walk_without(Work *w, int32_t lane, int64_t k, int64_t first, int64_t last, Floor floor) {
  const Lane *l = &w->q->lane[lane];
  if (last < l->first || first > l->last || w->failed || all_bare(w, l, first, last)) return;
  int reason;
  if (!floor_useful(w, l, k, &floor, &reason)) {
    refuse_all(w, lane, reason, first, last);
    return;
  }
  if (first == last) {
    View v = exact_view(w, l, first);
    Fixed fixed;
    fixed_at(w, l, &v, &fixed);
    visit(w, lane, first, &v, &fixed, 0, 0, NULL);
    return;
  }
  int64_t middle = first + (last - first) / 2;
  if (fewer_first(w)) walk_without(w, lane, 2 * k, first, middle, floor);
  walk_without(w, lane, 2 * k + 1, middle + 1, last, floor);
  if (!fewer_first(w)) walk_without(w, lane, 2 * k, first, middle, floor);
}

static void walk(Work *w, int32_t lane) {
  if (w->q->lane[lane].volume < 0)
    walk_without(w, lane, 1, 0, w->leaves - 1, (Floor){0});
  else
    walk_on_volumes(w, lane, 1, 0, w->leaves - 1, NULL);
}

typedef struct {
  double lowest;
  int32_t lane;
} Turn;

static int earlier(const void *a, const void *b) {
  const Turn *one = a, *other = b;
  if (one->lowest != other->lowest) return one->lowest < other->lowest ? -1 : 1;
  return (one->lane > other->lane) - (one->lane < other->lane);
}

/* Searches all lanes, the most promising first; returns 0 without enough memory. */
static int search_lanes(Work *w) {
  const Problem *q = w->q;
  Result *r = w->r;
  Turn *turns = malloc((size_t)(q->lanes + 1) * sizeof(Turn));
  if (!turns || !prepare(w)) {
    free(turns);
    return 0;
  }
  for (int32_t i = 0; i < q->lanes; i++) {
    const Lane *l = &q->lane[i];
    for (int reason = 0; reason < REASONS; reason++) r->refused[(int64_t)reason * q->lanes + i] = 0.0;
    r->size[i] = candidates_in(w, l, l->first, l->last);
    turns[i].lane = i;
    /* Find the smallest box of the tree that contains the lane. */
    int64_t k = 1, first = 0, last = w->leaves - 1;
    while (first < last) {
      int64_t middle = first + (last - first) / 2;
      if (l->last <= middle) {
        k = 2 * k;
        last = middle;
      } else if (l->first > middle) {
        k = 2 * k + 1;
        first = middle + 1;
      } else
        break;
    }
    turns[i].lowest = INFINITY;
    if (l->row >= 0) turns[i].lowest = promise(w, l, k);
  }
  qsort(turns, (size_t)q->lanes, sizeof(Turn), earlier);
  for (int32_t i = 0; i < q->lanes && !w->failed; i++)
    if (q->lane[turns[i].lane].row >= 0) walk(w, turns[i].lane);
  free(turns);
  return 1;
}

/* Solves a search problem. Returns 0 if done, 1 without enough memory, 2 if the frontier has too many points. */
int stowage_search(const Problem *q, Result *r) {
  Work w = {.q = q, .r = r, .beating_time = INFINITY, .beating_cost = INFINITY};
  r->frontier_size = r->computed = r->boxes = 0;
  int done = search_lanes(&w);
  if (done) {
    r->threshold = threshold(&w);
    for (int64_t i = 0; i < r->frontier_size; i++) r->frontier_order[i] = w.front_slot[i];
  }
  finish(&w);
  return !done ? 1 : w.failed ? 2 : 0;
}

/* Finds the best rows under many limits. Returns 0 if done, 1 without enough memory, 2 if there is too much to compute
 * or to store. */
int stowage_stairs(const Problem *q, Result *r, Stairs *s) {
  Work w = {.q = q, .r = r, .stairs = s, .beating_time = INFINITY, .beating_cost = INFINITY};
  r->frontier_size = r->computed = r->boxes = 0;
  begin_stairs(s);
  int done = search_lanes(&w);
  if (done && !w.failed) complete(&w);
  finish(&w);
  return !done ? 1 : w.failed ? 2 : 0;
}

int64_t stowage_sizes_of_stairs(int which) { return which == 0 ? (int64_t)sizeof(Stair) : (int64_t)sizeof(Stairs); }

int64_t stowage_sizes(int which) {
  switch (which) {
    case 0:
      return sizeof(Lane);
    case 1:
      return sizeof(Offer);
    case 2:
      return sizeof(VolumeType);
    case 3:
      return sizeof(Problem);
    case 4:
      return sizeof(Result);
    default:
      return sizeof(Candidate);
  }
}
