/* The search over the offers of a volume type, chain by chain and count by count. */

#ifndef STOWAGE_ALONG_H
#define STOWAGE_ALONG_H

#include "bounds.h"
#include "orders.h"

/* State of the search over volumes for one type at one node count. */
typedef struct {
  Work *w;
  const Lane *l;
  const VolumeType *t;
  const View *v;
  const Fixed *fixed;
  Need *need; /* of one volume */
  int64_t place;
  double n, most_n, held_mb; /* fewest and most nodes, which differ only for a box, and the least data */
  double charges, most_usd;  /* most_usd: monthly price of volumes above which all are beaten */
  int32_t lane, count, fit, from;
  int32_t alike, more_is_better, dearer_is_worse; /* see `set_rules` */
  int32_t beyond;                                 /* whether to search only offers that more volumes beat */
  int32_t only_ask, found;    /* whether to compute nothing, only to find if something can be listed */
  int32_t step, likely, best; /* steps of counts: current; to try first (-1: none); cheapest that was listed */
  double best_usd;            /* monthly price of the volumes of the best */
  Worth worth;
  double gib[MOST_COUNTS]; /* least total size for each count of volumes */
  char done[MOST_COUNTS];
} Along;

/* Returns whether volumes with these lower bounds of monthly price and time, and this count, can be listed. */
static int affordable(const Along *x, double month_usd, double time_s, double volumes) {
  const Problem *q = x->w->q;
  Bound b = bound_of(x->w, x->l, x->n, x->charges, x->n * time_s, time_s, month_usd);
  double units = x->n * volumes;
  if ((q->stays ? units : units * time_s * (1.0 - SLACK)) > x->t->loss_limit * (1.0 + SLACK)) return 0;
  if (q->objective == BY_EXCESS) b.value = larger(b.value, q->excess_units * (q->stays ? units : units * time_s));
  return useful(x->w, x->l, &b);
}

/* Returns whether an offer as cheap as one and as fast as another can be listed. */
static int worthwhile(const Along *x, const Ordered *cheapest, const Ordered *fastest) {
  return affordable(x, cheapest->month_usd, offer_bound(x->w->q, x->need, fastest->offer), (double)x->count);
}

static double usd_of_order(const void *of, int32_t i) {
  const Along *x = of;
  return ordered(x->t, x->count, x->fit, x->from, i).month_usd;
}

/* Returns what volumes that take at least a time may cost. */
static Payable payable_at(const Along *x, double time_s) {
  Payable p = {x->w, x->l, unpriced(x->w, x->l, x->n, x->charges, x->n * time_s, time_s), 0.0};
  p.most_usd = highest_usd(x->w, x->l, &p.bounds);
  return p;
}

static Visit order_one(Along *x, const Ordered *a) {
  x->found = 1;
  if (x->only_ask) return (Visit){0};
  return visit(x->w, x->lane, x->place, x->v, x->fixed, x->count, a->size, a->offer);
}

/* Searches offers, the dearest first. Earlier offers are no faster: what is too dear with its speed is too dear. */
static void between(Along *x, int32_t low, int32_t high) {
  while (low <= high && !(x->only_ask && x->found)) {
    Ordered fastest = ordered(x->t, x->count, x->fit, x->from, high);
    Payable p = payable_at(x, offer_bound(x->w->q, x->need, fastest.offer));
    int32_t last = last_payable(&p, usd_of_order, x, low, high);
    if (last == high && worthwhile(x, &fastest, &fastest)) order_one(x, &fastest);
    high = last < high ? last : high - 1;
  }
}

/* Returns the difference in the monthly price of volumes that changes nine digits of the cost. */
static double told_apart_usd(const Along *x, double time_s, double month_usd) {
  const Prices *c = &x->l->prices;
  Bound b = bound_of(x->w, x->l, x->n, x->charges, x->n * time_s, time_s, month_usd);
  double billed_s = larger(b.time_s + c->launch_s, c->minimum_s), told = b.cost_usd / (x->n * billed_s * PER_MONTH);
  if (x->w->q->objective == BY_MONTH) told = larger(told, b.value / x->n);
  return 4.0 * TIE * told;
}

/* Returns the monthly price of volumes with an offer, without their GiB unless these set the performance. */
static inline double own_usd(const VolumeType *t, double volumes, const Offer *o) {
  return t->by_size ? volumes * (double)o->size * t->usd_per_gib : volumes * (o->usd_iops + o->usd_throughput);
}

/* A number of volumes, and their least total size. */
typedef struct {
  const Along *x;
  double volumes, gib;
} Amount;

static inline int is_dear_enough(const void *of, int32_t i) {
  const Amount *a = of;
  return own_usd(a->x->t, a->volumes, &a->x->t->offers[i]) >= a->x->worth.floor_usd;
}

/* Returns the first offer in [first, last] that is expensive enough to be listed; the one after the range if none is.
 */
static int32_t first_worth(const Along *x, double volumes, int32_t first, int32_t last) {
  Amount amount = {x, volumes, 0.0};
  if (first > last || is_dear_enough(&amount, first)) return first;
  return first_near(is_dear_enough, &amount, first, last + 1, &x->w->dear_enough[x->step]);
}

/* A time that volumes are to reach. */
typedef struct {
  const Along *x;
  double most_s;
} Reach;

static inline int is_fast_enough(const void *of, int32_t i) {
  const Reach *r = of;
  const Along *x = r->x;
  return offer_bound(x->w->q, x->need, ordered(x->t, x->count, x->fit, x->from, i).offer) <= r->most_s;
}

/* Searches a chain, beginning at its knee, from which on volumes are no bottleneck: it is the best or close to it, and
 * bounds its neighbors. */
static void along(Along *x, int32_t first, int32_t last, double floor_s) {
  Ordered cheapest = ordered(x->t, x->count, x->fit, x->from, first),
          fastest = ordered(x->t, x->count, x->fit, x->from, last);
  if (!worthwhile(x, &cheapest, &fastest)) return;
  Reach unhindered = {x, floor_s * (1.0 + SLACK)};
  int32_t low = first_near(is_fast_enough, &unhindered, first, last, &x->w->fast_enough[x->step]);
  Ordered knee = ordered(x->t, x->count, x->fit, x->from, low);
  /* Later offers cost more, and nothing is faster than without volumes. Where volumes limit no phase, they take as long
     and are as likely to be in time: they break the same limits. */
  if (first == last || worthwhile(x, &knee, &knee)) {
    Visit made = order_one(x, &knee);
    int no_limit = made.work_s <= floor_s * (1.0 + SLACK);
    if (!no_limit || (made.ruled && (!made.accepted || x->w->stairs))) {
      between(x, low + 1, last);
    } else if (made.accepted) {
      if (knee.month_usd < x->best_usd) {
        x->best_usd = knee.month_usd;
        x->best = x->step;
      }
      if (x->dearer_is_worse)
        x->most_usd = smaller(x->most_usd, knee.month_usd + told_apart_usd(x, floor_s, knee.month_usd));
    }
  }
  between(x, first, low - 1);
}

/* Computes the load of one of `count` volumes. A limited number of streams reduces burst rates, not credits. */
static inline void of_one_volume(const Problem *q, const Need *need, Need *one, int32_t count) {
  double per = (double)count, busy = q->streams > 0.0 ? q->streams / (q->streams + per - 1.0) : 1.0;
  double share = 1.0 / per, burst_share = 1.0 / (per * busy);
  for (int p = 0; p < need->phases; p++) {
    one->io[p] = need->io[p] * burst_share;
    one->mb[p] = need->mb[p] * burst_share;
  }
  one->sum_io = need->sum_io * share;
  one->sum_mb = need->sum_mb * share;
}

/* Selects a count of volumes; returns 0 if even the largest volumes of this count do not hold the data. */
static int choose(Along *x, int step) {
  x->step = step;
  x->count = x->w->q->counts[step];
  x->fit = fitting_gib(x->w->q, x->t, x->most_n, x->count, x->held_mb);
  return x->fit <= x->t->largest;
}

/* Returns the last offer of a chain that more volumes do not beat. */
static inline int32_t cut_of(const Along *x, int chain, int step) {
  int32_t last = x->t->start[chain + 1] - 1;
  int32_t cut = x->t->cut[(int64_t)(x->l->counts - 1) * x->w->q->count_steps + step];
  return x->more_is_better && cut < last ? cut : last;
}

/* Return the first and the last offer of a chain to search for a count. */
static inline int32_t begin_of(const Along *x, int chain, int step) {
  return x->beyond ? cut_of(x, chain, step) + 1 : x->t->start[chain];
}
static inline int32_t end_of(const Along *x, int chain, int step) {
  return x->beyond ? x->t->start[chain + 1] - 1 : cut_of(x, chain, step);
}

static inline int is_too_dear(const void *of, int32_t i) {
  const Amount *a = of;
  const Along *x = a->x;
  const VolumeType *t = x->t;
  const Offer *o = &t->offers[i];
  double usd =
      larger(a->gib, a->volumes * (double)o->size) * t->usd_per_gib + a->volumes * (o->usd_iops + o->usd_throughput);
  return usd * (1.0 - SLACK) > x->most_usd || own_usd(t, a->volumes, o) > x->worth.ceiling_usd;
}

/* Returns the last offer in [first, last] that is cheap enough to be listed with the count of a step and at least this
 * total size; the one before the range if none is. Prices ascend along a chain. */
static int32_t last_worth(const Along *x, int step, double gib, int32_t first, int32_t last) {
  Amount amount = {x, (double)x->w->q->counts[step], gib};
  if (first > last || !is_too_dear(&amount, last)) return last;
  return first_near(is_too_dear, &amount, first, last, &x->w->too_dear[step]) - 1;
}

/* Searches a chain for one count of volumes; `after` is the number of first offers that were computed already. */
static void leaf_of_count(Along *x, const Need *need, int chain, int step, int after) {
  const Problem *q = x->w->q;
  const VolumeType *t = x->t;
  if (!choose(x, step)) return;
  of_one_volume(q, need, x->need, x->count);
  double per = (double)x->count;
  int32_t from = begin_of(x, chain, step), first = from, last = end_of(x, chain, step);
  if (first > last) return;
  if (t->by_size) {
    from = t->of_size[x->fit].above;
    first = from - 1;
  }
  x->from = from;
  last = last_worth(x, step, x->gib[step], from, last);
  /* Size and IOPS ascend too: a quota, or the largest volume, ends a chain. */
  while (last >= first) {
    Ordered a = ordered(t, x->count, x->fit, from, last);
    if (a.size <= t->largest && x->n * per * (double)a.size <= t->gib_limit &&
        x->n * per * a.offer->base_io <= t->iops_limit)
      break;
    last--;
  }
  first += after;
  /* The size that just fits is no step. */
  int32_t worth = first_worth(x, per, first > from ? first : from, last);
  if (worth > from) first = worth;
  if (last >= first) along(x, first, last, least_s(need));
}

/* Returns a lower bound of the time with volumes that cost at most `own_usd` a month without their GiB, for any count
 * in [fewest, most]. One of v volumes costs at least slope[0] + slope[1] times its rate, and v volumes reach v times
 * its rate, times the share that k streams keep busy: k / (k + v - 1). So their rate is at most a quotient of linear
 * functions of v, which is monotonic: its maximum is at the fewest or at the most. */
static double paid_s(const Along *x, const Need *need, double fewest, double most, double own_usd) {
  double k = x->w->q->streams, busy_few = k > 0.0 ? k / (k + fewest - 1.0) : 1.0,
         busy_most = k > 0.0 ? k / (k + most - 1.0) : 1.0, s[2] = {0.0, 0.0};
  for (int of = 0; of < 2; of++)
    for (int i = 0; i < SLOPES; i++) {
      const double *slope = x->t->slopes[of][i];
      if (slope[1] <= 0.0) continue;
      double rate =
          larger(busy_few * (own_usd - slope[0] * fewest), busy_most * (own_usd - slope[0] * most)) / slope[1];
      if (rate <= 0.0) return INFINITY;
      s[of] = larger(s[of], 1.0 / rate);
    }
  return volume_bound(need, s[0], 0.0, -1.0, s[1], 0.0, -1.0) * (1.0 - SLACK);
}

/* Searches a chain for the counts of volumes in [low, high] that are not done. Larger counts come first: they are the
 * fastest, and bound the rest. */
static void leaf_of_counts(Along *x, const Need *need, int chain, int low, int high) {
  const Problem *q = x->w->q;
  const VolumeType *t = x->t;
  if (x->only_ask && x->found) return;
  while (low <= high && (x->done[low] || x->gib[low] * t->usd_per_gib > x->most_usd)) low++;
  while (low <= high && (x->done[high] || x->gib[high] * t->usd_per_gib > x->most_usd)) high--;
  if (low > high) return;
  if (low == high) {
    leaf_of_count(x, need, chain, low, 0);
    return;
  }
  /* Lower bounds: the price of the cheapest, and the time of the most volumes with the best offer that any of these
   * counts may have. */
  double fewest = (double)q->counts[low], gib = INFINITY;
  int32_t begin = INT32_MAX, last = -1;
  for (int step = low; step <= high; step++) {
    int32_t start = begin_of(x, chain, step), end = end_of(x, chain, step);
    if (start < begin) begin = start;
    if (end > last) last = end;
    gib = smaller(gib, x->gib[step]);
  }
  if (begin > last) return;
  const Offer *first = &t->offers[begin];
  double month_usd = gib * t->usd_per_gib;
  if (t->by_size)
    month_usd = larger(month_usd, x->worth.floor_usd);
  else
    month_usd += larger(fewest * (first->usd_iops + first->usd_throughput), x->worth.floor_usd);
  int32_t paid = last_worth(x, low, gib, begin, last);
  /* The size that just fits may be larger than the last affordable step, but not than the next one. */
  if (t->by_size || paid < begin) paid++;
  if (paid < last) last = paid;
  of_one_volume(q, need, x->need, q->counts[high]);
  double time_s = offer_bound(q, x->need, &t->offers[last]);
  double most_usd = smaller(x->most_usd - gib * t->usd_per_gib, x->worth.ceiling_usd);
  if (isfinite(most_usd) && !t->by_size)
    time_s = larger(time_s, paid_s(x, need, fewest, (double)q->counts[high], most_usd));
  if (!affordable(x, month_usd, time_s, fewest)) return;
  /* The best count at a neighboring node count is probably the best here, and bounds the rest. It is not done for good:
   * its offers that more volumes beat are searched later. */
  int likely = x->likely, try_first = likely >= low && likely <= high && !x->done[likely];
  if (try_first) {
    x->likely = -1;
    leaf_of_count(x, need, chain, likely, 0);
    x->done[likely] = 1;
  }
  int middle = low + (high - low) / 2;
  leaf_of_counts(x, need, chain, middle + 1, high);
  leaf_of_counts(x, need, chain, low, middle);
  if (try_first) x->done[likely] = 0;
}

#endif
