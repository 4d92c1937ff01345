/* Cost of a run and of a month, as `model.money` computes it. */

#ifndef STOWAGE_COST_H
#define STOWAGE_COST_H

#include "cost_terms.h"
#include "search.h"

static double run_cost(const Lane *l, const double charges[2], double n, double volumes_month, double work_s,
                       double rework_s) {
  const Prices *c = &l->prices;
  CostInputs inputs = {.nodes = n,
                       .usd_per_hour = c->usd_per_hour,
                       .ebs_link_usd_per_hour = c->link,
                       .emr_usd_per_hour = c->emr,
                       .volumes_usd_per_month = volumes_month,
                       .head_nodes = c->head_nodes,
                       .head_usd_per_hour = c->head,
                       .head_emr_usd_per_hour = c->head_emr,
                       .work_s = work_s,
                       .rework_s = rework_s,
                       .launch_s = c->launch_s,
                       .minimum_billed_s = c->minimum_s,
                       .committed_s = c->committed_s,
                       .object_store = charges[0],
                       .traffic = charges[1]};
  return cost_usd(&inputs);
}

static double month_cost(const Problem *q, const Lane *l, const double charges[2], double n, double volumes_month) {
  Lane kept;
  double of_runs[2] = {charges[0] * q->runs_per_month, charges[1] * q->runs_per_month};
  kept.prices = l->prices;
  kept.prices.usd_per_hour = l->prices.month_usd_per_hour;
  kept.prices.launch_s = kept.prices.minimum_s = kept.prices.committed_s = 0.0;
  return run_cost(&kept, of_runs, n, volumes_month, MONTH_S, 0.0);
}

/* Returns the expected time on spot instances, as `spot.Spot.expected_s`. */
static double expected_s(const Lane *l, double n, double work_s) {
  double rate = l->interruptions / 3600.0;
  double hazard = larger(rate * work_s, 1e-200);
  double exponent = smaller(n * hazard, 50.0);
  double factor = expm1(exponent) / exponent;
  if (!l->restart && hazard < 1.0) {
    double share = -log1p(-smaller(hazard, 1.0 - 0x1p-53)) / hazard;
    factor = smaller(factor, share);
  }
  double waited = rate * l->replacement_s;
  return work_s * larger(factor, 1.0) * (1.0 + (l->restart ? n * waited : waited));
}

/* Returns a lower bound of `expected_s` in units of the work: the first terms of the series of both factors, which have
 * no negative terms. Without exponentials and logarithms it takes a fifth of the time. */
static double least_stretch(const Lane *l, double n, double work_s) {
  double rate = l->interruptions * PER_HOUR, h = rate * work_s, x = n * h;
  if (x > 0.5 && (l->restart || h > 0.2)) return expected_s(l, n, work_s) / work_s;
  double factor = 1.0 + x * (1.0 / 2.0 + x * (1.0 / 6.0 + x * (1.0 / 24.0 + x / 120.0)));
  if (!l->restart) factor = smaller(factor, 1.0 + h * (1.0 / 2.0 + h * (1.0 / 3.0 + h * (1.0 / 4.0 + h / 5.0))));
  double waited = rate * l->replacement_s;
  return factor * (1.0 + (l->restart ? n * waited : waited));
}

#endif
