/* The best rows under every limit of a list, found in one search.

   A stair is a candidate with the limits under which it is among the best rows. A limit bounds the time that is met
   with a confidence (where the objective is a cost), or the cost (where it is the time). A list of the best rows
   belongs to each level of confidence and each limit. Limits ascend: a candidate within one is within the next, so
   neither the best of a row nor the last value of a list gets worse along them. */

#ifndef STOWAGE_STAIRS_H
#define STOWAGE_STAIRS_H

#include "tree.h"

static const double Z90 = 1.2815515655446004;

static inline int64_t list_of(const Stairs *s, int level, int slot) { return (int64_t)level * s->slots + slot; }

/* Returns the value above which a row is not listed. */
static inline double last_value(const Stairs *s, int64_t list) {
  return s->size[list] < s->most_rows ? INFINITY : s->value[list * s->room + s->most_rows - 1];
}

/* Returns the first limit that is at least x; the number of limits if none is. */
static int first_limit(const Stairs *s, double x) {
  int low = 0, high = s->slots;
  while (low < high) {
    int middle = (low + high) / 2;
    if (s->limit[middle] >= x)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static int place_of_row(const Stairs *s, int64_t list, int32_t row) {
  const int32_t *rows = s->row + list * s->room;
  for (int i = 0; i < s->size[list]; i++)
    if (rows[i] == row) return i;
  return -1;
}

static void release(Stairs *s, int32_t stair) {
  if (--s->stair[stair].lists == 0) s->spare[s->spares++] = stair;
}

static void take_out(Stairs *s, int64_t list, int at) {
  int64_t from = list * s->room + at;
  size_t rest = (size_t)(--s->size[list] - at);
  release(s, s->list[from]);
  memmove(s->list + from, s->list + from + 1, rest * sizeof(int32_t));
  memmove(s->row + from, s->row + from + 1, rest * sizeof(int32_t));
  memmove(s->value + from, s->value + from + 1, rest * sizeof(double));
}

static void put_in(Stairs *s, int64_t list, int32_t stair, int32_t row, double value9) {
  int64_t start = list * s->room;
  int at = s->size[list]++;
  for (; at > 0 && s->value[start + at - 1] > value9; at--) {
    s->list[start + at] = s->list[start + at - 1];
    s->row[start + at] = s->row[start + at - 1];
    s->value[start + at] = s->value[start + at - 1];
  }
  s->list[start + at] = stair;
  s->row[start + at] = row;
  s->value[start + at] = value9;
  s->stair[stair].lists++;
}

/* Enters a candidate in a list if it is the best of its row there, and among the best rows; returns whether it is. */
static int enter(const Problem *q, Stairs *s, int64_t list, int32_t stair) {
  const Candidate *found = &s->stair[stair].found;
  if (found->value9 > last_value(s, list)) return 0;
  int32_t row = q->lane[found->lane].row;
  int at = place_of_row(s, list, row);
  if (at >= 0) {
    if (!before(q, found, &s->stair[s->list[list * s->room + at]].found)) return 0;
    take_out(s, list, at);
  } else if (s->size[list] == s->room) {
    /* More rows tie for the last place than there is room for. */
    s->unsure[list] = 1;
    return 0;
  }
  put_in(s, list, stair, row, found->value9);
  while (s->value[list * s->room + s->size[list] - 1] > last_value(s, list)) take_out(s, list, s->size[list] - 1);
  return 1;
}

/* Returns the first limit that a candidate meets with a confidence, as `punctuality` decides it. */
static int first_met(Stairs *s, int level, const Candidate *found, double deviation) {
  double z = s->z[level];
  if (s->by_cost) return first_limit(s, found->cost_usd);
  if (z == 0.0) return first_limit(s, found->time_s);
  double needed = z * deviation, edge = 1e-9 * (1.0 + fabs(needed));
  int slot = first_limit(s, found->time_s * exp(needed) * (1.0 - 4.0 * edge));
  for (; slot < s->slots; slot++) {
    double away = log(s->limit[slot] / larger(found->time_s, DBL_MIN));
    if (away >= needed + edge) break;
    /* So close to the limit that only the model can tell. */
    if (away >= needed - edge) s->unsure[list_of(s, level, slot)] = 1;
  }
  return slot;
}

/* Stores a candidate under all limits for which it is the best of a row and the row is among the best. */
static void keep_stair(Work *w, const Candidate *found, const Offer *o, double deviation) {
  Stairs *s = w->stairs;
  if (w->r->computed > s->most_computed || s->spares == 0) {
    w->failed = 1;
    return;
  }
  int32_t stair = s->spare[--s->spares];
  s->stair[stair] = (Stair){.found = *found, .offer = o, .deviation = deviation};
  /* Held once while it is entered, so that it is released if no list takes it. */
  s->stair[stair].lists = 1;
  for (int level = 0; level < s->levels; level++)
    for (int slot = first_met(s, level, found, deviation); slot < s->slots; slot++)
      if (!enter(w->q, s, list_of(s, level, slot), stair)) break;
  release(s, stair);
}

/* As `useful`: whether a candidate with these lower bounds can be the best of its row under some limit, and the row be
 * among the best. Under later limits than the first that the bound meets, the best known are as good or better. */
static int useful_for_stairs(Work *w, const Lane *l, const Bound *b) {
  const Stairs *s = w->stairs;
  double value = b->value * (1.0 - SLACK) * (1.0 - TIE);
  double limited = (s->by_cost ? b->cost_usd : b->time_s) * (1.0 - 1e-8);
  for (int level = 0; level < s->levels; level++) {
    int slot = first_limit(s, limited * s->least_factor[level]);
    if (slot == s->slots) continue;
    int64_t list = list_of(s, level, slot);
    if (value > last_value(s, list)) continue;
    int at = l->row >= 0 ? place_of_row(s, list, l->row) : -1;
    if (at < 0 || value <= s->value[list * s->room + at]) return 1;
  }
  return 0;
}

/* Returns whether scratch disks take longer in a phase than the disks with input and output. */
static int scratch_limits(const Work *w, const Lane *l, const View *v, const Rates *r, int p) {
  const double *f = v->flows + p * v->phase_stride;
  double cached = v->cache ? v->cache[p * v->cache_stride] : 0.0;
  double inner = r->inner.rate > 0.0 ? disks(w, &r->inner, f, p, G_INNER, 0.0) : 0.0;
  double outer = r->outer.rate > 0.0 ? disks(w, &r->outer, f, p, l->shared ? G_SHARED : G_OUTER, cached) : 0.0;
  if (r->random.rate > 0.0) outer = larger(outer, disks(w, &r->random, f, p, G_RANDOM, 0.0));
  return inner > outer;
}

/* Computes the phases of a candidate: the time of each, and its limiting channel; CHANNELS stands for scratch disks. */
static void split_phases(Work *w, const Stair *found, int64_t place, double *phase_s, int32_t *channel) {
  const Problem *q = w->q;
  const Lane *l = &q->lane[found->found.lane];
  View v = exact_view(w, l, place);
  Fixed fixed;
  Rates rates;
  fixed_at(w, l, &v, &fixed);
  rates_of(q, l, &v, &rates);
  Problem part = *q;
  double before_s = 0.0, ruled_before[CHANNELS] = {0};
  w->q = &part;
  for (int p = 0; p < q->phases; p++) {
    double ruled[CHANNELS] = {0};
    Volumes all;
    if (found->offer) volumes_of(q, &q->volume[l->volume], found->offer, found->found.layout[0], place, &all);
    part.phases = p + 1;
    double time_s = phases_s(w, l, &v, &fixed, found->offer ? &all : NULL, ruled);
    phase_s[p] = time_s - before_s;
    channel[p] = -1;
    for (int i = 0; i < CHANNELS; i++)
      if (ruled[i] > ruled_before[i]) channel[p] = i;
    if (channel[p] == STORAGE && scratch_limits(w, l, &v, &rates, p)) channel[p] = CHANNELS;
    memcpy(ruled_before, ruled, sizeof ruled);
    before_s = time_s;
  }
  w->q = q;
}

/* Completes the result: range of time and cost, and phases. */
static void complete(Work *w) {
  const Problem *q = w->q;
  Stairs *s = w->stairs;
  for (int32_t i = 0; i < s->most_stairs; i++) {
    Stair *one = &s->stair[i];
    if (one->lists == 0) continue;
    const Candidate *found = &one->found;
    const Lane *l = &q->lane[found->lane];
    int64_t place = found->place;
    double below = one->deviation, error = q->error[place];
    if (s->faster) {
      double variance = one->deviation * one->deviation - error * error + s->faster[place] * s->faster[place];
      below = sqrt(larger(variance, 0.0));
    }
    one->below = below;
    one->time_low_s = found->time_s / exp(Z90 * below);
    one->time_high_s = found->time_s * exp(Z90 * one->deviation);
    const VolumeType *t = l->volume >= 0 ? &q->volume[l->volume] : NULL;
    const double *charges = q->charges + ((int64_t)l->klass * q->places + place) * 2;
    double month = volumes_usd_per_month(t, found->layout[0], found->layout[1], one->offer);
    one->cost_low_usd = run_cost(l, charges, found->nodes, month, one->time_low_s, 0.0);
    one->cost_high_usd = run_cost(l, charges, found->nodes, month, one->time_high_s, 0.0);
    one->overhead_s = q->overhead[place];
    one->start_s = l->start_s;
    split_phases(w, one, place, s->phase_s + (int64_t)i * q->phases, s->channel + (int64_t)i * q->phases);
  }
}

/* Prepares the lists of a search; all are empty. */
static void begin_stairs(Stairs *s) {
  s->spares = 0;
  for (int32_t i = s->most_stairs; i-- > 0;) {
    s->stair[i].lists = 0;
    s->spare[s->spares++] = i;
  }
}

#endif
