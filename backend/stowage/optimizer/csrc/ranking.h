/* The best candidate of each row, and the Pareto frontier. */

#ifndef STOWAGE_RANKING_H
#define STOWAGE_RANKING_H

#include "search.h"

static int before(const Problem *q, const Candidate *a, const Candidate *b) {
  if (a->value9 != b->value9) return a->value9 < b->value9;
  if (q->objective == BY_TIME && a->cost9 != b->cost9) return a->cost9 < b->cost9;
  if (a->nodes != b->nodes) return a->nodes < b->nodes;
  if (a->time9 != b->time9) return a->time9 < b->time9;
  for (int i = 0; i < LAYOUT; i++)
    if (a->layout[i] != b->layout[i]) return a->layout[i] < b->layout[i];
  return 0;
}

static double threshold(const Work *w) {
  return w->q->most_rows <= 0 || w->top_size < w->q->most_rows ? INFINITY : w->top[w->top_size - 1];
}

/* Returns whether a row that was searched, or needs not be, is certainly not among the first. */
static int is_lost(const Work *w, int32_t row) {
  double most = threshold(w) * (1.0 + 2.0 * TIE);
  return isfinite(most) && w->best_value[row] > most;
}

static void keep_row(Work *w, const Candidate *found) {
  int32_t row = w->q->lane[found->lane].row;
  Candidate *best = &w->r->best[row];
  if (best->lane >= 0 && !before(w->q, found, best)) return;
  int known = best->lane >= 0;
  *best = *found;
  w->best_value[row] = found->value9;
  if (w->q->most_rows <= 0) return;
  int at = w->top_size;
  if (known)
    for (int i = 0; i < w->top_size; i++)
      if (w->top_row[i] == row) {
        at = i;
        break;
      }
  if (at == w->top_size) {
    if (w->top_size == w->q->most_rows) {
      if (found->value9 >= w->top[at - 1]) return;
      at--;
    } else {
      w->top_size++;
    }
  }
  while (at > 0 && w->top[at - 1] > found->value9) {
    w->top[at] = w->top[at - 1];
    w->top_row[at] = w->top_row[at - 1];
    at--;
  }
  w->top[at] = found->value9;
  w->top_row[at] = row;
}

/* Returns the cost on the frontier: of a month if that is the objective, else of a run. */
static inline double weighed_cost(const Problem *q, double cost, double value) {
  return q->objective == BY_MONTH ? value : cost;
}

/* Returns the first point of the frontier that takes longer than a time. Points are sorted by time, each cheaper than
 * the one before it. */
static int64_t slower_than(Work *w, double time9) {
  const double *times = w->front_time;
  int64_t size = w->r->frontier_size, low = w->finger < size ? w->finger : size, high, step = 1;
  /* Successive calls have similar arguments: gallop from the last result. */
  if (low < size && times[low] <= time9) {
    high = low + 1;
    while (high < size && times[high] <= time9) {
      low = high;
      high += step;
      step *= 2;
    }
    if (high > size) high = size;
    low++;
  } else {
    high = low;
    while (low > 0 && times[low - 1] > time9) {
      high = low - 1;
      low -= step;
      step *= 2;
      if (low < 0) low = 0;
    }
  }
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (times[middle] <= time9)
      low = middle + 1;
    else
      high = middle;
  }
  w->finger = low;
  return low;
}

/* Returns the cell of a time. */
static inline int32_t cell_of(double time_s) {
  int64_t bits;
  memcpy(&bits, &time_s, sizeof bits);
  int64_t cell = (bits >> (52 - CELL_BITS)) - FIRST_CELL;
  return cell < 0 ? 0 : cell < CELLS ? (int32_t)cell : CELLS - 1;
}

/* Returns the cost from which on the frontier covers candidates that take so long. */
static inline double covered_from(Work *w, double time_s) {
  int64_t at = slower_than(w, time_s);
  return at > 0 ? w->front_cost[at - 1] : INFINITY;
}

/* Returns whether a point of the frontier is as fast and as cheap as this. */
static int covered(Work *w, double time_s, double usd) {
  const double *least = w->front_least + cell_of(time_s);
  if (least[0] <= usd) return 1;
  if (least[1] > usd) return 0;
  return covered_from(w, time_s) <= usd;
}

static void move_front(Work *w, int64_t to, int64_t from, int64_t count) {
  memmove(w->front_time + to, w->front_time + from, (size_t)count * sizeof(double));
  memmove(w->front_cost + to, w->front_cost + from, (size_t)count * sizeof(double));
  memmove(w->front_slot + to, w->front_slot + from, (size_t)count * sizeof(int32_t));
}

/* Moves all points to the middle of their memory, which is twice as large as the frontier may be. */
static void recentre(Work *w, int64_t size) {
  int64_t away = w->front_memory + (2 * w->r->most_frontier + 2 - size) / 2 - w->front_time;
  move_front(w, away, 0, size);
  w->front_time += away;
  w->front_cost += away;
  w->front_slot += away;
}

/* Opens a gap. The shorter side moves: most new points are near the ends, and there may be a hundred thousand points.
 */
static void make_room(Work *w, int64_t at) {
  Result *r = w->r;
  int64_t size = r->frontier_size++;
  double *end = w->front_memory + 2 * r->most_frontier + 2;
  if (w->front_time == w->front_memory || w->front_time + size == end) recentre(w, size);
  if (at < size / 2) {
    w->front_time--;
    w->front_cost--;
    w->front_slot--;
    move_front(w, 0, 1, at);
  } else {
    move_front(w, at + 1, at, size - at);
  }
}

static void keep_point(Work *w, const Candidate *found) {
  Result *r = w->r;
  int64_t at = slower_than(w, found->time9), size = r->frontier_size;
  double cost9 = weighed_cost(w->q, found->cost9, found->value9);
  if (at > 0) {
    if (w->front_cost[at - 1] <= cost9) return;
    if (w->front_time[at - 1] == found->time9) at--;
  }
  int64_t end = at;
  while (end < size && w->front_cost[end] >= cost9) end++;
  int64_t gone = end - at;
  int32_t slot;
  if (gone == 0) {
    if (size == r->most_frontier) {
      w->failed = 1;
      return;
    }
    slot = w->spare_slot[--w->spares];
    make_room(w, at);
  } else {
    /* The new point takes the slot of one beaten point; the slots of the others become free. */
    slot = w->front_slot[at];
    for (int64_t i = at + 1; i < end; i++) w->spare_slot[w->spares++] = w->front_slot[i];
    if (at < size - end) {
      move_front(w, gone - 1, 0, at);
      w->front_time += gone - 1;
      w->front_cost += gone - 1;
      w->front_slot += gone - 1;
    } else {
      move_front(w, at + 1, end, size - end);
    }
    r->frontier_size -= gone - 1;
  }
  w->front_time[at] = found->time9;
  w->front_cost[at] = cost9;
  w->front_slot[at] = slot;
  r->frontier[slot] = *found;
  for (int32_t i = cell_of(found->time9) + 1; i <= CELLS && w->front_least[i] > cost9; i++) w->front_least[i] = cost9;
}

typedef struct {
  double value, time_s, cost_usd;
} Bound;

static int useful_for_stairs(Work *w, const Lane *l, const Bound *b);
static void keep_stair(Work *w, const Candidate *found, const Offer *o, double deviation);

/* Returns the value above which a candidate of a lane is not among the best rows. */
static inline double most_value(const Work *w, const Lane *l) { return smaller(threshold(w), w->best_value[l->row]); }

/* Returns whether a candidate with these lower bounds of time and cost can still be listed. */
INLINED int useful(Work *w, const Lane *l, const Bound *b) {
  if (w->stairs) return useful_for_stairs(w, l, b);
  const Problem *q = w->q;
  double time_s = b->time_s * (1.0 - SLACK), cost = b->cost_usd * (1.0 - SLACK), value = b->value * (1.0 - SLACK);
  if (time_s > q->relaxed_deadline_s || cost > q->budget_usd) return 0;
  double most = most_value(w, l);
  if (value <= most * (1.0 - TIE)) return 1;
  /* Of candidates that tie for the least excess any one will do: there may be millions. */
  if (q->objective != BY_EXCESS && value <= most * (1.0 + TIE)) {
    double value9 = nine_digits(q, value);
    /* A candidate as fast as the best of its row must be cheaper. */
    int dearer =
        q->objective == BY_TIME && value9 == w->best_value[l->row] && nine_digits(q, cost) > w->r->best[l->row].cost9;
    if (value9 <= most && !dearer) return 1;
  }
  if (!q->want_frontier) return 0;
  /* Points of the frontier cover what they beat by less than its resolution. */
  double time_covered_s = time_s * w->resolved, usd_covered = weighed_cost(q, cost, value) * w->resolved;
  return !covered(w, time_covered_s, usd_covered);
}

#endif
