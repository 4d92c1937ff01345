/* The best EBS volumes of one instance type at one node count. */

#ifndef STOWAGE_VOLUMES_H
#define STOWAGE_VOLUMES_H

#include "along.h"

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

/* Returns whether volumes within some spans can be listed with some node counts. What breaks a limit is useful where it
 * is to be counted. */
static int spans_useful(const Relaxed *x, const Span *span, int spans, double fewest, double most) {
  const Problem *q = x->w->q;
  for (int i = 0; i < spans; i++) {
    double time_s = larger(span[i].time_s, span[i].node_s / most);
    double node_s = larger(span[i].node_s, span[i].time_s * fewest);
    Bound b = bound_of(x->w, x->l, fewest, x->charges, node_s, time_s, span[i].month_usd);
    int broken = b.time_s * (1.0 - SLACK) > q->relaxed_deadline_s || b.cost_usd * (1.0 - SLACK) > q->budget_usd;
    if ((broken && x->w->r->refused) || useful(x->w, x->l, &b)) return 1;
  }
  return 0;
}

/* Returns the fewest nodes that can be listed with volumes within some spans, or with `from_most` the most; 0 if none
 * can. */
static double end_of_useful(const Relaxed *x, const Span *span, int spans, double fewest, double most, int from_most) {
  if (!spans_useful(x, span, spans, fewest, most)) return 0.0;
  if (most <= fewest * PART) return from_most ? most : fewest;
  double middle = floor(sqrt(fewest * most));
  double found = from_most ? end_of_useful(x, span, spans, middle + 1.0, most, 1)
                           : end_of_useful(x, span, spans, fewest, middle, 0);
  if (found > 0.0) return found;
  return from_most ? end_of_useful(x, span, spans, fewest, middle, 1)
                   : end_of_useful(x, span, spans, middle + 1.0, most, 0);
}

/* Returns the first place in [first, end) with at least so many nodes; `end` if none has. */
static int64_t place_with(const Problem *q, double nodes, int64_t first, int64_t end) {
  while (first < end) {
    int64_t middle = first + (end - first) / 2;
    if (q->nodes[middle] >= nodes)
      end = middle;
    else
      first = middle + 1;
  }
  return first;
}

/* Narrows the search, which a wide box on volumes contains, to places that can be listed; returns 0 if none can. Fewer
 * nodes take longer, and more nodes cost more: something as fast as the most nodes and as cheap as the fewest may be
 * useful although nothing in between is. The parts of the box tell, with the bounds of the whole box. */
static int narrow(Work *w, const Lane *l, int64_t k, const Box *box) {
  const Problem *q = w->q;
  int bins, spans = 0;
  Relaxed x = relaxed_of(w, l, k, box, &bins);
  int knee = knee_of(&x, bins);
  Span span[3];
  span[spans++] = span_of(&x, knee, knee);
  if (knee > 0) span[spans++] = span_of(&x, 0, knee - 1);
  if (knee + 1 < bins) span[spans++] = span_of(&x, knee + 1, bins - 1);
  double fewest = end_of_useful(&x, span, spans, q->nodes[w->from], q->nodes[w->until], 0);
  if (fewest == 0.0) return 0;
  double most = end_of_useful(&x, span, spans, fewest, q->nodes[w->until], 1);
  w->from = place_with(q, fewest, w->from, w->until + 1);
  w->until = place_with(q, most + 1.0, w->from, w->until + 1) - 1;
  return w->from <= w->until;
}

/* Returns whether some volumes of a box can be listed. In bounds, offers that more volumes beat need not be asked. */
static int some_useful(Work *w, int32_t lane, int64_t k, const Box *box) {
  const Lane *l = &w->q->lane[lane];
  const VolumeType *t = &w->q->volume[l->volume];
  int bins, reason;
  Worth worth;
  Relaxed relaxed = relaxed_of(w, l, k, box, &bins);
  if (!some_worth(&relaxed, bins, &worth, &reason)) return 0;
  Need of_count = box->need;
  Along x = {.w = w,
             .l = l,
             .t = t,
             .need = &of_count,
             .n = w->nodes_low[k],
             .most_n = w->nodes_high[k],
             .held_mb = w->held_low[k],
             .charges = w->charges_low[k],
             .most_usd = INFINITY,
             .lane = lane,
             .likely = -1,
             .best = -1,
             .best_usd = INFINITY,
             .only_ask = 1,
             .worth = worth};
  set_least_sizes(&x, relaxed.held_gib * (1.0 - SLACK));
  set_rules(&x, &box->need);
  for (int chain = 0; chain < t->chains && !x.found; chain++) leaf_of_counts(&x, &box->need, chain, 0, l->counts - 1);
  return x.found;
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
    refuse_all(w, lane, reason, place, place);
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
             .most_n = n,
             .held_mb = held,
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
