/* Time of a job's phases on one lane, as `model.rates` and `model.hardware.resource` compute it. */

#ifndef STOWAGE_PHASES_H
#define STOWAGE_PHASES_H

#include "search.h"

static inline double slowest(const View *v, double rate, int32_t table) {
  return table < 0 ? rate : rate / v->slow[table * v->table_stride + v->at];
}

static inline double even(const Work *w, const double *f, int p, int group, double rate) {
  double load = 0.0;
  for (int i = 0; i < w->group_size[p][group]; i++) load += f[w->groups[p][group][i]];
  return load / rate;
}

static inline double only(const Work *w, const double *f, int p, int role) {
  int slot = w->slot[p][role];
  return slot < 0 ? 0.0 : f[slot];
}

/* Groups of flows over the network in each direction: with input and output if the object store holds them, else with
 * the data that is copied from it and to it. */
static inline int outwards(const Lane *l) { return l->store_remote ? G_OUT : G_SENT; }
static inline int inwards(const Lane *l) { return l->store_remote ? G_IN : G_RECEIVED; }

/* Disks as in `rates._disks`: one rate for reads and writes, or seconds per MB for each direction. */
typedef struct {
  double read_weight, write_weight, rate; /* rate 0: no limit */
} Disks;

static inline Disks disks_of(const Problem *q, double rate, double written, int each_way, double unit) {
  double busy = q->streams > 0.0 ? q->streams / (q->streams + 1.0 - 1.0) : 1.0;
  double read_reach = q->reads * busy, write_reach = q->writes * busy;
  double read = each_way ? 1.0 / (rate * unit) : 1.0 / unit, write = each_way ? 1.0 / (written * unit) : 1.0 / unit;
  return (Disks){read / read_reach, write / write_reach, (each_way ? 1.0 : rate) / q->slowed};
}

static inline double disks(const Work *w, const Disks *d, const double *f, int p, int group, double cached) {
  double load = 0.0;
  for (int i = 0; i < w->group_size[p][group]; i++) {
    int slot = w->groups[p][group][i];
    load += (is_read(w->q->role[p * ROLES + slot]) ? d->read_weight : d->write_weight) * f[slot];
  }
  if (cached > 0.0) load = larger(load - d->write_weight * cached, 0.0);
  return load / d->rate;
}

/* Rates of the resources without credit, for any phase; 0 is no limit. */
typedef struct {
  double network, between, outside, store, cpu;
  Disks outer, random, inner;
} Rates;

static void rates_of(const Problem *q, const Lane *l, const View *v, Rates *r) {
  memset(r, 0, sizeof *r);
  if (l->network > 0.0) {
    double rate = l->network_table < 0 ? l->network : v->curve[l->network_table * v->table_stride + v->at];
    r->network = rate / q->slowed_network;
    if (l->single_flow > 0.0) r->between = larger(v->nodes_high - 1.0, 1.0) * l->single_flow / q->slowed_network;
    if (l->outside > 0.0 || l->outside_share > 0.0)
      r->outside = (l->outside > 0.0 ? l->outside : l->outside_share * rate) / q->slowed_network;
  }
  if (l->store > 0.0) r->store = l->store / q->slowed_store;
  double disk = 0.0, written = 0.0;
  if (l->outer > 0.0 || l->inner > 0.0) {
    if (l->each_way) {
      disk = slowest(v, l->disk_read, l->disk_table) / l->disk_divisor;
      written = slowest(v, l->disk_write, l->disk_table) / l->disk_divisor;
    } else if (l->disk > 0.0) {
      disk = slowest(v, l->disk, l->disk_table) / l->disk_divisor;
    }
  }
  if (l->outer > 0.0 && disk > 0.0) r->outer = disks_of(q, l->outer * disk, l->outer * written, l->each_way, 1.0);
  if (l->outer > 0.0 && (l->iops > 0.0 || l->iops_read > 0.0)) {
    double rate = slowest(v, l->iops_each_way ? l->iops_read : l->iops, l->iops_table) / 1.0;
    double writes = l->iops_each_way ? slowest(v, l->iops_write, l->iops_table) / 1.0 : 0.0;
    r->random = disks_of(q, l->outer_share * rate, l->outer_share * writes, l->iops_each_way, q->random_io_mb);
  }
  if (l->inner > 0.0 && disk > 0.0) r->inner = disks_of(q, l->inner * disk, l->inner * written, l->each_way, 1.0);
  if (l->cpu > 0.0) r->cpu = l->cpu / q->slowed_cpu;
}

/* Computes the time of a phase on each channel, for the resources without credit. */
static void fixed_part(const Work *w, const Lane *l, const View *v, const Rates *r, int p, double t[CHANNELS]) {
  const Problem *q = w->q;
  const double *f = v->flows + p * v->phase_stride;
  double cached = v->cache ? v->cache[p * v->cache_stride] : 0.0;
  for (int i = 0; i < CHANNELS; i++) t[i] = 0.0;
  if (r->network > 0.0) {
    t[NETWORK] = larger(even(w, f, p, outwards(l), r->network), even(w, f, p, inwards(l), r->network));
    if (r->between > 0.0)
      t[NETWORK] = larger(t[NETWORK], larger(only(w, f, p, NET_OUT) / r->between, only(w, f, p, NET_IN) / r->between));
    if (r->outside > 0.0)
      t[NETWORK] =
          larger(t[NETWORK], larger(only(w, f, p, DELIVERED) / r->outside, only(w, f, p, FETCHED) / r->outside));
  }
  if (r->store > 0.0) t[STORE] = larger(even(w, f, p, l->store_remote ? G_OUTER : G_COPIED, r->store), 0.0);
  if (r->outer.rate > 0.0) t[STORAGE] = disks(w, &r->outer, f, p, l->shared ? G_SHARED : G_OUTER, cached);
  if (r->random.rate > 0.0 && w->group_size[p][G_RANDOM] > 0)
    t[STORAGE] = larger(t[STORAGE], disks(w, &r->random, f, p, G_RANDOM, 0.0));
  if (r->inner.rate > 0.0) t[STORAGE] = larger(t[STORAGE], disks(w, &r->inner, f, p, G_INNER, 0.0));
  if (r->cpu > 0.0) t[PROCESSOR] = only(w, f, p, CPU) / r->cpu;
  if (q->link_in > 0.0) t[DATA_LINK] = only(w, f, p, LINK_IN) / q->link_in;
  if (q->link_out > 0.0) t[DATA_LINK] = larger(t[DATA_LINK], only(w, f, p, LINK_OUT) / q->link_out);
}

/* A limit with burst credit. */
typedef struct {
  double rate, credit, full, first;
} Bucket;

static inline Bucket bucket_with(double rate, double full, double level) {
  return (Bucket){rate, full * level, full, full * level};
}

static inline void spend(Bucket *b, double load, double time_s) {
  if (b->full > 0.0) b->credit = larger(0.0, smaller(b->full, (b->credit - load) + b->rate * time_s));
}

static inline double taken(const Bucket *b, double load, double extra, int fresh) {
  double credit = (fresh ? b->first : b->credit) + extra;
  return larger((load - credit) / b->rate, 0.0);
}

static inline double weighed(const Work *w, const double *f, int p, int group, const double *weight) {
  double load = 0.0;
  for (int i = 0; i < w->group_size[p][group]; i++) {
    int slot = w->groups[p][group][i];
    load += weight[w->q->role[p * ROLES + slot]] * f[slot];
  }
  return load;
}

/* The link to EBS: weights and limits as in `rates._input_output`. */
typedef struct {
  double weight[ROLES];
  double ios[ROLES];
  int measured, counts_ios;
  double peak, peak_ios;
  Bucket base, base_ios;
} Link;

static void link_of(const Problem *q, const Lane *l, const View *v, Link *link) {
  memset(link, 0, sizeof *link);
  if (l->link_read > 0.0) {
    double read = slowest(v, l->link_read, l->link_table), write = slowest(v, l->link_write, l->link_write_table);
    double ratio = read / write;
    link->measured = 1;
    link->peak = read / q->slowed_link;
    link->weight[IN_READ] = link->weight[RND_READ] = 1.0;
    link->weight[OUT_WRITE] = link->weight[RND_WRITE] = ratio;
    return;
  }
  double peak = slowest(v, l->link_peak, l->link_table), base = slowest(v, l->link_base, l->link_table);
  double full = larger(peak - base, 0.0) * 1800.0;
  link->weight[IN_READ] = link->weight[OUT_WRITE] = link->weight[RND_READ] = link->weight[RND_WRITE] = 1.0;
  link->peak = peak / q->slowed_link;
  link->base = bucket_with(full > 0.0 ? base : base / q->slowed_link, full, q->credits);
  if (l->link_peak_iops > 0.0 && l->link_base_iops > 0.0) {
    double merged_mb = 256.0 / 1024.0 * 1.048576;
    link->counts_ios = 1;
    link->ios[IN_READ] = link->ios[OUT_WRITE] = 1.0 / merged_mb;
    link->ios[RND_READ] = link->ios[RND_WRITE] = 1.0 / q->random_io_mb;
    full = larger(l->link_peak_iops - l->link_base_iops, 0.0) * 1800.0;
    link->peak_ios = l->link_peak_iops / q->slowed_link;
    link->base_ios = bucket_with(full > 0.0 ? l->link_base_iops : l->link_base_iops / q->slowed_link, full, q->credits);
  }
}

static inline double link_time(const Work *w, Link *k, const double *f, int p, double cached) {
  double load = weighed(w, f, p, G_VOLUME, k->weight);
  double t = larger((load - (cached > 0.0 ? k->weight[OUT_WRITE] * cached : 0.0)) / k->peak, 0.0);
  if (k->measured) return t;
  t = larger(t, taken(&k->base, load, cached > 0.0 ? k->weight[OUT_WRITE] * cached : 0.0, cached > 0.0));
  if (k->counts_ios) {
    double ios = weighed(w, f, p, G_VOLUME, k->ios), more = cached > 0.0 ? k->ios[OUT_WRITE] * cached : 0.0;
    t = larger(t, larger((ios - more) / k->peak_ios, 0.0));
    t = larger(t, taken(&k->base_ios, ios, more, cached > 0.0));
  }
  return t;
}

static inline void link_after(const Work *w, Link *k, const double *f, int p, double time_s) {
  if (k->measured) return;
  spend(&k->base, weighed(w, f, p, G_VOLUME, k->weight), time_s);
  if (k->counts_ios) spend(&k->base_ios, weighed(w, f, p, G_VOLUME, k->ios), time_s);
}

typedef struct {
  double by[MOST_PHASES][CHANNELS]; /* resources without credit */
  Link link;
} Fixed;

static void fixed_at(const Work *w, const Lane *l, const View *v, Fixed *fixed) {
  Rates rates;
  rates_of(w->q, l, v, &rates);
  for (int p = 0; p < w->q->phases; p++) fixed_part(w, l, v, &rates, p, fixed->by[p]);
  if (l->volume >= 0) link_of(w->q, l, v, &fixed->link);
}

static View exact_view(const Work *w, const Lane *l, int64_t place) {
  const Problem *q = w->q;
  int64_t flows = (int64_t)q->flows_of[l->klass] * q->phases, cache = (int64_t)l->klass * q->phases;
  return (View){q->flows + (flows * q->places + place) * ROLES,
                q->cache ? q->cache + cache * q->places + place : NULL,
                q->places * ROLES,
                q->places,
                q->table,
                q->table,
                q->places,
                place,
                q->nodes[place],
                1.0,
                q->overhead[place],
                1.0};
}

/* Combined rates and credit of a node's volumes. */
typedef struct {
  double burst_io[ROLES], burst_mb[ROLES], peak_io, peak_mb;
  Bucket io, mb;
} Volumes;

static void volumes_of(const Problem *q, const VolumeType *t, const Offer *o, int32_t count, int64_t place,
                       Volumes *all) {
  double volumes = (double)count;
  double busy = q->streams > 0.0 ? q->streams / (q->streams + volumes - 1.0) : 1.0;
  double read_reach = q->reads * busy, write_reach = q->writes * busy;
  for (int role = 0; role < ROLES; role++) {
    double reach = is_read(role) ? read_reach : write_reach;
    all->burst_io[role] = t->io_weight[role] / reach;
    all->burst_mb[role] = t->mb_weight[role] / reach;
  }
  all->peak_io = o->burst_io * volumes;
  all->peak_mb = o->burst_mb * volumes;
  if (t->late_table >= 0) {
    double late = q->table[(t->late_table + count) * q->places + place];
    all->peak_io = all->peak_io / late;
    all->peak_mb = all->peak_mb / late;
  }
  all->peak_io = all->peak_io / q->slowed;
  all->peak_mb = all->peak_mb / q->slowed;
  all->io = bucket_with(o->base_io * volumes, o->io_full * volumes, q->credits);
  all->mb = bucket_with(o->base_mb * volumes, o->mb_full * volumes, q->credits);
}

/* Returns the time of all phases, and adds the time of each phase to its limiting channel in `ruled`. If `all` is NULL,
 * volumes are no limit. */
static double phases_s(const Work *w, const Lane *l, const View *v, const Fixed *fixed, Volumes *all, double *ruled) {
  const Problem *q = w->q;
  const VolumeType *t = l->volume >= 0 ? &q->volume[l->volume] : NULL;
  Bucket out = {0}, in = {0};
  Link link;
  double work_s = 0.0;
  if (t) link = fixed->link;
  if (l->network_base > 0.0) {
    double rate = l->network_full > 0.0 ? l->network_base : l->network_base / q->slowed_network;
    out = in = bucket_with(rate, l->network_full, q->credits);
  }
  for (int p = 0; p < q->phases; p++) {
    const double *f = v->flows + p * v->phase_stride;
    double cached = v->cache ? v->cache[p * v->cache_stride] : 0.0;
    double by[CHANNELS];
    memcpy(by, fixed->by[p], sizeof by);
    double out_mb = 0.0, in_mb = 0.0, ios = 0.0, mbs = 0.0;
    int fresh = cached > 0.0;
    if (l->network_base > 0.0) {
      out_mb = even(w, f, p, outwards(l), 1.0);
      in_mb = even(w, f, p, inwards(l), 1.0);
      by[NETWORK] = larger(by[NETWORK], larger(taken(&out, out_mb, 0.0, fresh), taken(&in, in_mb, 0.0, fresh)));
    }
    if (t) by[LINK] = link_time(w, &link, f, p, cached);
    if (all) {
      double burst_ios = weighed(w, f, p, G_VOLUME, all->burst_io),
             burst_mbs = weighed(w, f, p, G_VOLUME, all->burst_mb);
      if (fresh) {
        burst_ios = larger(burst_ios - all->burst_io[OUT_WRITE] * cached, 0.0);
        burst_mbs = larger(burst_mbs - all->burst_mb[OUT_WRITE] * cached, 0.0);
      }
      double time_s = larger(burst_ios / all->peak_io, burst_mbs / all->peak_mb);
      if (all->io.full > 0.0) {
        ios = weighed(w, f, p, G_VOLUME, t->io_weight);
        time_s = larger(time_s, taken(&all->io, ios, fresh ? t->io_weight[OUT_WRITE] * cached : 0.0, fresh));
      }
      if (all->mb.full > 0.0) {
        mbs = weighed(w, f, p, G_VOLUME, t->mb_weight);
        time_s = larger(time_s, taken(&all->mb, mbs, fresh ? t->mb_weight[OUT_WRITE] * cached : 0.0, fresh));
      }
      by[VOLUMES] = time_s;
    }
    double slowest_s = 0.0;
    int ruling = -1;
    for (int i = 0; i < CHANNELS; i++)
      if (by[i] > slowest_s) {
        slowest_s = by[i];
        ruling = i;
      }
    if (ruling >= 0) ruled[ruling] += slowest_s;
    work_s = work_s + slowest_s;
    if (p + 1 < q->phases) {
      if (l->network_base > 0.0) {
        spend(&out, out_mb, slowest_s);
        spend(&in, in_mb, slowest_s);
      }
      if (t) link_after(w, &link, f, p, slowest_s);
      if (all) {
        spend(&all->io, ios, slowest_s);
        spend(&all->mb, mbs, slowest_s);
      }
    }
  }
  return work_s;
}

#endif
