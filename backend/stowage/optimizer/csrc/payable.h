/* Bounds of the cost, and the prices of volumes that can be listed with a known time. */

#ifndef STOWAGE_PAYABLE_H
#define STOWAGE_PAYABLE_H

#include "candidate.h"

/* Lower bounds without volumes, and what a monthly price of one USD for each node's volumes adds to cost and value. */
typedef struct {
  Bound without;
  double cost_each, value_each;
} Unpriced;

/* As `bound_of` without volumes. */
INLINED Unpriced unpriced(const Work *w, const Lane *l, double n_low, double charges, double node_s, double time_s) {
  const Problem *q = w->q;
  const Prices *c = &l->prices;
  if (l->spot && time_s > 0.0) {
    /* Interruptions lengthen a job by a larger factor if it is longer or has more nodes. */
    double stretch = least_stretch(l, n_low, time_s);
    time_s *= stretch;
    node_s *= stretch;
  }
  time_s = larger(time_s, w->least_s);
  node_s = larger(node_s, n_low * w->least_s);
  double billed = larger(node_s + n_low * c->launch_s, n_low * c->minimum_s);
  double billed_s = larger(time_s + c->launch_s, c->minimum_s);
  double cost = c->usd_per_hour * PER_HOUR * larger(billed, n_low * c->committed_s) +
                (c->link + c->emr) * PER_HOUR * billed + c->head_nodes * (c->head + c->head_emr) * PER_HOUR * billed_s +
                charges;
  Unpriced u = {{cost, time_s, cost}, PER_MONTH * billed, PER_MONTH * billed};
  switch (q->objective) {
    case BY_COST:
      break;
    case BY_TIME:
      u.without.value = time_s;
      u.value_each = 0.0;
      break;
    case BY_MONTH:
      u.without.value = n_low * (c->month_usd_per_hour + c->link + c->emr) * 730.0 +
                        c->head_nodes * (c->head + c->head_emr) * 730.0 + charges * q->runs_per_month;
      u.value_each = n_low;
      break;
    default:
      u.without.value = larger(larger(q->excess_time * time_s, q->excess_nodes * l->weight * n_low),
                               q->excess_units * (q->stays ? n_low : n_low * time_s));
  }
  return u;
}

/* Returns the bounds with volumes of a monthly price on each node. */
static inline Bound priced(const Problem *q, const Unpriced *u, double month_usd) {
  Bound b = u->without;
  b.cost_usd += month_usd * u->cost_each;
  if (q->objective == BY_EXCESS)
    b.value = larger(b.value, q->excess_cost * b.cost_usd);
  else
    b.value += month_usd * u->value_each;
  return b;
}

/* Returns lower bounds of the time and the cost of at least n_low nodes that work `node_s` node-seconds and `time_s`
 * seconds, with volumes of this monthly price on each node. */
static inline Bound bound_of(const Work *w, const Lane *l, double n_low, double charges, double node_s, double time_s,
                             double month_usd) {
  Unpriced u = unpriced(w, l, n_low, charges, node_s, time_s);
  return priced(w->q, &u, month_usd);
}

/* Returns the highest monthly price of a node's volumes with which a candidate with these bounds can be within the
 * budget. */
static inline double within_budget_usd(const Problem *q, const Unpriced *u) {
  return (q->budget_usd * (1.0 + 4.0 * SLACK) - u->without.cost_usd) / u->cost_each;
}

/* Returns the highest monthly price of a node's volumes with which a candidate with these bounds can be listed; NAN
 * where `useful` has to be asked for every price. */
static double highest_usd(Work *w, const Lane *l, const Unpriced *u) {
  const Problem *q = w->q;
  if (w->stairs || q->objective == BY_EXCESS) return NAN;
  double time_s = u->without.time_s * (1.0 - SLACK), most = most_value(w, l), highest;
  if (time_s > q->relaxed_deadline_s) return -INFINITY;
  double covered_usd =
      q->want_frontier ? covered_from(w, time_s * w->resolved) / w->resolved * (1.0 + 4.0 * SLACK) : -INFINITY;
  if (q->objective != BY_TIME) {
    double in_value = larger(most * (1.0 + 2.0 * TIE), covered_usd);
    highest = (in_value - u->without.value) / u->value_each;
  } else if (time_s <= most * (1.0 - TIE)) {
    highest = INFINITY;
  } else if (time_s <= most * (1.0 + TIE)) {
    return NAN;
  } else {
    highest = (covered_usd - u->without.cost_usd) / u->cost_each;
  }
  return isfinite(q->budget_usd) ? smaller(highest, within_budget_usd(q, u)) : highest;
}

/* Volumes whose time is known, at several prices. */
typedef struct {
  Work *w;
  const Lane *l;
  Unpriced bounds;
  double most_usd; /* NAN: `useful` tells */
} Payable;

static inline int payable(const Payable *p, double month_usd) {
  if (!isnan(p->most_usd)) return month_usd <= p->most_usd;
  Bound b = priced(p->w->q, &p->bounds, month_usd);
  return useful(p->w, p->l, &b);
}

/* Returns the last of [low, high], whose prices ascend, that is payable; low - 1 if none is. Mostly it is near the
 * last. `usd`: their prices. */
static inline int32_t last_payable(const Payable *p, double (*usd)(const void *, int32_t), const void *of, int32_t low,
                                   int32_t high) {
  if (!payable(p, usd(of, low))) return low - 1;
  if (payable(p, usd(of, high))) return high;
  for (int32_t step = 1, galloping = 1; high - low > 1; step *= 2) {
    int32_t at = galloping && step < high - low ? high - step : low + (high - low) / 2;
    if (payable(p, usd(of, at))) {
      low = at;
      galloping = 0;
    } else {
      high = at;
    }
  }
  return low;
}

#endif
