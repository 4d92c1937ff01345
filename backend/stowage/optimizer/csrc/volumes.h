/* The best EBS volumes of one instance type at one node count. */

#ifndef STOWAGE_VOLUMES_H
#define STOWAGE_VOLUMES_H

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
  double n, charges, most_usd; /* monthly price of volumes above which all are beaten */
  int32_t lane, count, fit, from;
  int32_t alike, more_is_better, dearer_is_worse; /* see `set_rules` */
  int32_t beyond;                                 /* whether to search only offers that more volumes beat */
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

static Visit order_one(const Along *x, const Ordered *a) {
  return visit(x->w, x->lane, x->place, x->v, x->fixed, x->count, a->size, a->offer);
}

static void between(const Along *x, int32_t low, int32_t high) {
  if (low > high) return;
  Ordered cheapest = ordered(x->t, x->count, x->fit, x->from, low);
  Ordered fastest = low == high ? cheapest : ordered(x->t, x->count, x->fit, x->from, high);
  if (!worthwhile(x, &cheapest, &fastest)) return;
  if (low == high) {
    order_one(x, &cheapest);
    return;
  }
  int32_t middle = low + (high - low) / 2;
  between(x, middle + 1, high);
  between(x, low, middle);
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

/* Returns the first offer in [first, last] that is expensive enough to be listed; the one after the range if none is.
 */
static int32_t first_worth(const Along *x, double volumes, int32_t first, int32_t last) {
  while (first <= last) {
    int32_t middle = first + (last - first) / 2;
    if (own_usd(x->t, volumes, &x->t->offers[middle]) < x->worth.floor_usd)
      first = middle + 1;
    else
      last = middle - 1;
  }
  return first;
}

/* Searches a chain, beginning at its knee, from which on volumes are no bottleneck: it is the best or close to it, and
 * bounds its neighbors. */
static void along(Along *x, int32_t first, int32_t last, double floor_s) {
  Ordered cheapest = ordered(x->t, x->count, x->fit, x->from, first),
          fastest = ordered(x->t, x->count, x->fit, x->from, last);
  if (!worthwhile(x, &cheapest, &fastest)) return;
  int32_t low = first, high = last;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    Ordered a = ordered(x->t, x->count, x->fit, x->from, middle);
    if (offer_bound(x->w->q, x->need, a.offer) <= floor_s * (1.0 + SLACK))
      high = middle;
    else
      low = middle + 1;
  }
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
  x->fit = fitting_gib(x->w->q, x->t, x->n, x->count, x->w->q->held_mb[x->place]);
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

/* Returns the last offer in [first, last] that is cheap enough to be listed for this count and at least this total
 * size; the one before the range if none is. Prices ascend along a chain. */
static int32_t last_worth(const Along *x, double volumes, double gib, int32_t first, int32_t last) {
  const VolumeType *t = x->t;
  first--;
  while (first < last) {
    int32_t middle = first + (last - first + 1) / 2;
    const Offer *o = &t->offers[middle];
    double usd = larger(gib, volumes * (double)o->size) * t->usd_per_gib + volumes * (o->usd_iops + o->usd_throughput);
    if (usd * (1.0 - SLACK) <= x->most_usd && own_usd(t, volumes, o) <= x->worth.ceiling_usd)
      first = middle;
    else
      last = middle - 1;
  }
  return last;
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
  last = last_worth(x, per, x->gib[step], from, last);
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
  int32_t paid = last_worth(x, fewest, gib, begin, last);
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

/* Finds the first offer for a count of volumes, and a lower bound of its time; returns 0 if none holds the data within
 * the quotas. */
static int first_of(Along *x, const Need *need, int step, Ordered *first, double *time_s) {
  const VolumeType *t = x->t;
  if (!choose(x, step)) return 0;
  x->from = t->by_size ? t->of_size[x->fit].above : 0;
  *first = ordered(t, x->count, x->fit, x->from, t->by_size ? x->from - 1 : 0);
  if (first->size > t->largest || x->n * (double)x->count * (double)first->size > t->gib_limit) return 0;
  of_one_volume(x->w->q, need, x->need, x->count);
  *time_s = offer_bound(x->w->q, x->need, first->offer);
  return 1;
}

/* Determines which candidates the rest may be skipped for. Each rule is proved in its comment; a test shows for each
   condition a search problem that needs it. */
static void set_rules(Along *x, const Need *need) {
  const Problem *q = x->w->q;
  const Lane *l = x->l;
  const VolumeType *t = x->t;
  /* Among counts whose first offer is no bottleneck the cheapest is the best, the fewest volumes if prices are equal:
     they differ in nothing else. This requires an exact bound, so neither a page cache nor buckets that phases share;
     and nothing that depends on the number of volumes: slow ones, a limit on loss, a quota of IOPS. */
  x->alike = t->chains == 1 && t->late_table < 0 && !isfinite(t->loss_limit) && !isfinite(t->iops_limit) &&
             !need->cached && (need->phases == 1 || !t->by_size) && q->excess_units == 0.0;
  /* Then there is no reason either to provision what more volumes include for less: under the same conditions, if no
     quota of GiB counts the rounding of sizes. If a chance is required, this holds where more volumes are surely in
     time. */
  x->more_is_better = t->chains == 1 && t->late_table < 0 && !isfinite(t->loss_limit) && !isfinite(t->iops_limit) &&
                      !isfinite(t->gib_limit) && q->excess_units == 0.0 && !x->w->stairs;
  /* Volumes that cost more than the best and are no faster are beaten: if no credits pass from phase to phase, which
     could make slower volumes seem faster by a rounding; and if a single chance is required, not several. */
  x->dearer_is_worse =
      x->alike && t->step_usd > 0.0 && q->objective != BY_EXCESS && !x->w->stairs &&
      (need->phases == 1 ||
       (l->network_full == 0.0 &&
        (l->link_read > 0.0 || (l->link_peak <= l->link_base && l->link_peak_iops <= l->link_base_iops))));
}

/* The cheapest first offer of any count that is no bottleneck. */
typedef struct {
  int step;        /* of its count; -1: none */
  double usd;      /* a month */
  int close_calls; /* whether some count is slower by less than nine digits show */
} Unhindered;

/* Finds the cheapest first offer that is no bottleneck, and marks all such counts as done. */
static Unhindered cheapest_unhindered(Along *x, const Need *need, double unhindered_s) {
  const VolumeType *t = x->t;
  Unhindered best = {-1, INFINITY, 0};
  Ordered first;
  double time_s;
  for (int step = x->l->counts - 1; step >= 0 && x->alike; step--) {
    if (x->dearer_is_worse && x->gib[step] * t->usd_per_gib > best.usd * (1.0 + SLACK)) continue;
    if (!first_of(x, need, step, &first, &time_s)) continue;
    if (time_s > unhindered_s * (1.0 + SLACK)) {
      /* Slower by less than nine digits show: a tie, which fewer volumes win. */
      best.close_calls |= time_s <= unhindered_s * (1.0 + 2.0 * TIE);
      /* Of equal volumes, fewer are slower still. */
      if (!t->by_size) break;
      continue;
    }
    x->done[step] = 1;
    /* Sums in another order: equal prices may differ in their last digits. */
    if (first.month_usd <= best.usd * (1.0 + SLACK)) {
      best.usd = first.month_usd;
      best.step = step;
    }
  }
  return best;
}

/* Returns whether an offer that is no bottleneck may limit a phase as much as something else does. */
static int may_limit(const Along *x, const Need *need, const Offer *o) {
  double credits = x->w->q->credits, most_s = least_s(need) * (1.0 - SLACK);
  for (int p = 0; p < need->phases; p++) {
    double here_s = larger(x->need->io[p] * o->burst_io_s, x->need->mb[p] * o->burst_mb_s);
    if (here_s > 0.0 && here_s >= need->t0[p] * (1.0 - SLACK)) return 1;
  }
  double io_s = (x->need->sum_io - credits * o->io_full) * o->base_io_s,
         mb_s = (x->need->sum_mb - credits * o->mb_full) * o->base_mb_s;
  return (o->io_full > 0.0 && io_s >= most_s) || (o->mb_full > 0.0 && mb_s >= most_s);
}

/* Selects counts again that were done because their first offer is no bottleneck. Where volumes limit no phase, all
 * take as long and are as likely to be in time. Where they limit one as much as something else does (`ruled`: those
 * that were computed do), the chance depends on which of them is taken to limit it. */
static void reopen(Along *x, const Need *need, int computed, int ruled) {
  Ordered first;
  double time_s;
  for (int step = 0; step < x->l->counts; step++)
    if (x->done[step] && step != computed &&
        (ruled || (first_of(x, need, step, &first, &time_s) && may_limit(x, need, first.offer))))
      x->done[step] = 0;
}

/* Computes the cheapest unhindered offer; returns whether nothing else can be listed. */
static int settled_by(Along *x, const Need *need, const Need *close_need, const Unhindered *best, double unhindered_s,
                      double least_usd) {
  const VolumeType *t = x->t;
  Ordered first;
  double time_s;
  first_of(x, need, best->step, &first, &time_s);
  Visit made = {.accepted = 1};
  if (worthwhile(x, &first, &first)) made = order_one(x, &first);
  double told_usd = told_apart_usd(x, unhindered_s, best->usd);
  /* Whether the chance of others does not matter: with several required chances it always does. */
  int decided = made.accepted && !x->w->stairs, unhindered = made.work_s <= unhindered_s * (1.0 + SLACK);
  if (!decided) reopen(x, need, best->step, made.ruled);
  if (unhindered && !made.accepted && !made.ruled) return 0;
  unhindered = unhindered && (decided || (made.accepted && !made.ruled));
  /* Nothing costs less than the data's own GiB, and nothing is faster than without volumes. But fewer volumes are as
     good if the offers that they need instead cost next to nothing, or if credits that run out are the bottleneck; and
     if it is too unlikely to be in time, slower volumes may be likelier. */
  if (best->usd <= least_usd * (1.0 + SLACK) && unhindered && !x->w->stairs && !best->close_calls &&
      told_usd < t->step_usd)
    return 1;
  /* Of offers that cost the same in nine digits, the one with fewer volumes is listed. */
  for (int step = 0; step < best->step; step++)
    if (x->gib[step] * t->usd_per_gib <= best->usd + told_usd) x->done[step] = 0;
  if (!unhindered) leaf_of_count(x, close_need, 0, best->step, 1);
  if (unhindered && x->dearer_is_worse) x->most_usd = best->usd + told_usd;
  return 0;
}

/* Computes the least size of each count of volumes together. */
static void set_least_sizes(Along *x, double least_gib) {
  for (int step = 0; step < x->l->counts; step++) {
    double count = (double)x->w->q->counts[step], each = larger(ceil(least_gib / count), (double)x->t->smallest);
    x->gib[step] = count * each;
  }
}

/* Searches offers that more volumes beat, but perhaps not in the chance to be in time. */
static void leaf_beyond(Along *x, const Need *need) {
  Work *w = x->w;
  double least_s = w->least_s, surely = surely_s(w, x->l);
  if (surely > w->q->relaxed_deadline_s || x->place > doubtful_until(w, x->l)) return;
  x->beyond = 1;
  w->least_s = larger(least_s, surely);
  leaf_of_counts(x, need, 0, 0, x->l->counts - 1);
  w->least_s = least_s;
}

/* Searches the volumes of one instance type at one node count. */
static void leaf_on_volumes(Work *w, int32_t lane, int64_t place) {
  const Problem *q = w->q;
  const Lane *l = &q->lane[lane];
  const VolumeType *t = &q->volume[l->volume];
  View v = exact_view(w, l, place);
  Fixed fixed;
  Need need;
  Rates rates;
  Link link;
  rates_of(q, l, &v, &rates);
  link_of(q, l, &v, &link);
  need_of(w, l, &v, &rates, &link, &need, &fixed);
  /* If credits carry over between phases, a sum over phases is no tight bound, but the time without volumes is one: the
     credit that a slower phase saves never makes up for its time. */
  Need close_need = need;
  if (need.phases > 1 && (l->network_full > 0.0 || fixed.link.base.full > 0.0 || fixed.link.base_ios.full > 0.0)) {
    double ruled[CHANNELS] = {0};
    close_need.base_s = larger(need.base_s, phases_s(w, l, &v, &fixed, NULL, ruled));
  }
  double n = q->nodes[place], held = q->held_mb[place];
  const double *charges = q->charges + ((int64_t)l->klass * q->places + place) * 2;
  double least_gib = held / (n * q->mb_per_gib) * (1.0 - SLACK), least_usd = ceil(least_gib) * t->usd_per_gib;
  int bins, reason;
  Worth worth;
  const double *envelope = envelope_of(w, l, t, &bins);
  Relaxed relaxed = {w, l, t, envelope, &close_need, NULL, n, charges[0] + charges[1], least_gib};
  w->r->boxes++;
  if (!volumes_allowed(&relaxed, held, &reason) || !some_worth(&relaxed, bins, &worth, &reason)) {
    if (reason != NONE) refuse(w, lane, reason, candidates_in(w, l, place, place));
    return;
  }
  Need of_count = need;
  Along x = {.w = w,
             .l = l,
             .t = t,
             .v = &v,
             .fixed = &fixed,
             .need = &of_count,
             .place = place,
             .n = n,
             .charges = charges[0] + charges[1],
             .most_usd = INFINITY,
             .lane = lane,
             .likely = t->chains == 1 ? w->count[l->volume] : -1,
             .best = -1,
             .best_usd = INFINITY,
             .worth = worth};
  set_least_sizes(&x, least_gib);
  set_rules(&x, &need);
  /* With several phases, volumes that slow one of them may save credit of the link for the next. */
  double unhindered_s = (need.phases == 1 ? larger(need.total0, need.base_s) : need.total0) + need.overhead;
  Unhindered best = cheapest_unhindered(&x, &need, unhindered_s);
  of_count.base_s = close_need.base_s;
  if (best.step >= 0 && settled_by(&x, &need, &close_need, &best, unhindered_s, least_usd)) return;
  for (int chain = 0; chain < t->chains; chain++) leaf_of_counts(&x, &close_need, chain, 0, l->counts - 1);
  if (x.more_is_better && q->chance_z != -INFINITY) leaf_beyond(&x, &close_need);
  if (x.best >= 0) w->count[l->volume] = x.best;
}

#endif
