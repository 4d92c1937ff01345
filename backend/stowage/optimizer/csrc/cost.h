/* Cost of a run and of a month, as `model.money` computes it. */

#ifndef STOWAGE_COST_H
#define STOWAGE_COST_H

#include "search.h"

static double run_cost(const Lane *l, const double charges[2], double n, double volumes_month, double work_s,
                       double rework_s) {
  const Prices *c = &l->prices;
  double billed_s = c->launch_s != 0.0 ? work_s + c->launch_s : work_s;
  if (c->minimum_s > c->launch_s) billed_s = larger(billed_s, c->minimum_s);
  double hourly = n * c->usd_per_hour, volumes = 0.0;
  if (volumes_month != 0.0) volumes = n * (volumes_month / MONTH_S) * billed_s;
  double rework = 0.0;
  if (rework_s != 0.0) {
    double longer_s = work_s + rework_s;
    double after_s = c->launch_s != 0.0 ? longer_s + c->launch_s : longer_s;
    if (c->minimum_s > c->launch_s) after_s = larger(after_s, c->minimum_s);
    double node_hour = c->usd_per_hour + c->link + c->emr;
    double usd_per_s = n * node_hour / 3600.0;
    if (c->head_nodes != 0.0) usd_per_s = usd_per_s + c->head_nodes * (c->head + c->head_emr) / 3600.0;
    if (volumes_month != 0.0) usd_per_s = usd_per_s + n * volumes_month / MONTH_S;
    rework = usd_per_s * (after_s - billed_s);
  }
  double total = hourly * work_s / 3600.0;
  if (billed_s != work_s) total = total + hourly * (billed_s - work_s) / 3600.0;
  total = total + n * c->link * billed_s / 3600.0;
  total = total + volumes;
  total = total + c->head_nodes * c->head * billed_s / 3600.0;
  total = total + (n * c->emr * billed_s / 3600.0 + c->head_nodes * c->head_emr * billed_s / 3600.0);
  total = total + charges[0];
  total = total + charges[1];
  total = total + rework;
  if (c->committed_s > billed_s) total = total + hourly * (c->committed_s - billed_s) / 3600.0;
  return total;
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

#endif
