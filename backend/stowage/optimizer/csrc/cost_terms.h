/* Terms of a cost. scripts/cost_terms.py generates this file from stowage.model.money.terms. */
// clang-format off

#ifndef STOWAGE_COST_TERMS_H
#define STOWAGE_COST_TERMS_H

#include "search.h"

typedef struct {
  double nodes; /* 1 */
  double usd_per_hour; /* USD/h */
  double ebs_link_usd_per_hour; /* USD/h */
  double emr_usd_per_hour; /* USD/h */
  double volumes_usd_per_month; /* USD/month */
  double head_nodes; /* 1 */
  double head_usd_per_hour; /* USD/h */
  double head_emr_usd_per_hour; /* USD/h */
  double work_s; /* s */
  double rework_s; /* s */
  double launch_s; /* s */
  double minimum_billed_s; /* s */
  double committed_s; /* s */
  double screening; /* USD */
  double volume_io; /* USD */
  double object_store; /* USD */
  double traffic; /* USD */
} CostInputs;

static inline double billed_s(const CostInputs *v) {
  return larger((v->work_s + v->launch_s), v->minimum_billed_s);
}

static inline double last_billed_s(const CostInputs *v) {
  return larger(((v->work_s + v->rework_s) + v->launch_s), v->minimum_billed_s);
}

static inline double usd_per_s(const CostInputs *v) {
  return ((((v->nodes * ((v->usd_per_hour + v->ebs_link_usd_per_hour) + v->emr_usd_per_hour)) / 3600.0) + ((v->head_nodes * (v->head_usd_per_hour + v->head_emr_usd_per_hour)) / 3600.0)) + ((v->nodes * v->volumes_usd_per_month) / 2628000.0));
}

static inline double instances_usd(const CostInputs *v) {
  return (((v->nodes * v->usd_per_hour) * v->work_s) / 3600.0);
}

static inline double launch_usd(const CostInputs *v) {
  return (((v->nodes * v->usd_per_hour) * (billed_s(v) - v->work_s)) / 3600.0);
}

static inline double idle_commitment_usd(const CostInputs *v) {
  return (((v->nodes * v->usd_per_hour) * larger((v->committed_s - last_billed_s(v)), 0.0)) / 3600.0);
}

static inline double ebs_link_usd(const CostInputs *v) {
  return (((v->nodes * v->ebs_link_usd_per_hour) * billed_s(v)) / 3600.0);
}

static inline double ebs_volumes_usd(const CostInputs *v) {
  return ((v->nodes * (v->volumes_usd_per_month / 2628000.0)) * billed_s(v));
}

static inline double head_nodes_usd(const CostInputs *v) {
  return (((v->head_nodes * v->head_usd_per_hour) * billed_s(v)) / 3600.0);
}

static inline double emr_fee_usd(const CostInputs *v) {
  return ((((v->nodes * v->emr_usd_per_hour) + (v->head_nodes * v->head_emr_usd_per_hour)) * billed_s(v)) / 3600.0);
}

static inline double rework_usd(const CostInputs *v) {
  return (usd_per_s(v) * (last_billed_s(v) - billed_s(v)));
}

static inline double cost_usd(const CostInputs *v) {
  double usd = instances_usd(v);
  usd = usd + launch_usd(v);
  usd = usd + idle_commitment_usd(v);
  usd = usd + v->screening;
  usd = usd + ebs_link_usd(v);
  usd = usd + ebs_volumes_usd(v);
  usd = usd + v->volume_io;
  usd = usd + v->object_store;
  usd = usd + head_nodes_usd(v);
  usd = usd + emr_fee_usd(v);
  usd = usd + v->traffic;
  usd = usd + rework_usd(v);
  return usd;
}

#endif
