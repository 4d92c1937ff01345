/* Lower bounds of time and cost for all candidates in a box: an interval of places of one lane. */

#ifndef STOWAGE_BOUNDS_H
#define STOWAGE_BOUNDS_H

#include "payable.h"

typedef struct {
  double t0[MOST_PHASES], io[MOST_PHASES], mb[MOST_PHASES], sum_io, sum_mb, base_s, credit_scale, total0, overhead;
  int phases, cached;
} Need;

/* Computes lower bounds of what each phase takes without volumes, and of its load on them. For a single place the times
 * without volumes are exact, and are stored in `fixed`. */
static void need_of(const Work *w, const Lane *l, const View *v, const Rates *rates, const Link *link, Need *need,
                    Fixed *fixed) {
  const Problem *q = w->q;
  double by[CHANNELS], out = 0.0, in = 0.0, link_mb = 0.0, link_ios = 0.0;
  need->phases = q->phases;
  need->sum_io = need->sum_mb = need->base_s = need->total0 = 0.0;
  /* For a single phase the part that its page cache takes is known; for several, it is not known in which one credit is
   * spent. */
  need->cached = v->cache != NULL && q->phases > 1;
  need->credit_scale = v->scale;
  need->overhead = v->overhead + v->starts * l->start_s;
  if (fixed && l->volume >= 0) fixed->link = *link;
  for (int p = 0; p < q->phases; p++) {
    const double *f = v->flows + p * v->phase_stride;
    double cached = v->cache ? v->cache[p * v->cache_stride] : 0.0;
    fixed_part(w, l, v, rates, p, by);
    if (fixed) memcpy(fixed->by[p], by, sizeof by);
    double t = 0.0;
    for (int i = 0; i < CHANNELS; i++) t = larger(t, by[i]);
    need->io[p] = need->mb[p] = 0.0;
    if (l->network_base > 0.0) {
      out += even(w, f, p, outwards(l), 1.0);
      in += even(w, f, p, inwards(l), 1.0);
    }
    if (l->volume >= 0) {
      const VolumeType *type = &q->volume[l->volume];
      double load = weighed(w, f, p, G_VOLUME, link->weight);
      t = larger(t, (load - link->weight[OUT_WRITE] * cached) / link->peak);
      link_mb += load - link->weight[OUT_WRITE] * cached;
      if (link->counts_ios) {
        double ios = weighed(w, f, p, G_VOLUME, link->ios);
        t = larger(t, (ios - link->ios[OUT_WRITE] * cached) / link->peak_ios);
        link_ios += ios - link->ios[OUT_WRITE] * cached;
      }
      need->sum_io += weighed(w, f, p, G_VOLUME, type->io_weight) - type->io_weight[OUT_WRITE] * cached;
      need->sum_mb += weighed(w, f, p, G_VOLUME, type->mb_weight) - type->mb_weight[OUT_WRITE] * cached;
      /* Efficiencies reduce burst rates; they spend no credit. */
      const double *driven_io = w->driven + (int64_t)l->volume * 2 * ROLES, *driven_mb = driven_io + ROLES;
      need->io[p] = larger(weighed(w, f, p, G_VOLUME, driven_io) - driven_io[OUT_WRITE] * cached, 0.0);
      need->mb[p] = larger(weighed(w, f, p, G_VOLUME, driven_mb) - driven_mb[OUT_WRITE] * cached, 0.0);
    }
    need->t0[p] = t;
    need->total0 += t;
  }
  if (need->cached) return;
  if (l->network_base > 0.0) {
    double credit = v->scale * l->network_full * q->credits;
    need->base_s = larger(need->base_s, (larger(out, in) - credit) / l->network_base);
  }
  if (l->volume >= 0 && !link->measured) {
    need->base_s = larger(need->base_s, (link_mb - v->scale * link->base.first) / link->base.rate);
    if (link->counts_ios)
      need->base_s = larger(need->base_s, (link_ios - v->scale * link->base_ios.first) / link->base_ios.rate);
  }
}

/* Returns a lower bound of the job's time on volumes with these times per I/O and per MB, and these credits. */
static inline double volume_bound(const Need *need, double burst_io_s, double base_io_s, double io_credit,
                                  double burst_mb_s, double base_mb_s, double mb_credit) {
  double time_s = 0.0;
  for (int p = 0; p < need->phases; p++) {
    double t = need->t0[p], a = need->io[p] * burst_io_s, b = need->mb[p] * burst_mb_s;
    t = t > a ? t : a;
    time_s += t > b ? t : b;
  }
  time_s = larger(time_s, need->base_s);
  if (need->cached) return time_s + need->overhead;
  if (io_credit >= 0.0) time_s = larger(time_s, (need->sum_io - need->credit_scale * io_credit) * base_io_s);
  if (mb_credit >= 0.0) time_s = larger(time_s, (need->sum_mb - need->credit_scale * mb_credit) * base_mb_s);
  return time_s + need->overhead;
}

/* Returns a lower bound of the job's time without volumes. */
static inline double least_s(const Need *need) { return larger(need->total0, need->base_s) + need->overhead; }

/* As `volume_bound` for an offer. `need` is that of one volume here: the load of a node's volumes over their count. */
static inline double offer_bound(const Problem *q, const Need *need, const Offer *o) {
  return volume_bound(need, o->burst_io_s, o->base_io_s, o->io_full > 0.0 ? o->io_full * q->credits : -1.0,
                      o->burst_mb_s, o->base_mb_s, o->mb_full > 0.0 ? o->mb_full * q->credits : -1.0);
}

/* Returns the largest doubt of any channel of a lane but the CPU, as a variance. */
static double most_doubt(const Work *w, const Lane *l) {
  double network = l->doubt_table >= 0 ? w->table_high[l->doubt_table * w->ranges_used] : 0.0;
  double spread = larger(l->spread_storage, l->spread_link) * w->deviation_high, most = 0.0;
  for (int i = 0; i < CHANNELS; i++)
    if (i != PROCESSOR) most = larger(most, l->doubt[i]);
  return most + network * network + spread * spread;
}

/* Returns a time that has at least the required chance to be in time, with a doubt beyond that of the framework. */
static double time_with(const Work *w, double doubt) {
  const Problem *q = w->q;
  double variance = q->chance_z > 0.0 ? w->error_high * w->error_high + doubt : 0.0;
  return q->deadline_s * exp(-q->chance_z * sqrt(variance)) * (1.0 - TIE);
}

/* Returns a time within which every candidate of a lane has at least the required chance to be in time. The shares of
 * the channels add up to one at most, so the sum of their squares does too. */
static double surely_s(Work *w, const Lane *l) {
  double *known = &w->surely[l - w->q->lane];
  if (*known == 0.0) *known = time_with(w, larger(most_doubt(w, l), l->doubt[PROCESSOR]));
  return *known;
}

/* Returns the last place at which a faster candidate of a lane may be less likely to be in time than a slower one that
 * is; -1 if there is none. If only the CPU's speed is doubtful, it is where the CPU may be too slow. A candidate that
 * is on the edge of the required chance is listed unless the model rejected it. */
static int64_t doubtful_until(const Work *w, const Lane *l) {
  const Problem *q = w->q;
  if (q->phases > 1 || l->spot || q->chance_z <= 0.0 || q->banned_count > 0 || most_doubt(w, l) > 0.0)
    return q->places - 1;
  if (l->cpu <= 0.0) return -1;
  double most_s = time_with(w, l->doubt[PROCESSOR]) - l->start_s - w->overhead_high;
  double most_mb = most_s * l->cpu / q->slowed_cpu * (1.0 - SLACK);
  int64_t low = 0, high = q->places;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (w->cpu_high[middle] > most_mb)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;
}

static int bucket_of(const VolumeType *t, int32_t counts, const Problem *q) {
  int32_t most = q->counts[counts - 1];
  for (int b = 0; b < BUCKETS; b++)
    if (t->bucket_counts[b] >= most) return b;
  return BUCKETS - 1;
}

/* Relaxation of all offers of a volume type: bins by ascending price, none slower than the one before it. */
typedef struct {
  Work *w;
  const Lane *l;
  const VolumeType *t;
  const double *bins;
  const Need *need, *node_need; /* node_need: NULL for a single place */
  double n_low, charges, held_gib;
} Relaxed;

/* As `volume_bound` for the rates and credits of a bin. */
static inline double bin_bound(const Relaxed *x, const Need *need, int bin) {
  const double *e = x->bins + bin * 8;
  double credits = x->w->q->credits;
  double io = e[3] > 0.0 ? e[3] * credits : -1.0, mb = e[6] > 0.0 ? e[6] * credits : -1.0;
  return volume_bound(need, e[1], e[2], io, e[4], e[5], mb);
}

/* Lower bounds for volumes as cheap as in one bin and as fast as in another. */
typedef struct {
  double time_s, node_s, month_usd;
} Span;

static inline double usd_of_bin(const void *of, int32_t bin) {
  const Relaxed *x = of;
  const double *e = x->bins + bin * 8;
  double least_usd = x->held_gib * x->t->usd_per_gib;
  return x->t->by_size ? larger(e[0], least_usd) : e[0] + larger(least_usd, e[7] * x->t->usd_per_gib);
}

static inline Span span_of(const Relaxed *x, int cheap, int fast) {
  double time_s = bin_bound(x, x->need, fast);
  double node_s = x->node_need ? bin_bound(x, x->node_need, fast) : x->n_low * time_s;
  return (Span){time_s, node_s, usd_of_bin(x, cheap)};
}

static inline Bound relaxed_bound(const Relaxed *x, int cheap, int fast) {
  Span s = span_of(x, cheap, fast);
  return bound_of(x->w, x->l, x->n_low, x->charges, s.node_s, s.time_s, s.month_usd);
}

/* Returns whether some offer up to a bin is large enough for the data. */
static inline int holds_enough(const Relaxed *x, int bin) {
  return !x->t->by_size || x->bins[bin * 8 + 7] >= x->held_gib * (1.0 - SLACK);
}

/* Returns the last bin of a range with offers that can be listed; -1 if none has. With `budget_only`, the last one
 * within the budget. Earlier bins are no faster than the last: what is too dear with its speed is too dear. */
static int last_useful(const Relaxed *x, int low, int high, int budget_only) {
  while (low <= high && holds_enough(x, high)) {
    Span s = span_of(x, high, high);
    Payable p = {x->w, x->l, unpriced(x->w, x->l, x->n_low, x->charges, s.node_s, s.time_s), 0.0};
    p.most_usd = budget_only ? within_budget_usd(x->w->q, &p.bounds) : highest_usd(x->w, x->l, &p.bounds);
    int last = last_payable(&p, usd_of_bin, x, low, high);
    if (last == high) return high;
    high = last;
  }
  return -1;
}

/* Returns the first bin of a range with offers that can be listed; -1 if none has. Mostly it is near the last. */
static int first_useful(const Relaxed *x, int low, int high) {
  int last = last_useful(x, low, high, 0);
  for (int step = 1; low < last; step *= 2) {
    int middle = low + (last - low) / 2;
    if (middle < last - step) middle = last - step;
    int found = last_useful(x, low, middle, 0);
    if (found >= 0)
      last = found;
    else
      low = middle + 1;
  }
  return last;
}

/* Bins that hold the data and reach a time. */
typedef struct {
  const Relaxed *x;
  const Need *need;
  double most_s;
} Enough;

static inline int is_enough(const void *of, int32_t bin) {
  const Enough *e = of;
  const Relaxed *x = e->x;
  int holds = !x->t->by_size || x->bins[bin * 8 + 7] >= x->held_gib;
  return holds && bin_bound(x, e->need, bin) <= e->most_s;
}

/* Returns the knee: the first bin that holds the data and takes no longer than without volumes; the last if none does.
 */
static int knee_of(const Relaxed *x, int bins) {
  const Need *need = x->node_need ? x->node_need : x->need;
  Enough enough = {x, need, least_s(need) * (1.0 + SLACK)};
  return first_near(is_enough, &enough, 0, bins - 1, &x->w->knee[x->l->volume]);
}

typedef struct {
  Need need, node_need;
  int near; /* whether bounds of the box are nearly as tight for its parts */
} Box;

static void box_of(const Work *w, const Lane *l, int64_t k, Box *box) {
  const Problem *q = w->q;
  int64_t range = w->range[k], ranges = w->ranges_used;
  const double *cache_high = w->cache_high ? w->cache_high + l->klass * 2 * q->phases * ranges + range : NULL;
  View v = {w->flows_low + range * w->slots,
            cache_high,
            ranges * w->slots,
            ranges,
            w->table_low,
            w->table_high,
            ranges,
            range,
            w->nodes_high[k],
            1.0,
            w->overhead_low[k],
            1.0};
  Rates rates;
  Link link;
  rates_of(q, l, &v, &rates);
  if (l->volume >= 0) link_of(q, l, &v, &link);
  need_of(w, l, &v, &rates, &link, &box->need, NULL);
  v.flows = w->flows_n_low + range * w->slots;
  v.cache = cache_high ? cache_high + ranges * q->phases : NULL;
  v.scale = w->nodes_high[k];
  v.overhead = w->overhead_n_low[k];
  v.starts = w->nodes_low[k];
  need_of(w, l, &v, &rates, &link, &box->node_need, NULL);
  box->near = is_near(w, k);
}

/* Tightens the bounds of one node and of all nodes for a part of a box. The load of all n nodes is n times that of one.
 * So the bound of all over the most nodes of the part bounds one, and the bound of one times the fewest nodes bounds
 * all. A negative value is no bound, and does not become one. */
static inline void bound_part(double one, double all, double fewest, double most, double *of_one, double *of_all) {
  *of_one = larger(one, all / most);
  *of_all = larger(all, one * fewest);
}

/* Derives the bounds of a part of a box from those of the box. */
static void part_of(const Work *w, const Lane *l, int64_t k, const Box *around, Box *box) {
  const Need *whole = &around->need, *whole_node = &around->node_need;
  Need *one = &box->need, *all = &box->node_need;
  double fewest = w->nodes_low[k], most = w->nodes_high[k];
  one->phases = all->phases = whole->phases;
  one->cached = all->cached = whole->cached;
  one->total0 = all->total0 = 0.0;
  for (int p = 0; p < whole->phases; p++) {
    bound_part(whole->t0[p], whole_node->t0[p], fewest, most, &one->t0[p], &all->t0[p]);
    bound_part(whole->io[p], whole_node->io[p], fewest, most, &one->io[p], &all->io[p]);
    bound_part(whole->mb[p], whole_node->mb[p], fewest, most, &one->mb[p], &all->mb[p]);
    one->total0 += one->t0[p];
    all->total0 += all->t0[p];
  }
  bound_part(whole->sum_io, whole_node->sum_io, fewest, most, &one->sum_io, &all->sum_io);
  bound_part(whole->sum_mb, whole_node->sum_mb, fewest, most, &one->sum_mb, &all->sum_mb);
  bound_part(whole->base_s, whole_node->base_s, fewest, most, &one->base_s, &all->base_s);
  one->credit_scale = 1.0, all->credit_scale = most;
  one->overhead = w->overhead_low[k] + l->start_s;
  all->overhead = w->overhead_n_low[k] + fewest * l->start_s;
  box->near = 1;
}

static const double *envelope_of(const Work *w, const Lane *l, const VolumeType *t, int *bins) {
  int bucket = w->bucket[l->volume * (MOST_COUNTS + 1) + l->counts];
  *bins = t->bins[bucket];
  return t->envelope + (int64_t)bucket * BINS * 8;
}

static Relaxed relaxed_of(Work *w, const Lane *l, int64_t k, const Box *box, int *bins) {
  const VolumeType *t = &w->q->volume[l->volume];
  const double *envelope = envelope_of(w, l, t, bins);
  return (Relaxed){w,
                   l,
                   t,
                   envelope,
                   &box->need,
                   &box->node_need,
                   w->nodes_low[k],
                   w->charges_low[k],
                   w->held_low[k] / (w->nodes_high[k] * w->q->mb_per_gib)};
}

/* Returns whether some candidate on volumes can be within the limits on loss and the quotas; if not, `reason` is one
 * that all of them break. */
static int volumes_allowed(const Relaxed *x, double held_mb, int *reason) {
  const Problem *q = x->w->q;
  const VolumeType *t = x->t;
  double floor_s = least_s(x->need) * (1.0 - SLACK);
  double least_gib = larger(held_mb / q->mb_per_gib, x->n_low * (double)t->smallest) * (1.0 - SLACK);
  *reason = (q->stays ? x->n_low : x->n_low * floor_s) > t->loss_limit * (1.0 + SLACK) ? LOSSY
            : least_gib > t->gib_limit || x->n_low * t->least_io > t->iops_limit       ? OVER_QUOTA
                                                                                       : NONE;
  return *reason == NONE;
}

/* Returns a limit that all candidates on volumes break of which none can be listed. */
static int broken_limit(const Relaxed *x, int bins) {
  const Problem *q = x->w->q;
  if (!x->w->r->refused) return NONE;
  if (relaxed_bound(x, 0, bins - 1).time_s * (1.0 - SLACK) > q->relaxed_deadline_s) return LATE;
  return isfinite(q->budget_usd) && last_useful(x, 0, bins - 1, 1) < 0 ? DEAR : NONE;
}

/* Returns whether some candidate on volumes can still be listed; if not, `reason` is a limit that all of them break.
 * `promised`: estimate of the best candidate. */
static int volumes_useful(const Relaxed *x, int bins, double held_mb, Bound *promised, int *reason) {
  if (!volumes_allowed(x, held_mb, reason)) return 0;
  /* Mostly even the cheapest would not be listed if they were as fast as without volumes. */
  Bound least = bound_of(x->w, x->l, x->n_low, x->charges, least_s(x->node_need), least_s(x->need), usd_of_bin(x, 0));
  if (!useful(x->w, x->l, &least)) {
    *reason = broken_limit(x, bins);
    return 0;
  }
  /* If some bin can be listed, it is mostly the knee. */
  int knee = knee_of(x, bins);
  *promised = relaxed_bound(x, knee, knee);
  if (holds_enough(x, knee) && useful(x->w, x->l, promised)) return 1;
  int found = last_useful(x, 0, knee - 1, 0);
  if (found < 0) {
    /* If the knee takes no longer than without volumes, all later bins take as long and cost more. */
    int unhindered = holds_enough(x, knee) && bin_bound(x, x->need, knee) <= least_s(x->need) * (1.0 + SLACK);
    if (!unhindered) found = last_useful(x, knee + 1, bins - 1, 0);
  }
  /* The dearest volumes within the budget are the fastest. */
  if (found >= 0 && x->w->q->objective == BY_TIME) *promised = relaxed_bound(x, found, found);
  if (found < 0) *reason = broken_limit(x, bins);
  return found >= 0;
}

/* Monthly prices between which offers can be listed, without their GiB unless these set the performance. */
typedef struct {
  double floor_usd, ceiling_usd;
} Worth;

/* Finds the prices at which some candidate at one node count can be listed; returns 0 if none can, with a limit that
 * all of them break. */
static int some_worth(const Relaxed *x, int bins, Worth *worth, int *reason) {
  int knee = knee_of(x, bins), first = first_useful(x, 0, knee), last = last_useful(x, knee + 1, bins - 1, 0);
  if (first < 0 && last < 0) {
    *reason = broken_limit(x, bins);
    return 0;
  }
  if (first < 0) first = first_useful(x, knee + 1, last);
  if (last < 0) last = last_useful(x, first, knee, 0);
  worth->floor_usd = x->bins[first * 8] * (1.0 - SLACK);
  worth->ceiling_usd = last + 1 < bins ? x->bins[(last + 1) * 8] * (1.0 + SLACK) : INFINITY;
  return 1;
}

/* Lower bounds for all node counts of a box: seconds and node-seconds of work, without the framework's overhead and the
 * launch. */
typedef struct {
  double work_s, node_s;
  int near; /* as in Box */
} Floor;

/* Returns whether some candidate without volumes can still be listed; if not, `reason` is a limit that all of them
 * break. */
static int plain_useful(Work *w, const Lane *l, int64_t k, const Bound *b, int *reason) {
  const Problem *q = w->q;
  double time_s = b->time_s * (1.0 - SLACK), units = l->store_remote ? 1.0 : w->nodes_low[k];
  *reason = (q->stays ? units : units * time_s) > q->loss_limit * (1.0 + SLACK) ? LOSSY
            : time_s > q->relaxed_deadline_s                                    ? LATE
            : b->cost_usd * (1.0 - SLACK) > q->budget_usd                       ? DEAR
                                                                                : NONE;
  return *reason == NONE && useful(w, l, b);
}

static Bound floor_bound(const Work *w, const Lane *l, int64_t k, const Floor *floor) {
  return bound_of(w, l, w->nodes_low[k], w->charges_low[k],
                  floor->node_s + (w->overhead_n_low[k] + w->nodes_low[k] * l->start_s),
                  floor->work_s + (w->overhead_low[k] + l->start_s), 0.0);
}

/* As `plain_useful` for a box. `floor` comes in as the bounds of an enclosing box, and is tightened to those of this
 * box. */
static int floor_useful(Work *w, const Lane *l, int64_t k, Floor *floor, int *reason) {
  bound_part(floor->work_s, floor->node_s, w->nodes_low[k], w->nodes_high[k], &floor->work_s, &floor->node_s);
  w->r->boxes++;
  Bound b = floor_bound(w, l, k, floor);
  if (!plain_useful(w, l, k, &b, reason)) return 0;
  if (floor->near) return 1;
  Box box;
  box_of(w, l, k, &box);
  floor->work_s = larger(floor->work_s, larger(box.need.total0, box.need.base_s));
  floor->node_s = larger(floor->node_s, larger(box.node_need.total0, box.node_need.base_s));
  floor->near = box.near;
  b = floor_bound(w, l, k, floor);
  return plain_useful(w, l, k, &b, reason);
}

/* Returns whether some candidate of a box on volumes, with known bounds, can still be listed; if not, `reason` is a
 * limit that all of them break. */
static int still_useful(Work *w, const Lane *l, int64_t k, const Box *box, Bound *promised, int *reason) {
  int bins;
  Relaxed x = relaxed_of(w, l, k, box, &bins);
  return volumes_useful(&x, bins, w->held_low[k], promised, reason);
}

/* As `still_useful`, after computing the bounds. */
static int box_useful(Work *w, const Lane *l, int64_t k, const Box *around, Box *box, Bound *promised, int *reason) {
  if (around && around->near)
    part_of(w, l, k, around, box);
  else
    box_of(w, l, k, box);
  w->r->boxes++;
  return still_useful(w, l, k, box, promised, reason);
}

#endif
