/* Minima and maxima of all inputs over intervals of places. */

#ifndef STOWAGE_TREE_H
#define STOWAGE_TREE_H

#include <stdlib.h>

#include "volumes.h"

static inline double extreme_of(double a, double b, int take_high) { return take_high ? larger(a, b) : smaller(a, b); }

/* Fills the inner boxes of a tree from its leaves. */
static void lift(double *tree, int64_t leaves, int take_high) {
  for (int64_t k = leaves - 1; k >= 1; k--) tree[k] = extreme_of(tree[2 * k], tree[2 * k + 1], take_high);
}

/* Finds the slot of each role in a phase, and the slots of each group of roles. */
static void group_roles(Work *w, int p) {
  const int32_t *roles = w->q->role + p * ROLES;
  for (int role = 0; role < ROLES; role++) w->slot[p][role] = -1;
  for (int slot = 0; slot < ROLES && roles[slot] >= 0; slot++) {
    w->slot[p][roles[slot]] = slot;
    if (slot >= w->slots) w->slots = slot + 1;
  }
  for (int g = 0; g < GROUPS; g++) {
    w->group_size[p][g] = 0;
    for (int slot = 0; slot < ROLES && roles[slot] >= 0; slot++)
      if (GROUP[g] >> roles[slot] & 1) w->groups[p][g][w->group_size[p][g]++] = slot;
  }
}

/* Keeps allocated memory until `finish` frees it; notes in the state if there was none. */
static void *keep(Work *w, void *memory) {
  if (memory && w->allocations < MOST_ALLOCATIONS) {
    w->memory[w->allocations++] = memory;
    return memory;
  }
  free(memory);
  w->out_of_memory = 1;
  return NULL;
}

static void *allocate(Work *w, int64_t count, size_t size) { return keep(w, calloc((size_t)count + 1, size)); }

/* As `allocate` for memory that is written before it is read. */
static void *reserve(Work *w, int64_t count, size_t size) { return keep(w, malloc(((size_t)count + 1) * size)); }

static double *allocate_doubles(Work *w, int64_t count) { return allocate(w, count, sizeof(double)); }

static void finish(Work *w) {
  for (int i = 0; i < w->allocations; i++) free(w->memory[i]);
}

/* Returns whether the disks of some instance type can be divided in several ways. */
static int some_divided(const Problem *q) {
  for (int32_t i = 1; i < q->lanes; i++) {
    const Lane *l = &q->lane[i];
    if (l->volume < 0 && l->row >= 0 && l->row == l[-1].row) return 1;
  }
  return 0;
}

/* Allocates all arrays of the search; returns 0 if there is not enough memory. */
static int allocate_all(Work *w) {
  const Problem *q = w->q;
  int64_t wide = 2 * w->leaves, most = w->r->most_frontier, room = 2 * most + 2;
  w->range = allocate(w, wide, sizeof(int32_t));
  w->ranges = allocate(w, wide, sizeof(Range));
  w->charges_low = allocate_doubles(w, wide);
  w->nodes_low = allocate_doubles(w, wide);
  w->nodes_high = allocate_doubles(w, wide);
  w->held_low = allocate_doubles(w, wide);
  w->cpu_high = allocate_doubles(w, q->places);
  w->overhead_low = allocate_doubles(w, wide);
  w->overhead_n_low = allocate_doubles(w, wide);
  w->front_memory = reserve(w, room, sizeof(double));
  w->front_cost_memory = reserve(w, room, sizeof(double));
  w->front_slot_memory = reserve(w, room, sizeof(int32_t));
  w->spare_slot = reserve(w, most, sizeof(int32_t));
  w->front_least = q->want_frontier ? reserve(w, CELLS, sizeof(double)) : NULL;
  w->best_value = reserve(w, q->rows, sizeof(double));
  w->top = allocate_doubles(w, q->most_rows);
  w->top_row = allocate(w, q->most_rows, sizeof(int32_t));
  w->driven = allocate_doubles(w, q->volumes * 2 * ROLES);
  w->knee = allocate(w, q->volumes, sizeof(int32_t));
  w->count = allocate(w, q->volumes, sizeof(int32_t));
  w->bucket = allocate(w, (int64_t)q->volumes * (MOST_COUNTS + 1), sizeof(int8_t));
  w->above = allocate(w, q->lanes, sizeof(int32_t));
  w->surely = allocate_doubles(w, q->lanes);
  w->row = allocate(w, q->lanes, sizeof(int32_t));
  w->done = allocate(w, q->lanes, sizeof(int8_t));
  w->bare = some_divided(q) ? allocate(w, (int64_t)q->rows * q->places, sizeof(int32_t)) : NULL;
  if (w->r->refused) {
    w->size_sum = reserve(w, q->volumes * (int64_t)w->most_counts_used * (q->places + 1), sizeof(double));
    w->same_data = allocate(w, q->places, sizeof(int64_t));
  }
  if (w->out_of_memory) return 0;
  w->front_time = w->front_memory + most + 1;
  w->front_cost = w->front_cost_memory + most + 1;
  w->front_slot = w->front_slot_memory + most + 1;
  for (int i = 0; q->want_frontier && i <= CELLS; i++) w->front_least[i] = INFINITY;
  for (int32_t i = 0; i < q->rows; i++) w->best_value[i] = INFINITY;
  for (; w->spares < most; w->spares++) w->spare_slot[w->spares] = (int32_t)w->spares;
  return 1;
}

/* Lists the ranges: the boxes that are not part of a near one. The bounds of all other boxes follow from theirs. They
 * are few, two for each doubling of the node count, so what has many values at each place needs no tree. */
static void list_ranges(Work *w) {
  for (int64_t start = 1, size = w->leaves; size > 0; start *= 2, size /= 2)
    for (int64_t k = start; k < 2 * start; k++) {
      if (k > 1 && is_near(w, k / 2)) {
        w->range[k] = w->range[k / 2];
        continue;
      }
      int32_t at = w->range[k] = w->ranges_used++;
      int64_t first = (k - start) * size, end = first + size;
      w->ranges[at] = (Range){first, end < w->q->places ? end : w->q->places, {-1, -1}};
      if (k > 1) w->ranges[w->range[k / 2]].parts[k % 2] = at;
    }
}

/* Allocates what each range has an extreme of; returns 0 if there is not enough memory. */
static int allocate_extremes(Work *w) {
  const Problem *q = w->q;
  int64_t ranges = w->ranges_used;
  w->flows_low = allocate_doubles(w, q->phases * ranges * w->slots);
  w->flows_n_low = allocate_doubles(w, q->phases * ranges * w->slots);
  w->cache_high = q->cache ? allocate_doubles(w, q->classes * 2 * q->phases * ranges) : NULL;
  w->table_low = allocate_doubles(w, q->tables * ranges);
  w->table_high = allocate_doubles(w, q->tables * ranges);
  for (int64_t i = 0; !w->out_of_memory && i < q->phases * ranges * w->slots; i++)
    w->flows_low[i] = w->flows_n_low[i] = INFINITY;
  for (int64_t i = 0; !w->out_of_memory && i < q->tables * ranges; i++) {
    w->table_low[i] = INFINITY;
    w->table_high[i] = -INFINITY;
  }
  return !w->out_of_memory;
}

/* Extends the extremes of all ranges, `apart` from each other, by a value at each place, `stride` apart. `each`: a
 * factor at each place; NULL: 1. */
static inline void extend(const Work *w, double *extreme, int64_t apart, const double *value, int64_t stride,
                          const double *each, int take_high) {
  for (int32_t i = w->ranges_used - 1; i >= 0; i--) {
    const Range *r = &w->ranges[i];
    double found = extreme[i * apart];
    for (int part = 0; part < 2 && r->parts[part] >= 0; part++)
      found = extreme_of(found, extreme[r->parts[part] * apart], take_high);
    for (int64_t j = r->first; r->parts[0] < 0 && j < r->end; j++)
      found = extreme_of(found, each ? each[j] * value[j * stride] : value[j * stride], take_high);
    extreme[i * apart] = found;
  }
}

/* Finds the least flows of a node, and of all nodes, in a phase. */
static void extend_flows(Work *w, int p) {
  const Problem *q = w->q;
  double *low = w->flows_low + p * w->ranges_used * w->slots, *n_low = w->flows_n_low + p * w->ranges_used * w->slots;
  for (int64_t c = 0; c < q->flow_classes; c++)
    for (int i = 0; i < ROLES && q->role[p * ROLES + i] >= 0; i++) {
      const double *flow = q->flows + (c * q->phases + p) * q->places * ROLES + i;
      extend(w, low + i, w->slots, flow, ROLES, NULL, 0);
      extend(w, n_low + i, w->slots, flow, ROLES, q->nodes, 0);
    }
}

/* Finds the most page cache of a node, and of all nodes, in each phase and class; extremes of the tables of slowdowns.
 */
static void extend_tables(Work *w) {
  const Problem *q = w->q;
  int64_t ranges = w->ranges_used;
  for (int64_t i = 0; q->cache && i < q->classes * q->phases; i++) {
    double *one = w->cache_high + (i / q->phases * 2 * q->phases + i % q->phases) * ranges;
    extend(w, one, 1, q->cache + i * q->places, 1, NULL, 1);
    extend(w, one + q->phases * ranges, 1, q->cache + i * q->places, 1, q->nodes, 1);
  }
  for (int t = 0; t < q->tables; t++) {
    extend(w, w->table_low + t * ranges, 1, q->table + t * q->places, 1, NULL, 0);
    extend(w, w->table_high + t * ranges, 1, q->table + t * q->places, 1, NULL, 1);
  }
}

/* Fills the trees of what has one value at each place. */
static void lift_nodes(Work *w) {
  const Problem *q = w->q;
  int64_t leaves = w->leaves;
  for (int64_t j = 0; j < q->places; j++) {
    w->error_high = larger(w->error_high, q->error[j]);
    w->deviation_high = larger(w->deviation_high, q->deviation[j]);
    w->overhead_high = larger(w->overhead_high, q->overhead[j]);
  }
  for (int64_t j = q->places - 1; j >= 0 && w->slot[0][CPU] >= 0; j--) {
    w->cpu_high[j] = w->cpu_high[j + 1];
    for (int64_t c = 0; c < q->flow_classes; c++)
      w->cpu_high[j] = larger(w->cpu_high[j], q->flows[(c * q->phases * q->places + j) * ROLES + w->slot[0][CPU]]);
  }
  for (int64_t j = 0; j < leaves; j++) {
    int64_t k = leaves + j;
    w->charges_low[k] = INFINITY;
    w->nodes_low[k] = j < q->places ? q->nodes[j] : INFINITY;
    w->nodes_high[k] = j < q->places ? q->nodes[j] : -INFINITY;
    w->held_low[k] = j < q->places ? q->held_mb[j] : INFINITY;
    w->overhead_low[k] = j < q->places ? q->overhead[j] : INFINITY;
    w->overhead_n_low[k] = j < q->places ? q->nodes[j] * q->overhead[j] : INFINITY;
  }
  for (int64_t c = 0; c < q->classes; c++)
    for (int64_t j = 0; j < q->places; j++) {
      const double *charges = q->charges + (c * q->places + j) * 2;
      w->charges_low[leaves + j] = smaller(w->charges_low[leaves + j], charges[0] + charges[1]);
    }
  lift(w->charges_low, leaves, 0);
  lift(w->nodes_low, leaves, 0);
  lift(w->nodes_high, leaves, 1);
  lift(w->held_low, leaves, 0);
  lift(w->overhead_low, leaves, 0);
  lift(w->overhead_n_low, leaves, 0);
}

/* Computes what an MB of each role uses of a volume's burst rates at the framework's efficiency. */
static void drive_volumes(Work *w) {
  const Problem *q = w->q;
  for (int i = 0; i < q->volumes; i++)
    for (int role = 0; role < ROLES; role++) {
      double slower = q->slowed / (is_read(role) ? q->reads : q->writes);
      w->driven[(i * 2) * ROLES + role] = q->volume[i].io_weight[role] * slower;
      w->driven[(i * 2 + 1) * ROLES + role] = q->volume[i].mb_weight[role] * slower;
    }
}

/* Numbers the maximum counts of volumes that lanes have. */
static void number_most_counts(Work *w) {
  for (int most = 0; most <= MOST_COUNTS; most++) w->most_counts[most] = -1;
  for (int32_t i = 0; i < w->q->lanes; i++)
    if (w->q->lane[i].volume >= 0) w->most_counts[w->q->lane[i].counts] = 0;
  for (int most = 0; most <= MOST_COUNTS; most++)
    if (w->most_counts[most] == 0) w->most_counts[most] = w->most_counts_used++;
}

/* Returns whether volumes of a size hold the data, as `fitting_gib` decides it. */
static inline int holds(const Problem *q, int64_t place, double count, double size) {
  return q->nodes[place] * (count * size * q->mb_per_gib) >= q->held_mb[place];
}

/* Returns the first place in [first, end), which all have the same data, at which volumes of a size hold it; `end` if
 * none does. It is mostly near. */
static int64_t first_holding(const Problem *q, int64_t first, int64_t end, double count, double size) {
  int64_t low = first, high = first, step = 1;
  while (high < end && !holds(q, high, count, size)) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  if (high > end) high = end;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (holds(q, middle, count, size))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Adds the candidates with a count of volumes: by how many each place in [first, end) has more than the place before
 * it. The places have the same data. */
static void add_candidates(const Problem *q, const VolumeType *t, const double *size, double count, int64_t first,
                           int64_t end, double *more) {
  int32_t steps = t->start[t->chains], at = steps;
  double number = 0.0;
  int64_t j = first_holding(q, first, end, count, (double)t->largest);
  while (j < end) {
    /* The steps above the smallest size that holds the data: those that still hold it with a GiB less. */
    while (t->by_size && at > 0 && size[at - 1] > (double)t->smallest && holds(q, j, count, size[at - 1] - 1.0)) at--;
    double here = t->by_size ? 1.0 + (double)(steps - at) : t->declared;
    more[j] += here - number;
    number = here;
    if (!t->by_size || at == 0 || size[at - 1] <= (double)t->smallest) break;
    j = first_holding(q, j + 1, end, count, size[at - 1] - 1.0);
  }
  more[end] -= number;
}

/* Counts the candidates of a volume type, as sums over places, for each maximum count of volumes. */
static void count_candidates(Work *w, int i) {
  const Problem *q = w->q;
  const VolumeType *t = &q->volume[i];
  int64_t wide = q->places + 1;
  double *size = calloc((size_t)(t->by_size ? t->start[t->chains] : 0) + 1, sizeof(double));
  double *more = calloc((size_t)wide, sizeof(double));
  for (int32_t k = 0; size && t->by_size && k < t->start[t->chains]; k++) size[k] = (double)t->offers[k].size;
  for (int most = 0; size && more && most <= q->count_steps; most++) {
    for (int64_t first = 0; most > 0 && first < q->places; first = w->same_data[first])
      add_candidates(q, t, size, (double)q->counts[most - 1], first, w->same_data[first], more);
    if (w->most_counts[most] < 0) continue;
    double *sums = w->size_sum + ((int64_t)i * w->most_counts_used + w->most_counts[most]) * wide, number = 0.0;
    sums[0] = 0.0;
    for (int64_t j = 0; j < q->places; j++) {
      number += more[j];
      sums[j + 1] = sums[j] + number;
    }
  }
  if (!size || !more) w->out_of_memory = 1;
  free(size);
  free(more);
}

/* Finds at each place the end of the places with the same data. */
static void find_same_data(Work *w) {
  const Problem *q = w->q;
  for (int64_t j = q->places - 1; j >= 0; j--)
    w->same_data[j] = j + 1 < q->places && q->held_mb[j] == q->held_mb[j + 1] ? w->same_data[j + 1] : j + 1;
}

/* Allocates and fills all that a search reads; returns 0 if there is not enough memory. */
static int prepare(Work *w) {
  const Problem *q = w->q;
  for (w->leaves = 1; w->leaves < q->places;) w->leaves *= 2;
  for (int p = 0; p < q->phases; p++) group_roles(w, p);
  number_most_counts(w);
  if (!allocate_all(w)) return 0;
  lift_nodes(w);
  list_ranges(w);
  if (!allocate_extremes(w)) return 0;
  for (int p = 0; p < q->phases; p++) extend_flows(w, p);
  extend_tables(w);
  drive_volumes(w);
  if (w->r->refused) find_same_data(w);
  for (int i = 0; i < q->volumes; i++) {
    if (w->r->refused) count_candidates(w, i);
    for (int32_t most = 1; most <= q->count_steps; most++)
      w->bucket[i * (MOST_COUNTS + 1) + most] = (int8_t)bucket_of(&q->volume[i], most, q);
  }
  return !w->out_of_memory;
}

#endif
