/* Dominance: with the same nodes and volumes one instance type is never slower and never costs more than another, and
   one volume type, with as many volumes, never than another. */

#ifndef STOWAGE_DOMINANCE_H
#define STOWAGE_DOMINANCE_H

#include <stdlib.h>

#include "search.h"

/* Compares two limits, of which 0 is none. */
static inline int allows(double a, double b) { return a == 0.0 || (b != 0.0 && a >= b); }

static int network_allows(const Lane *a, const Lane *b) {
  if (a->network_table >= 0 || b->network_table >= 0) return 0;
  if (!allows(a->network, b->network) || !allows(a->single_flow, b->single_flow)) return 0;
  /* Buckets: efficiencies reduce a baseline only if it has no credit. */
  if (a->network_base > 0.0 && (!allows(a->network_base, b->network_base) || a->network_full < b->network_full ||
                                (a->network_full > 0.0) != (b->network_full > 0.0)))
    return 0;
  int shares = a->outside_share > 0.0 || b->outside_share > 0.0;
  return shares ? a->outside == 0.0 && b->outside == 0.0 && allows(a->outside_share, b->outside_share)
                : allows(a->outside, b->outside);
}

/* The credit of a link lasts half an hour at its peak. So a link with a higher peak and a higher baseline moves at
 * least as much in any time, even if its credit is smaller. */
static int link_allows(const Lane *a, const Lane *b) {
  if (a->link_table != b->link_table || a->link_write_table != b->link_write_table) return 0;
  if ((a->link_read > 0.0) != (b->link_read > 0.0)) return 0;
  if (a->link_read > 0.0) return a->link_read >= b->link_read && a->link_write >= b->link_write;
  if (a->link_peak < b->link_peak || a->link_base < b->link_base) return 0;
  int limited = a->link_peak_iops > 0.0 && a->link_base_iops > 0.0;
  return !limited || (b->link_base_iops > 0.0 && b->link_peak_iops > 0.0 && a->link_peak_iops >= b->link_peak_iops &&
                      a->link_base_iops >= b->link_base_iops);
}

/* Compares the disks for intermediate data. */
static int scratch_allows(const Lane *a, const Lane *b) {
  if (a->inner == 0.0 && b->inner == 0.0) return 1;
  if (a->each_way != b->each_way || a->disk_table != b->disk_table) return 0;
  double more = a->inner / a->disk_divisor, less = b->inner / b->disk_divisor;
  return a->each_way ? more * a->disk_read >= less * b->disk_read && more * a->disk_write >= less * b->disk_write
                     : more * a->disk >= less * b->disk;
}

static int costs_no_more(const Prices *a, const Prices *b) {
  return a->usd_per_hour <= b->usd_per_hour && a->month_usd_per_hour <= b->month_usd_per_hour && a->link <= b->link &&
         a->emr <= b->emr && a->head_nodes == b->head_nodes && a->head <= b->head && a->head_emr <= b->head_emr &&
         a->launch_s <= b->launch_s && a->minimum_s <= b->minimum_s && a->committed_s <= b->committed_s;
}

static int no_worse(const Lane *a, const Lane *b) {
  return costs_no_more(&a->prices, &b->prices) && allows(a->cpu, b->cpu) && allows(a->store, b->store) &&
         a->store_remote == b->store_remote && a->spot == b->spot && a->restart == b->restart &&
         a->interruptions <= b->interruptions && a->replacement_s <= b->replacement_s && a->start_s <= b->start_s &&
         link_allows(a, b) && network_allows(a, b) && scratch_allows(a, b);
}

/* Finds the types that dominate each type: of each at most `most`, those with the highest prices first, -1 after the
 * last. `order` has the types by ascending price. Types without a price are unknown. Of equal types the first one
 * dominates the others. `memory`: of which a dominating type must have as much; NULL if it does not matter. */
void stowage_dominators(const Lane *type, int32_t types, const int32_t *order, const double *memory, int32_t most,
                        int32_t *dominators) {
  for (int32_t i = 0; i < types; i++) {
    const Lane *b = &type[order[i]];
    int32_t *found = dominators + (int64_t)order[i] * most, last = i, size = 0;
    while (last + 1 < types && type[order[last + 1]].prices.usd_per_hour == b->prices.usd_per_hour) last++;
    for (int32_t j = last; j >= 0 && size < most && b->prices.usd_per_hour > 0.0; j--) {
      const Lane *a = &type[order[j]];
      if (j == i || a->prices.usd_per_hour <= 0.0 || (memory && memory[order[j]] < memory[order[i]])) continue;
      if (!no_worse(a, b)) continue;
      if (order[j] < order[i] || !no_worse(b, a)) found[size++] = order[j];
    }
    while (size < most) found[size++] = -1;
  }
}

/* Returns whether a class has the flows and charges of the first one. */
static int is_like_first(const Problem *q, int32_t c) {
  int64_t charges = q->places * 2;
  return q->flows_of[c] == q->flows_of[0] &&
         !memcmp(q->charges, q->charges + c * charges, (size_t)charges * sizeof(double));
}

/* Returns whether a class has at least as much page cache as another. With page cache, credits count in another way: it
 * takes something in both or in none. */
static int caches_as_much(const Problem *q, int32_t a, int32_t b) {
  int64_t places = q->phases * q->places;
  for (int64_t i = 0; i < places && q->cache; i++) {
    double more = q->cache[a * places + i], less = q->cache[b * places + i];
    if (more < less || (more > 0.0) != (less > 0.0)) return 0;
  }
  return 1;
}

/* Ranges over all roles that use volumes, and whether two volume types count them in the same way. */
typedef struct {
  double least, most; /* I/Os per MB */
  int alike;
} Use;

static Use use_of(const Problem *q, const VolumeType *a, const VolumeType *b) {
  Use use = {INFINITY, 0.0, 1};
  for (int i = 0; i < q->phases * ROLES; i++) {
    int role = q->role[i];
    if (role < 0 || b->mb_weight[role] <= 0.0) continue;
    double ios = b->io_weight[role] / b->mb_weight[role];
    use.alike &= a->io_weight[role] == b->io_weight[role] && a->mb_weight[role] == b->mb_weight[role];
    use.least = smaller(use.least, ios);
    use.most = larger(use.most, ios);
  }
  return use;
}

/* Returns whether an offer is no slower than another for any load: I/Os and bytes take max(ios / a, bytes / b), which
 * is compared at the ends of the range of I/Os per MB. */
static int no_slower(const Use *use, const Offer *a, const Offer *b) {
  double mb_s = larger(use->least / b->burst_io, 1.0 / b->burst_mb) * (1.0 - SLACK);
  return (a->burst_mb >= b->burst_mb || 1.0 / a->burst_mb <= mb_s) &&
         (a->burst_io >= b->burst_io || use->most / a->burst_io <= 1.0 / b->burst_mb * (1.0 - SLACK));
}

/* Returns whether a volume costs no more than another whatever size they need. A GiB of it costs less. */
static int is_cheaper(const VolumeType *a, const VolumeType *b, const Offer *of_a, const Offer *of_b) {
  double size_a = (double)larger(of_a->size, a->smallest), size_b = (double)larger(of_b->size, b->smallest);
  return larger(size_a, size_b) * a->usd_per_gib + of_a->usd_iops + of_a->usd_throughput <=
         size_b * b->usd_per_gib + of_b->usd_iops + of_b->usd_throughput;
}

/* Which offers of a volume type another dominates: none, all, or all that are not faster than its fastest. */
enum { NO_OFFERS, SLOW_OFFERS, ALL_OFFERS };

typedef struct {
  int offers;
  double faster_usd; /* least monthly price of a faster offer, without its GiB */
} Dominated;

static Dominated dominated_offers(const Problem *q, const VolumeType *a, const VolumeType *b) {
  const Dominated none = {NO_OFFERS, INFINITY};
  Dominated found = {ALL_OFFERS, INFINITY};
  Use use = use_of(q, a, b);
  if (a->chains != 1 || b->chains != 1 || a->by_size || b->by_size || !use.alike) return none;
  if (a->usd_per_gib >= b->usd_per_gib || a->smallest > b->smallest || a->largest < b->largest) return none;
  if (isfinite(a->gib_limit) || isfinite(a->iops_limit) || isfinite(a->loss_limit)) return none;
  if (a->late_table >= 0 || b->late_table >= 0) return none;
  const Offer *of_a = a->offers + a->start[0], *last = a->offers + a->start[1] - 1;
  for (const Offer *of_b = b->offers + b->start[0]; of_b < b->offers + b->start[1]; of_b++) {
    while (of_a < last && !no_slower(&use, of_a, of_b)) of_a++;
    if (of_a->io_full > 0.0 || of_a->mb_full > 0.0 || of_b->io_full > 0.0 || of_b->mb_full > 0.0) return none;
    if (!is_cheaper(a, b, of_a, of_b)) return none;
    if (no_slower(&use, of_a, of_b)) continue;
    found.offers = SLOW_OFFERS;
    found.faster_usd = smaller(found.faster_usd, of_b->usd_iops + of_b->usd_throughput);
  }
  return found;
}

/* Returns whether a lane's link takes at least as long as volumes that are together so many times as fast as one with
 * an offer, whatever they move: bytes, or with `by_ios` I/Os. */
static int link_is_slower(const Problem *q, const Lane *l, const VolumeType *t, const Offer *o, double together,
                          int by_ios) {
  double merged_mb = 256.0 / 1024.0 * 1.048576;
  for (int i = 0; i < q->phases * ROLES; i++) {
    int role = q->role[i];
    if (role < 0 || t->mb_weight[role] <= 0.0) continue;
    double reach = (is_read(role) ? q->reads : q->writes) * together / q->slowed;
    double volume_s = larger(t->io_weight[role] / o->burst_io, t->mb_weight[role] / o->burst_mb) / reach;
    double ios = role == RND_READ || role == RND_WRITE ? 1.0 / q->random_io_mb : 1.0 / merged_mb;
    double rate = l->link_read <= 0.0 ? l->link_peak : is_read(role) ? l->link_read : l->link_write;
    double link_s = (by_ios ? ios / l->link_peak_iops : 1.0 / rate) * q->slowed_link;
    if (rate <= 0.0 || volume_s * (1.0 + SLACK) > link_s) return 0;
  }
  return 1;
}

/* Returns whether volumes of one type dominate those of another on a lane's instance type. Volumes that are faster than
 * the fastest of the dominating type do not help if enough of these are no slower than the link. If they are more than
 * the faster ones, their sizes are rounded up to a GiB more each, or to what an offer requires. */
static int volumes_dominate(const Problem *q, const Lane *l, const VolumeType *a, const Dominated *of_b) {
  if (of_b->offers != SLOW_OFFERS) return of_b->offers == ALL_OFFERS;
  /* With less than one stream at a time, more volumes are slower. */
  if (q->streams > 0.0 && q->streams < 1.0) return 0;
  const Offer *fastest = a->offers + a->start[1] - 1;
  double least_gib = 1.0 + (double)larger(fastest->size, a->smallest);
  double each_usd = least_gib * a->usd_per_gib + fastest->usd_iops + fastest->usd_throughput;
  int counts_ios = l->link_read <= 0.0 && l->link_peak_iops > 0.0 && l->link_base_iops > 0.0;
  for (int step = 0; step < l->counts; step++) {
    double count = (double)q->counts[step];
    double together = q->streams > 0.0 ? count * q->streams / (q->streams + count - 1.0) : count;
    if (count * each_usd > of_b->faster_usd) return 0;
    if (link_is_slower(q, l, a, fastest, together, 0)) return 1;
    if (counts_ios && link_is_slower(q, l, a, fastest, together, 1)) return 1;
  }
  return 0;
}

/* Finds lanes that dominate those for which no type does: of the same type, on cheaper volumes. `lane_of`: 1 + the lane
 * of each type and volume type; 0: none. */
static void find_above_by_volume(Work *w, const int32_t *lane_of) {
  const Problem *q = w->q;
  for (int32_t b = 0; b < q->volumes; b++) {
    Dominated dominated = {NO_OFFERS, INFINITY};
    int32_t a = 0;
    for (; a < q->volumes; a++) {
      dominated = dominated_offers(q, &q->volume[a], &q->volume[b]);
      if (dominated.offers != NO_OFFERS) break;
    }
    for (int32_t i = 0; i < q->lanes && dominated.offers != NO_OFFERS; i++) {
      const Lane *l = &q->lane[i];
      if (l->row < 0 || l->volume != b || w->above[i] >= 0) continue;
      int32_t at = lane_of[(int64_t)l->type * q->volumes + a] - 1;
      if (at < 0 || q->lane[at].first > l->first || q->lane[at].last < l->last || q->lane[at].counts < l->counts)
        continue;
      if (volumes_dominate(q, l, &q->volume[a], &dominated)) w->above[i] = at;
    }
  }
}

/* Finds a dominating lane for each lane on volumes, over at least its range: of a dominating type on the same volumes,
 * else of the same type on dominating volumes. */
static void find_above(Work *w) {
  const Problem *q = w->q;
  for (int32_t i = 0; i < q->lanes; i++) w->above[i] = -1;
  /* Under many limits at once, a dominating lane may be too late where another is in time. */
  if (!q->dominators || w->stairs || q->objective == BY_EXCESS) return;
  if (q->slowed_link < 1.0 || q->slowed_network < 1.0) return;
  int32_t *lane_of = calloc((size_t)q->types * (size_t)q->volumes + 1, sizeof(int32_t));
  int8_t *like = calloc((size_t)q->classes + 1, 1);
  int8_t *known = calloc((size_t)(q->classes * q->classes) + 1, 1); /* 1: class a is no worse than b, 2: it may be */
  for (int32_t c = 0; like && c < q->classes; c++) like[c] = (int8_t)is_like_first(q, c);
  for (int32_t i = 0; lane_of && known && like && i < q->lanes; i++)
    if (q->lane[i].row >= 0) lane_of[(int64_t)q->lane[i].type * q->volumes + q->lane[i].volume] = i + 1;
  for (int32_t i = 0; lane_of && known && like && i < q->lanes; i++) {
    const Lane *l = &q->lane[i];
    const int32_t *types = q->dominators + (int64_t)l->type * q->most_dominators;
    for (int d = 0; l->row >= 0 && d < q->most_dominators && types[d] >= 0; d++) {
      int32_t at = lane_of[(int64_t)types[d] * q->volumes + l->volume] - 1;
      if (at < 0) continue;
      const Lane *a = &q->lane[at];
      if (a->first > l->first || a->last < l->last || a->counts < l->counts) continue;
      int8_t *pair = &known[a->klass * q->classes + l->klass];
      int alike = a->klass == l->klass || (like[a->klass] && like[l->klass]);
      if (!*pair) *pair = alike && caches_as_much(q, a->klass, l->klass) ? 1 : 2;
      if (*pair == 2) continue;
      w->above[i] = at;
      break;
    }
  }
  if (lane_of) find_above_by_volume(w, lane_of);
  free(lane_of);
  free(known);
  free(like);
}

#endif
