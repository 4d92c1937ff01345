/* The search in compiled form: branch and bound over node counts; every candidate that it computes is exact.

   Its physics is that of `stowage.model`, operation by operation in the same order, so that results are the same bit
   for bit; tests compare them with `predict`. It uses + - * / min max and the C library's expm1, log1p and log, as the
   model does; logarithms, powers and quantiles that depend on the node count come as tables from the model. Compile
   without fast-math and without contraction of a * b + c.

   Bounds are computed in another order, from below, and compared with a slack that exceeds their rounding errors. */

#include "dominance.h"
#include "offers.h"
#include "stairs.h"
#include "turns.h"

/* Returns whether to search fewer nodes first. The fastest candidate is more likely among more nodes, and what is found
 * first bounds the rest. */
static int fewer_first(const Work *w) { return w->q->objective != BY_TIME; }

/* A half of a box on volumes. */
typedef struct {
  Box box;
  int64_t k, first, last;
  int64_t searched; /* a place that was searched already; -1: none */
  double promised;  /* estimate of the best value; -INFINITY: a single place, which has no bounds */
} Half;

/* Computes the bounds of a half; returns whether some of its candidates can still be listed. */
static int half_useful(Work *w, int32_t lane, const Box *around, Half *half) {
  const Lane *l = &w->q->lane[lane];
  int reason;
  half->promised = -INFINITY;
  if (half->last < w->from || half->first > w->until) return 0;
  if (half->first == half->last) return 1;
  Bound promised;
  if (box_useful(w, l, half->k, around, &half->box, &promised, &reason)) {
    half->promised = promised.value;
    return 1;
  }
  refuse_all(w, lane, reason, half->first, half->last);
  return 0;
}

/* Returns whether a box has several node counts so similar that what one of them has probably covers, on the frontier,
 * what the others have. */
static int is_similar(const Work *w, const Half *box) {
  return w->q->want_frontier && box->last - box->first >= 3 && w->nodes_high[box->k] <= w->nodes_low[box->k] * SIMILAR;
}

/* Searches a box on volumes in halves, the more promising one first. */
static void walk_on_volumes(Work *w, int32_t lane, const Half *whole) {
  if (w->failed) return;
  int64_t searched = whole->searched;
  if (whole->first == whole->last) {
    if (searched != whole->first) leaf_on_volumes(w, lane, whole->first);
    return;
  }
  if (is_similar(w, whole)) {
    if (searched < 0) {
      searched = whole->last < w->until ? whole->last : w->until;
      leaf_on_volumes(w, lane, searched);
    }
    if (!some_useful(w, lane, whole->k, &whole->box)) return;
  }
  int64_t middle = whole->first + (whole->last - whole->first) / 2;
  Half halves[2];
  int useful[2], reason;
  for (int i = 0; i < 2; i++) {
    halves[i].k = 2 * whole->k + i;
    halves[i].first = i ? middle + 1 : whole->first;
    halves[i].last = i ? whole->last : middle;
    halves[i].searched = halves[i].first <= searched && searched <= halves[i].last ? searched : -1;
    useful[i] = half_useful(w, lane, &whole->box, &halves[i]);
  }
  int one = halves[0].promised == halves[1].promised ? !fewer_first(w) : halves[1].promised < halves[0].promised;
  int64_t computed = w->r->computed;
  if (useful[one]) walk_on_volumes(w, lane, &halves[one]);
  if (!useful[!one]) return;
  const Half *other = &halves[!one];
  Bound unused;
  if (w->r->computed == computed || other->first == other->last ||
      still_useful(w, &w->q->lane[lane], other->k, &other->box, &unused, &reason))
    walk_on_volumes(w, lane, other);
  else
    refuse_all(w, lane, reason, other->first, other->last);
}

static void walk_without(Work *w, int32_t lane, int64_t k, int64_t first, int64_t last, Floor floor) {
  const Lane *l = &w->q->lane[lane];
  if (last < w->from || first > w->until || w->failed || all_bare(w, l, first, last)) return;
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

/* Returns whether some candidate of a box may be faster than all points of the frontier. */
static int may_be_fastest(const Work *w, const Box *box) {
  return w->q->want_frontier && w->r->frontier_size > 0 && least_s(&box->need) < w->front_time[0];
}

/* Finds the smallest box with all places of a lane on volumes that can be listed, and narrows the search to them;
 * returns 0 if there are none. */
static int whole_of(Work *w, int32_t lane, Half *whole) {
  const Lane *l = &w->q->lane[lane];
  for (int64_t k = 0;; k = whole->k) {
    Places box = box_around(w, w->from, w->until);
    if (box.k == k) return 1;
    whole->k = box.k;
    whole->first = box.first;
    whole->last = box.last;
    whole->searched = -1;
    if (!half_useful(w, lane, NULL, whole)) return 0;
    if (box.first == box.last) return 1;
    if (!narrow(w, l, box.k, &whole->box)) return 0;
  }
}

static void walk(Work *w, int32_t lane) {
  const Lane *l = &w->q->lane[lane];
  int64_t until = w->until;
  Half whole;
  w->from = l->first;
  w->until = l->last < until ? l->last : until;
  int some = w->from <= w->until;
  if (some && l->volume < 0) {
    Places box = box_around(w, w->from, w->until);
    walk_without(w, lane, box.k, box.first, box.last, (Floor){0});
  } else if (some && whole_of(w, lane, &whole)) {
    /* The fastest are among the most nodes: a few of them cover what would be found among fewer. Their place is
       searched twice, so not where candidates are counted. */
    if (!w->r->refused && whole.first < whole.last && may_be_fastest(w, &whole.box)) {
      w->resolved = COARSE;
      leaf_on_volumes(w, lane, w->until);
      w->resolved = w->q->resolved;
    }
    walk_on_volumes(w, lane, &whole);
  }
  w->until = until;
}

/* Searches what a lost dominating lane leaves of a lane: candidates that may be in time although the dominating ones,
 * which are no slower and cost no more, are too uncertain. */
static void walk_below(Work *w, int32_t lane, int32_t above) {
  const Problem *q = w->q;
  if (q->chance_z == -INFINITY) return;
  double surely = surely_s(w, &q->lane[above]);
  if (surely > q->relaxed_deadline_s) return;
  w->least_s = surely;
  Bound b = bound_of(w, &q->lane[lane], q->nodes[q->lane[lane].first], 0.0, 0.0, 0.0, 0.0);
  if (useful(w, &q->lane[lane], &b)) {
    w->until = doubtful_until(w, &q->lane[above]);
    walk(w, lane);
    w->until = q->places - 1;
  }
  w->least_s = 0.0;
}

/* Searches a lane after the one that dominates it. */
static void walk_after(Work *w, int32_t lane) {
  if (w->done[lane] || w->row[lane] < 0 || w->failed) return;
  w->done[lane] = 1;
  int32_t above = w->above[lane];
  if (above >= 0) walk_after(w, above);
  if (above >= 0 && is_lost(w, w->row[above]))
    walk_below(w, lane, above);
  else
    walk(w, lane);
}

/* Searches all lanes; returns 0 without enough memory. */
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
    for (int reason = 0; reason < REASONS && r->refused; reason++) r->refused[(int64_t)reason * q->lanes + i] = 0.0;
    if (r->refused) r->size[i] = candidates_in(w, l, l->first, l->last);
    w->row[i] = l->row;
  }
  w->resolved = q->resolved;
  w->until = q->places - 1;
  find_above(w);
  int32_t count = list_undominated(w, turns);
  for (int32_t i = 0; i < count; i++) walk_after(w, turns[i].lane);
  for (int32_t i = 0; i < q->lanes; i++) walk_after(w, i);
  free(turns);
  return 1;
}

/* Solves a search problem. Returns 0 if done, 1 without enough memory, 2 if the frontier has too many points. */
int stowage_search(const Problem *q, Result *r) {
  Work w = {.q = q, .r = r};
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
  Work w = {.q = q, .r = r, .stairs = s};
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
