/* One candidate, computed exactly: its time, its limits, its cost, and its place among the results. */

#ifndef STOWAGE_CANDIDATE_H
#define STOWAGE_CANDIDATE_H

#include <float.h>

#include "cost.h"
#include "phases.h"
#include "ranking.h"

static void refuse(const Work *w, int32_t lane, int reason, double count) {
  if (w->r->refused) w->r->refused[(int64_t)reason * w->q->lanes + lane] += count;
}

static inline int32_t *bare_at(const Work *w, const Lane *l, int64_t place) {
  return &w->bare[(int64_t)l->row * w->q->places + place];
}

/* Returns whether one division of disks ranks before another if all else is equal. */
static inline int divided_before(const Lane *a, const Lane *b) {
  return a->layout[0] != b->layout[0] ? a->layout[0] < b->layout[0] : a->layout[1] < b->layout[1];
}

/* Returns whether no larger amount can round to fewer nine digits, despite rounding errors. */
static inline int digits_last(const Problem *q, double amount, double amount9) {
  return nine_digits(q, amount * (1.0 - SLACK)) == amount9;
}

/* Notes that disks are no bottleneck of an accepted candidate. Any other division of this type's disks then takes no
 * less time, costs no less and has as many nodes, so it ranks after this one by time, cost, or division. Network credit
 * that a slower phase saves never makes up for its time. */
static void note_bare(Work *w, const Lane *l, const Candidate *found) {
  const Problem *q = w->q;
  int32_t *bare = bare_at(w, l, found->place);
  if (*bare && !divided_before(l, &q->lane[*bare - 1])) return;
  if (digits_last(q, found->time_s, found->time9) && digits_last(q, found->cost_usd, found->cost9) &&
      digits_last(q, found->value, found->value9))
    *bare = found->lane + 1;
}

/* Returns whether at all these places a division of disks that ranks before the lane's is known to be no bottleneck. */
static int all_bare(const Work *w, const Lane *l, int64_t first, int64_t last) {
  if (!w->bare) return 0;
  for (int64_t place = first < l->first ? l->first : first; place <= last && place <= l->last; place++) {
    int32_t bare = *bare_at(w, l, place);
    if (!bare || !divided_before(&w->q->lane[bare - 1], l)) return 0;
  }
  return 1;
}

/* How a candidate compares with the deadline: later, within, or so close that only the model can tell. */
typedef enum { TOO_LATE, IN_TIME, AT_THE_DEADLINE } Punctuality;

/* Returns the deviation of the logarithm of a candidate's time. `ruled`: time by limiting channel. */
static double log_deviation(const Problem *q, const Lane *l, int64_t place, double work_s,
                            const double ruled[CHANNELS]) {
  double variance = q->error[place] * q->error[place], straggling = q->deviation[place] * q->deviation[place],
         whole = larger(work_s, DBL_MIN);
  for (int i = 0; i < CHANNELS; i++) {
    if (ruled[i] == 0.0) continue;
    double own = l->doubt[i], spread = i == STORAGE ? l->spread_storage : i == LINK ? l->spread_link : 0.0;
    if (i == NETWORK && l->doubt_table >= 0) {
      double doubt = q->table[l->doubt_table * q->places + place];
      own += doubt * doubt;
    }
    own += spread * spread * straggling;
    own *= (ruled[i] / whole) * (ruled[i] / whole);
    variance += own;
  }
  return sqrt(variance);
}

/* Compares a candidate with the deadline, at the median or with the required chance. */
static Punctuality punctuality(const Problem *q, const Lane *l, int64_t place, double work_s, double time_s,
                               const double ruled[CHANNELS]) {
  if (q->chance_z == -INFINITY) return time_s > q->deadline_s ? TOO_LATE : IN_TIME;
  double away = log(q->deadline_s / larger(time_s, DBL_MIN));
  double needed = q->chance_z * log_deviation(q, l, place, work_s, ruled);
  double edge = 1e-9 * (1.0 + fabs(needed));
  return away < needed - edge ? TOO_LATE : away < needed + edge ? AT_THE_DEADLINE : IN_TIME;
}

/* Returns the monthly price of a node's volumes. */
static inline double volumes_usd_per_month(const VolumeType *t, int32_t count, int32_t size, const Offer *o) {
  if (!t) return 0.0;
  double each = (double)size * t->usd_per_gib;
  each = each + o->usd_iops;
  each = each + o->usd_throughput;
  return (double)count * each;
}

/* The value that the search minimizes. `exposed`: units, or unit-seconds, that may lose data. */
static inline double value_of(const Problem *q, const Lane *l, const double *charges, double n, double volumes_month,
                              double time_s, double cost, double exposed) {
  switch (q->objective) {
    case BY_COST:
      return cost;
    case BY_TIME:
      return time_s;
    case BY_MONTH:
      return month_cost(q, l, charges, n, volumes_month);
    default: {
      double excess = larger(larger(q->excess_time * time_s, q->excess_cost * cost), q->excess_nodes * l->weight * n);
      return larger(excess, q->excess_units * exposed);
    }
  }
}

/* Returns whether the model rejected this candidate, which is within rounding of a limit, in an earlier search. */
static int is_banned(const Problem *q, const Candidate *found) {
  for (int i = 0; found->on_edge && i < q->banned_count; i++)
    if (q->banned[i].lane == found->lane && q->banned[i].place == found->place &&
        !memcmp(q->banned[i].layout, found->layout, sizeof found->layout))
      return 1;
  return 0;
}

static inline void set_layout(Candidate *found, const Lane *l, int32_t count, int32_t size, const Offer *o) {
  found->layout[0] = o ? count : l->layout[0];
  found->layout[1] = o ? size : l->layout[1];
  found->layout[2] = o ? o->iops : 0;
  found->layout[3] = o ? o->throughput : 0;
}

/* What became of a candidate. */
typedef struct {
  double work_s; /* time without interruptions */
  int accepted;  /* whether it meets the limits */
  int ruled;     /* whether volumes limit a phase */
} Visit;

static Visit refused(const Work *w, int32_t lane, int reason, Visit made) {
  refuse(w, lane, reason, 1.0);
  return made;
}

/* Computes a candidate and stores it if it meets the limits. */
static Visit visit(Work *w, int32_t lane, int64_t place, const View *v, const Fixed *fixed, int32_t count, int32_t size,
                   const Offer *o) {
  const Problem *q = w->q;
  const Lane *l = &q->lane[lane];
  const VolumeType *t = l->volume >= 0 ? &q->volume[l->volume] : NULL;
  double n = q->nodes[place], ruled[CHANNELS] = {0};
  Volumes all;
  if (t) volumes_of(q, t, o, count, place, &all);
  w->r->computed++;
  double work_s = phases_s(w, l, v, fixed, t ? &all : NULL, ruled);
  work_s = work_s + v->overhead;
  work_s = work_s + l->start_s;
  double time_s = l->spot ? expected_s(l, n, work_s) : work_s, rework_s = l->spot ? time_s - work_s : 0.0;
  Visit made = {work_s, 0, ruled[VOLUMES] > 0.0};
  if (l->spot && time_s > NEVER_FINISHES * work_s) return refused(w, lane, ENDLESS, made);
  Punctuality punctual = w->stairs ? IN_TIME : punctuality(q, l, place, work_s, time_s, ruled);
  if (punctual == TOO_LATE) return refused(w, lane, LATE, made);
  /* The number of objects in an object store does not depend on the number of nodes. */
  double units = l->store_remote ? 1.0 : count > 0 ? n * (double)count : n;
  double exposed = q->stays ? units : units * time_s, most = t ? t->loss_limit : q->loss_limit;
  if (exposed > most * (1.0 + SLACK)) return refused(w, lane, LOSSY, made);
  double volumes_month = volumes_usd_per_month(t, count, size, o);
  const double *charges = q->charges + ((int64_t)l->klass * q->places + place) * 2;
  double cost = run_cost(l, charges, n, volumes_month, work_s, rework_s);
  if (cost > q->budget_usd) return refused(w, lane, DEAR, made);
  Candidate found = {.time_s = time_s,
                     .cost_usd = cost,
                     .time9 = nine_digits(q, time_s),
                     .cost9 = nine_digits(q, cost),
                     .nodes = n,
                     .lane = lane,
                     .place = (int32_t)place,
                     .on_edge = punctual == AT_THE_DEADLINE || exposed > most * (1.0 - SLACK)};
  set_layout(&found, l, count, size, o);
  if (is_banned(q, &found)) return made;
  made.accepted = 1;
  found.value = value_of(q, l, charges, n, volumes_month, time_s, cost, exposed);
  found.value9 = nine_digits(q, found.value);
  if (w->bare && l->volume < 0 && ruled[STORAGE] == 0.0) note_bare(w, l, &found);
  if (w->stairs) {
    keep_stair(w, &found, o, log_deviation(q, l, place, work_s, ruled));
    return made;
  }
  keep_row(w, &found);
  if (q->want_frontier) keep_point(w, &found);
  return made;
}

#endif
