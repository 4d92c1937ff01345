/* The search in compiled form: branch and bound over node counts, exact at every candidate that it computes.

   What it knows of the physics is what `stowage.model` does, operation by operation in the same order, for the
   candidates that a search compares: tests hold it against `predict`, bit for bit. It uses + - * / min max and the
   C library's expm1, log1p and log, as the model does; logarithms, powers and quantiles that depend on the node
   count come as tables that the model made. Compile without fast-math and without contraction of a * b + c.

   Bounds are computed another way, from below, and compared with a slack that is larger than their rounding.

   Words: the axis is the ascending list of node counts; a place is an index into it. A lane is an instance type with
   a way to store, over a range of places. A chain lists what can be ordered of a volume type, dearer and no slower
   from one to the next; with each count of volumes it is a chain again. A box is an interval of places of a lane. */

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROLES = 15 };
enum { IN_READ, OUT_WRITE, MID_WRITE, MID_READ, RND_READ, RND_WRITE, NET_OUT, NET_IN, CPU };
enum { LOADED = CPU + 1, UNLOADED, FETCHED, DELIVERED, LINK_IN, LINK_OUT };
enum { NETWORK, LINK, VOLUMES, STORE, STORAGE, PROCESSOR, DATA_LINK, CHANNELS };
enum { MOST_PHASES = 32, MOST_COUNTS = 64, LAYOUT = 4, BUCKETS = 4, BINS = 512, SLOPES = 4 };
enum { BY_COST, BY_TIME, BY_MONTH, BY_EXCESS };
enum { LATE, DEAR, LOSSY, OVER_QUOTA, ENDLESS, REASONS, NONE = -1 };

static const double SLACK = 1e-11; /* more than what a bound's dozen roundings can be off */
static const double TIE = 6e-9;    /* more than rounding to nine digits moves a value: half a unit of the ninth, 5e-9 */
static const double NEAR = 1.2;    /* how much better a bound of a part is worth computing for it */
enum { FEW = 16 };                 /* offers that are not worth looking for the first that may be of use */
static const double MONTH_S = 730.0 * 3600.0;
/* For bounds, which need not divide as the model does. */
static const double PER_HOUR = 1.0 / 3600.0, PER_MONTH = 1.0 / (730.0 * 3600.0);
static const double NEVER_FINISHES = 1e6;

typedef struct {
  double usd_per_hour, link, emr, head_nodes, head, head_emr;
  double launch_s, minimum_s, committed_s, month_usd_per_hour;
} Prices;

/* One instance type with one way to store. Rates are those of the typical node; a table says by how much the slowest is
 * slower. */
typedef struct {
  int32_t row, type, klass, volume, counts, first, last, spot;
  int32_t network_table, disk_table, iops_table, link_table, link_write_table; /* -1: none */
  int32_t shared, store_remote, each_way, iops_each_way;
  double network, network_base, network_full, single_flow;
  double outside, outside_share; /* to places outside the region [MB/s]: limit, share of the network; 0: no limit */
  double disk, disk_read, disk_write, disk_divisor, outer, inner;
  double iops, iops_read, iops_write, outer_share;
  double link_read, link_write, link_peak, link_base, link_peak_iops, link_base_iops;
  double store, cpu;
  double interruptions, replacement_s, start_s;                /* start_s: launch, where it is part of the run */
  double spread_storage, spread_link, weight, doubt[CHANNELS]; /* doubts: variances */
  int32_t doubt_table, restart, layout[2];
  Prices prices;
} Lane;

/* What one volume does: rates and credits in I/Os and MB; a credit of 0 stands for no bucket. */
typedef struct {
  double burst_io, base_io, io_full, burst_mb, base_mb, mb_full;
  double usd_iops, usd_throughput;                     /* a month, beyond what is included */
  double burst_io_s, base_io_s, burst_mb_s, base_mb_s; /* for bounds: how long one takes */
  int32_t size, iops, throughput, above;               /* above: of a size, the first step that is larger */
} Offer;

typedef struct {
  int32_t chains, by_size, smallest, largest;
  const int32_t *cut;   /* [count_steps][count_steps], of the most volumes, then of how many: the last offer that more
                           volumes do not beat, at any node count */
  const int32_t *start; /* chains + 1 */
  const Offer *offers;  /* along the chains */
  const Offer *of_size; /* by_size: of every size up to the largest */
  double usd_per_gib, gib_limit, iops_limit, declared, loss_limit,
      least_io;    /* declared: what can be provisioned, with what is no better than less */
  double step_usd; /* how much dearer a month of what comes next along a chain is at least; 0: some is not */
  double io_weight[ROLES], mb_weight[ROLES];
  int32_t priced_by_gib, late_table; /* late_table + count: how late the slowest volume of so many is; -1: none */
  /* Of bursts of I/Os and of MB: what a month of an offer costs beside its size is at least slope[0] + slope[1] times
     its rate; a slope[1] of 0 says nothing. */
  double slopes[2][SLOPES][2];
  int32_t bins[BUCKETS], bucket_counts[BUCKETS];
  const double
      *envelope; /* [BUCKETS][BINS][8]: price, burst io, base io, io full, burst mb, base mb, mb full, total size */
} VolumeType;

typedef struct {
  double value, time_s, cost_usd, value9, time9, cost9, nodes;
  int32_t lane, place, layout[LAYOUT], on_edge, reserved; /* on_edge: within a rounding of a chance that is limited */
} Found;

typedef struct {
  int64_t places, classes;
  int32_t phases, tables, lanes, volumes, rows, count_steps;
  const double *nodes;     /* [places] */
  const double *flows;     /* [classes][phases][places][ROLES], slots in the phase's own order */
  const double *cache;     /* [classes][phases][places] or NULL */
  const int32_t *role;     /* [phases][ROLES]; -1 ends */
  const double *table;     /* [tables][places] */
  const double *charges;   /* [classes][places][2]: object store, traffic */
  const double *held_mb;   /* [places]: what all volumes of the cluster hold */
  const double *deviation; /* [places]: of the slowest of n, for a spread of 1 */
  const double *overhead;  /* [places]: what the framework takes beside the phases */
  const double *error;     /* [places]: of the framework */
  const int32_t *counts;   /* [count_steps] volumes of a node that are tried */
  const double *powers, *scales;
  int32_t digits, objective, want_frontier, stays;
  int32_t most_rows, banned_count;
  double slowed, slowed_network, slowed_link, slowed_store, slowed_cpu; /* slowed: disks and volumes */
  double reads, writes, streams, credits, random_io_mb;                 /* streams 0: as many as it takes */
  double deadline_s, relaxed_deadline_s, chance_z, budget_usd, loss_limit;
  double excess_time, excess_cost, excess_nodes, excess_units;
  double runs_per_month, mb_per_gib;
  double link_in, link_out; /* link to data elsewhere, shared by all nodes [MB/s]; 0: unused */
  const Lane *lane;
  const VolumeType *volume;
  const Found *banned; /* on the edge of a chance, and beyond it by the model, which has the last word */
} Question;

typedef struct {
  Found *best;             /* [rows]; lane -1 where nothing was found */
  Found *frontier;         /* [most_frontier] */
  int32_t *frontier_order; /* [most_frontier] which point comes first, second, ... */
  int64_t most_frontier, frontier_size, computed, boxes;
  double *refused;  /* [REASONS][lanes]: candidates that were computed, or that a bound proved, to break a limit */
  double *size;     /* [lanes]: candidates */
  double threshold; /* rows that are worse than this may not be at their best */
} Result;

typedef struct {
  const double *flows, *cache;
  int64_t phase_stride, cache_stride;
  const double *slow, *curve;
  int64_t table_stride, at;
  double nodes_high, scale, overhead, starts; /* of a bound: scale of credits; how often a launch counts */
} View;

/* Which flows a kind of line takes together, in the order of the phase. */
enum { G_OUT, G_IN, G_SENT, G_RECEIVED, G_COPIED, G_OUTER, G_SHARED, G_INNER, G_RANDOM, G_CPU, G_VOLUME, GROUPS };
static const uint16_t GROUP[GROUPS] = {
    1u << NET_OUT | 1u << OUT_WRITE | 1u << DELIVERED,
    1u << NET_IN | 1u << IN_READ | 1u << FETCHED,
    1u << NET_OUT | 1u << UNLOADED | 1u << DELIVERED,
    1u << NET_IN | 1u << LOADED | 1u << FETCHED,
    1u << LOADED | 1u << UNLOADED,
    1u << IN_READ | 1u << OUT_WRITE | 1u << RND_READ | 1u << RND_WRITE,
    1u << IN_READ | 1u << OUT_WRITE | 1u << MID_READ | 1u << MID_WRITE | 1u << RND_READ | 1u << RND_WRITE,
    1u << MID_READ | 1u << MID_WRITE,
    1u << RND_READ | 1u << RND_WRITE,
    1u << CPU,
    1u << IN_READ | 1u << OUT_WRITE | 1u << RND_READ | 1u << RND_WRITE};

typedef struct {
  const Question *q;
  Result *r;
  int64_t leaves; /* a power of two */
  double *flows_low, *flows_n_low, *cache_high, *table_low, *table_high, *charges_low;
  double *nodes_low, *nodes_high, *held_low, *overhead_low, *overhead_n_low;
  double *driven;   /* [volumes][2][ROLES]: what an MB takes of a volume's bursts, I/Os and bytes */
  double *size_sum; /* [volumes][count_steps + 1][places + 1] */
  double *front_memory, *front_cost_memory; /* what these lie in, with room at both ends */
  int32_t *front_slot_memory;
  int64_t spares;
  double *front_time, *front_cost;  /* of the frontier, fastest first */
  int32_t *front_slot, *spare_slot; /* which of the result's points each is */
  double *top;                      /* values of the best rows, ascending */
  int32_t *top_row;
  int32_t top_size;
  double beating_time, beating_cost; /* a point of the frontier, or one that a point of it beats */
  int64_t finger;                    /* where the frontier was looked at last */
  int32_t *knee;                     /* [volumes]: the bin that was the knee last */
  int32_t *count;                    /* [volumes]: the step of the number of volumes that was best last */
  int32_t groups[MOST_PHASES][GROUPS][ROLES];
  int32_t group_size[MOST_PHASES][GROUPS];
  int32_t slot[MOST_PHASES][ROLES]; /* of each role; -1: a phase does not have it */
  int32_t *bare; /* [rows][places]: 1 + the lane whose disks hold nothing back, first of equals; 0: none. Or NULL */
  int failed;
} Work;

static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }
static inline int is_read(int role) { return role == IN_READ || role == MID_READ || role == RND_READ; }

/* Nine significant digits, as `plan.nine_digits`: powers and scales are the model's. */
static double nine_digits(const Question *q, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  /* The power of ten below x, from that of two: log10(2) is 1233 / 4096, so one off at most. */
  int at = (((int)(bits >> 52 & 2047) - 1023) * 1233 >> 12) + 13;
  at = at < 0 ? 0 : at > q->digits ? q->digits : at;
  while (at < q->digits && q->powers[at] <= x) at++;
  while (at > 0 && q->powers[at - 1] > x) at--;
  double scale = q->scales[at == 0 ? q->digits - 1 : at - 1], scaled = x * scale;
  const double whole = 6755399441055744.0; /* 1.5 x 2^52: what is added to it is rounded to even */
  scaled = fabs(scaled) < 2251799813685248.0 ? (scaled + whole) - whole : rint(scaled);
  return scaled / scale;
}

/* ---- one phase of one lane ---- */

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

/* What a lane sends and receives beside what nodes exchange: input and output themselves where the object store holds
   them, else what is copied from and to it. */
static inline int outwards(const Lane *l) { return l->store_remote ? G_OUT : G_SENT; }
static inline int inwards(const Lane *l) { return l->store_remote ? G_IN : G_RECEIVED; }

/* Disks as `rates._disks` has them, in any phase: one rate for all they do, or seconds for each way. */
typedef struct {
  double read_weight, write_weight, rate; /* rate 0: no limit */
} Disks;

static inline Disks disks_of(const Question *q, double rate, double written, int each_way, double unit) {
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

/* What limits the resources that keep no credit, in any phase; 0 stands for what is no limit. */
typedef struct {
  double network, between, outside, store, cpu;
  Disks outer, random, inner;
} Rates;

static void rates_of(const Question *q, const Lane *l, const View *v, Rates *r) {
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

/* The resources that keep no credit: time of the phase by channel. */
static void fixed_part(const Work *w, const Lane *l, const View *v, const Rates *r, int p, double t[CHANNELS]) {
  const Question *q = w->q;
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

/* A line that keeps credit, or a peak beside one: what its flows take of it in each phase. */
typedef struct {
  double rate, credit, full, first;
} Bucket;

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

/* The link to EBS: weights and lines as `rates._input_output` has them. */
typedef struct {
  double weight[ROLES];
  double ios[ROLES];
  int measured, counts_ios;
  double peak, peak_ios;
  Bucket base, base_ios;
} Link;

static void link_of(const Question *q, const Lane *l, const View *v, Link *link) {
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
  link->base = (Bucket){full > 0.0 ? base : base / q->slowed_link, full * q->credits, full, full * q->credits};
  if (l->link_peak_iops > 0.0 && l->link_base_iops > 0.0) {
    double merged_mb = 256.0 / 1024.0 * 1.048576;
    link->counts_ios = 1;
    link->ios[IN_READ] = link->ios[OUT_WRITE] = 1.0 / merged_mb;
    link->ios[RND_READ] = link->ios[RND_WRITE] = 1.0 / q->random_io_mb;
    full = larger(l->link_peak_iops - l->link_base_iops, 0.0) * 1800.0;
    link->peak_ios = l->link_peak_iops / q->slowed_link;
    link->base_ios = (Bucket){full > 0.0 ? l->link_base_iops : l->link_base_iops / q->slowed_link, full * q->credits,
                              full, full * q->credits};
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

/* ---- the cost of a run ---- */

static double run_cost(const Lane *l, const double charges[2], double n, double volumes_month, double gib,
                       double usd_per_gib, double work_s, double rework_s) {
  const Prices *c = &l->prices;
  double billed_s = c->launch_s != 0.0 ? work_s + c->launch_s : work_s;
  if (c->minimum_s > c->launch_s) billed_s = larger(billed_s, c->minimum_s);
  double hourly = n * c->usd_per_hour, volumes = 0.0;
  if (gib != 0.0 && usd_per_gib != 0.0) {
    double usd_per_gib_s = usd_per_gib / MONTH_S;
    volumes = n * gib * usd_per_gib_s * billed_s;
  }
  if (volumes_month != 0.0) volumes = volumes + n * (volumes_month / MONTH_S) * billed_s;
  double rework = 0.0;
  if (rework_s != 0.0) {
    double longer_s = work_s + rework_s;
    double after_s = c->launch_s != 0.0 ? longer_s + c->launch_s : longer_s;
    if (c->minimum_s > c->launch_s) after_s = larger(after_s, c->minimum_s);
    double node_hour = c->usd_per_hour + c->link + c->emr;
    double usd_per_s = n * node_hour / 3600.0;
    if (c->head_nodes != 0.0) usd_per_s = usd_per_s + c->head_nodes * (c->head + c->head_emr) / 3600.0;
    double month = volumes_month;
    if (gib != 0.0 && usd_per_gib != 0.0) month = gib * usd_per_gib + month;
    if (month != 0.0) usd_per_s = usd_per_s + n * month / MONTH_S;
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

static double month_cost(const Question *q, const Lane *l, const double charges[2], double n, double volumes_month,
                         double gib, double usd_per_gib) {
  Lane kept;
  double of_runs[2] = {charges[0] * q->runs_per_month, charges[1] * q->runs_per_month};
  kept.prices = l->prices;
  kept.prices.usd_per_hour = l->prices.month_usd_per_hour;
  kept.prices.launch_s = kept.prices.minimum_s = kept.prices.committed_s = 0.0;
  return run_cost(&kept, of_runs, n, volumes_month, gib, usd_per_gib, MONTH_S, 0.0);
}

/* Expected time on spot instances, as `spot.Spot.expected_s`. */
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

/* ---- what has been found ---- */

static int before(const Question *q, const Found *a, const Found *b) {
  if (a->value9 != b->value9) return a->value9 < b->value9;
  if (q->objective == BY_TIME && a->cost9 != b->cost9) return a->cost9 < b->cost9;
  if (a->nodes != b->nodes) return a->nodes < b->nodes;
  if (a->time9 != b->time9) return a->time9 < b->time9;
  for (int i = 0; i < LAYOUT; i++)
    if (a->layout[i] != b->layout[i]) return a->layout[i] < b->layout[i];
  return 0;
}

static double threshold(const Work *w) {
  return w->q->most_rows <= 0 || w->top_size < w->q->most_rows ? INFINITY : w->top[w->top_size - 1];
}

static void keep_row(Work *w, const Found *found) {
  int32_t row = w->q->lane[found->lane].row;
  Found *best = &w->r->best[row];
  if (best->lane >= 0 && !before(w->q, found, best)) return;
  int known = best->lane >= 0;
  *best = *found;
  if (w->q->most_rows <= 0) return;
  int at = w->top_size;
  if (known)
    for (int i = 0; i < w->top_size; i++)
      if (w->top_row[i] == row) {
        at = i;
        break;
      }
  if (at == w->top_size) {
    if (w->top_size == w->q->most_rows) {
      if (found->value9 >= w->top[at - 1]) return;
      at--;
    } else {
      w->top_size++;
    }
  }
  while (at > 0 && w->top[at - 1] > found->value9) {
    w->top[at] = w->top[at - 1];
    w->top_row[at] = w->top_row[at - 1];
    at--;
  }
  w->top[at] = found->value9;
  w->top_row[at] = row;
}

/* What the frontier weighs against time: the cost of a month where that is looked for, else of a run. */
static inline double weighed_cost(const Question *q, double cost, double value) {
  return q->objective == BY_MONTH ? value : cost;
}

/* First point of the frontier that takes longer than a time; points are fastest first, each cheaper than the one
 * before. */
static int64_t slower_than(Work *w, double time9) {
  const double *times = w->front_time;
  int64_t size = w->r->frontier_size, low = w->finger < size ? w->finger : size, high, step = 1;
  /* Neighbouring questions have neighbouring answers: gallop from the last one. */
  if (low < size && times[low] <= time9) {
    high = low + 1;
    while (high < size && times[high] <= time9) {
      low = high;
      high += step;
      step *= 2;
    }
    if (high > size) high = size;
    low++;
  } else {
    high = low;
    while (low > 0 && times[low - 1] > time9) {
      high = low - 1;
      low -= step;
      step *= 2;
      if (low < 0) low = 0;
    }
  }
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (times[middle] <= time9)
      low = middle + 1;
    else
      high = middle;
  }
  w->finger = low;
  return low;
}

static int first_of_equals(const Question *q, const Found *a, const Found *b) {
  if (a->nodes != b->nodes) return a->nodes < b->nodes;
  int32_t one = q->lane[a->lane].type, other = q->lane[b->lane].type;
  if (one != other) return one < other;
  int32_t one_volume = q->lane[a->lane].volume, other_volume = q->lane[b->lane].volume;
  if (a->layout[0] != b->layout[0]) return a->layout[0] < b->layout[0];
  if (one_volume != other_volume) return one_volume < other_volume;
  for (int i = 1; i < LAYOUT; i++)
    if (a->layout[i] != b->layout[i]) return a->layout[i] < b->layout[i];
  return 0;
}

static void move_front(Work *w, int64_t to, int64_t from, int64_t count) {
  memmove(w->front_time + to, w->front_time + from, (size_t)count * sizeof(double));
  memmove(w->front_cost + to, w->front_cost + from, (size_t)count * sizeof(double));
  memmove(w->front_slot + to, w->front_slot + from, (size_t)count * sizeof(int32_t));
}

/* Moves all to the middle of what there is room for: twice as much as there may be. */
static void recentre(Work *w, int64_t size) {
  int64_t away = w->front_memory + (2 * w->r->most_frontier + 2 - size) / 2 - w->front_time;
  move_front(w, away, 0, size);
  w->front_time += away;
  w->front_cost += away;
  w->front_slot += away;
}

/* Opens a gap: the shorter side moves, for points come mostly at the ends, and there may be a hundred thousand. */
static void make_room(Work *w, int64_t at) {
  Result *r = w->r;
  int64_t size = r->frontier_size++;
  double *end = w->front_memory + 2 * r->most_frontier + 2;
  if (w->front_time == w->front_memory || w->front_time + size == end) recentre(w, size);
  if (at < size / 2) {
    w->front_time--;
    w->front_cost--;
    w->front_slot--;
    move_front(w, 0, 1, at);
  } else {
    move_front(w, at + 1, at, size - at);
  }
}

static void keep_point(Work *w, const Found *found) {
  Result *r = w->r;
  int64_t at = slower_than(w, found->time9), size = r->frontier_size;
  double cost9 = weighed_cost(w->q, found->cost9, found->value9);
  if (at > 0) {
    if (w->front_cost[at - 1] < cost9) return;
    if (w->front_cost[at - 1] == cost9) {
      Found *faster = &r->frontier[w->front_slot[at - 1]];
      if (faster->time9 == found->time9 && first_of_equals(w->q, found, faster)) *faster = *found;
      return;
    }
    if (w->front_time[at - 1] == found->time9) at--;
  }
  int64_t end = at;
  while (end < size && w->front_cost[end] >= cost9) end++;
  int64_t gone = end - at;
  int32_t slot;
  if (gone == 0) {
    if (size == r->most_frontier) {
      w->failed = 1;
      return;
    }
    slot = w->spare_slot[--w->spares];
    make_room(w, at);
  } else {
    /* One of those that are beaten gives its place, the others theirs back. */
    slot = w->front_slot[at];
    for (int64_t i = at + 1; i < end; i++) w->spare_slot[w->spares++] = w->front_slot[i];
    if (at < size - end) {
      move_front(w, gone - 1, 0, at);
      w->front_time += gone - 1;
      w->front_cost += gone - 1;
      w->front_slot += gone - 1;
    } else {
      move_front(w, at + 1, end, size - end);
    }
    r->frontier_size -= gone - 1;
  }
  w->front_time[at] = found->time9;
  w->front_cost[at] = cost9;
  w->front_slot[at] = slot;
  r->frontier[slot] = *found;
}

typedef struct {
  double value, time_s, cost_usd;
} Bound;

/* Whether something that is at least so slow and so dear can still be listed. */
static int useful(Work *w, const Lane *l, const Bound *b) {
  const Question *q = w->q;
  const Result *r = w->r;
  double time_s = b->time_s * (1.0 - SLACK), cost = b->cost_usd * (1.0 - SLACK), value = b->value * (1.0 - SLACK);
  if (time_s > q->relaxed_deadline_s || cost > q->budget_usd) return 0;
  /* Of a group of lanes any row may be the one. */
  const Found *best = l->row >= 0 && r->best[l->row].lane >= 0 ? &r->best[l->row] : NULL;
  double most = best ? smaller(threshold(w), best->value9) : threshold(w);
  if (value <= most * (1.0 - TIE)) return 1;
  /* Of what ties for the least excess any will do: there may be millions. */
  if (q->objective != BY_EXCESS && value <= most * (1.0 + TIE)) {
    double value9 = nine_digits(q, value);
    /* What is as fast as the best of its row has to be cheaper. */
    int dearer = q->objective == BY_TIME && best && value9 == best->value9 && nine_digits(q, cost) > best->cost9;
    if (value9 <= most && !dearer) return 1;
  }
  if (!q->want_frontier) return 0;
  cost = weighed_cost(q, cost, value);
  /* What beat the last question beats most of the next ones: they are about neighbours. */
  double faster_s = time_s * (1.0 - TIE), less_usd = cost * (1.0 - TIE);
  if (w->beating_time <= faster_s && w->beating_cost <= less_usd) return 0;
  int64_t at = slower_than(w, faster_s);
  if (at > 0 && w->front_cost[at - 1] <= less_usd) {
    w->beating_time = w->front_time[at - 1];
    w->beating_cost = w->front_cost[at - 1];
    return 0;
  }
  /* The cheapest of those that may be as fast: nine digits decide only where it may be as cheap as well. */
  while (at < r->frontier_size && w->front_time[at] <= time_s * (1.0 + TIE)) at++;
  if (at == 0 || w->front_cost[at - 1] > cost * (1.0 + TIE)) return 1;
  double time9 = nine_digits(q, time_s);
  at = slower_than(w, time9);
  if (at == 0) return 1;
  if (w->front_cost[at - 1] <= less_usd) return 0;
  double cost9 = nine_digits(q, cost);
  return w->front_cost[at - 1] > cost9 || (w->front_cost[at - 1] == cost9 && w->front_time[at - 1] == time9);
}

/* ---- one candidate, exactly ---- */

typedef struct {
  double by[MOST_PHASES][CHANNELS]; /* what keeps no credit */
  Link link;
} Fixed;

static void fixed_at(const Work *w, const Lane *l, const View *v, Fixed *fixed) {
  Rates rates;
  rates_of(w->q, l, v, &rates);
  for (int p = 0; p < w->q->phases; p++) fixed_part(w, l, v, &rates, p, fixed->by[p]);
  if (l->volume >= 0) link_of(w->q, l, v, &fixed->link);
}

static View exact_view(const Work *w, const Lane *l, int64_t place) {
  const Question *q = w->q;
  int64_t phases = (int64_t)l->klass * q->phases;
  return (View){q->flows + (phases * q->places + place) * ROLES,
                q->cache ? q->cache + phases * q->places + place : NULL,
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

static double refuse(const Work *w, int32_t lane, int reason, double count) {
  w->r->refused[(int64_t)reason * w->q->lanes + lane] += count;
  return INFINITY;
}

/* Sets the combined rates and credit buckets of a node's volumes. */
typedef struct {
  double burst_io[ROLES], burst_mb[ROLES], peak_io, peak_mb;
  Bucket io, mb;
} Volumes;

static void volumes_of(const Question *q, const VolumeType *t, const Offer *o, int32_t count, int64_t place,
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
  all->io = all->mb = (Bucket){0};
  if (o->io_full > 0.0) {
    double full = o->io_full * volumes;
    all->io = (Bucket){o->base_io * volumes, full * q->credits, full, full * q->credits};
  }
  if (o->mb_full > 0.0) {
    double full = o->mb_full * volumes;
    all->mb = (Bucket){o->base_mb * volumes, full * q->credits, full, full * q->credits};
  }
}

/* Returns the time of all phases, and adds to `ruled` the time of those that each channel limits. With NULL volumes,
   the time as if volumes were no limit. */
static double phases_s(const Work *w, const Lane *l, const View *v, const Fixed *fixed, Volumes *all, double *ruled) {
  const Question *q = w->q;
  const VolumeType *t = l->volume >= 0 ? &q->volume[l->volume] : NULL;
  Bucket out = {0}, in = {0};
  Link link;
  double work_s = 0.0;
  if (t) link = fixed->link;
  if (l->network_base > 0.0) {
    double rate = l->network_full > 0.0 ? l->network_base : l->network_base / q->slowed_network;
    out = in = (Bucket){rate, l->network_full * q->credits, l->network_full, l->network_full * q->credits};
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

static inline int32_t *bare_at(const Work *w, const Lane *l, int64_t place) {
  return &w->bare[(int64_t)l->row * w->q->places + place];
}

/* Whether one division of the disks comes before another where all else is equal. */
static inline int divided_before(const Lane *a, const Lane *b) {
  return a->layout[0] != b->layout[0] ? a->layout[0] < b->layout[0] : a->layout[1] < b->layout[1];
}

/* Whether what is no less than some amount has no fewer nine digits, whichever way both were rounded. */
static inline int digits_last(const Question *q, double amount, double amount9) {
  return nine_digits(q, amount * (1.0 - SLACK)) == amount9;
}

/* Notes that the disks of a candidate that is within the limits hold nothing back. A type whose disks are divided
   otherwise takes no less time then, costs no less, and has as many nodes: it comes after, by its time, its cost, or
   its division. Of credits of the network, what a slower phase saves never makes up for its time. */
static void note_bare(Work *w, const Lane *l, const Found *found) {
  const Question *q = w->q;
  int32_t *bare = bare_at(w, l, found->place);
  if (*bare && !divided_before(l, &q->lane[*bare - 1])) return;
  if (digits_last(q, found->time_s, found->time9) && digits_last(q, found->cost_usd, found->cost9) &&
      digits_last(q, found->value, found->value9))
    *bare = found->lane + 1;
}

/* Whether all of some places were computed with disks that hold nothing back, and that come before those of a lane. */
static int all_bare(const Work *w, const Lane *l, int64_t first, int64_t last) {
  if (!w->bare) return 0;
  for (int64_t place = first < l->first ? l->first : first; place <= last && place <= l->last; place++) {
    int32_t bare = *bare_at(w, l, place);
    if (!bare || !divided_before(&w->q->lane[bare - 1], l)) return 0;
  }
  return 1;
}

/* Returns the uninterrupted working time of a candidate within the limits; infinite for any other. */
static double visit(Work *w, int32_t lane, int64_t place, const View *v, const Fixed *fixed, int32_t count,
                    int32_t size, const Offer *o) {
  const Question *q = w->q;
  const Lane *l = &q->lane[lane];
  const VolumeType *t = l->volume >= 0 ? &q->volume[l->volume] : NULL;
  double n = q->nodes[place], ruled[CHANNELS] = {0};
  Volumes all;
  if (t) volumes_of(q, t, o, count, place, &all);
  w->r->computed++;
  double work_s = phases_s(w, l, v, fixed, t ? &all : NULL, ruled);
  work_s = work_s + v->overhead;
  work_s = work_s + l->start_s;
  double time_s = work_s, rework_s = 0.0;
  int on_edge = 0;
  if (l->spot) {
    time_s = expected_s(l, n, work_s);
    rework_s = time_s - work_s;
    if (time_s > NEVER_FINISHES * work_s) return refuse(w, lane, ENDLESS, 1.0);
  }
  if (q->chance_z > -INFINITY) {
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
    double away = log(q->deadline_s / larger(time_s, DBL_MIN));
    double needed = q->chance_z * sqrt(variance);
    double edge = 1e-9 * (1.0 + fabs(needed));
    if (away < needed - edge) return refuse(w, lane, LATE, 1.0);
    on_edge = away < needed + edge;
  } else if (time_s > q->deadline_s) {
    return refuse(w, lane, LATE, 1.0);
  }
  /* Objects are as many on any number of nodes. */
  double units = l->store_remote ? 1.0 : count > 0 ? n * (double)count : n;
  double exposed = q->stays ? units : units * time_s, most = t ? t->loss_limit : q->loss_limit;
  if (exposed > most * (1.0 + SLACK)) return refuse(w, lane, LOSSY, 1.0);
  on_edge |= exposed > most * (1.0 - SLACK);
  double volumes_month = 0.0, gib = 0.0, usd_per_gib = 0.0;
  if (t) {
    if (t->priced_by_gib) {
      gib = (double)count * (double)size;
      usd_per_gib = t->usd_per_gib;
    } else {
      double each = (double)size * t->usd_per_gib;
      each = each + o->usd_iops;
      each = each + o->usd_throughput;
      volumes_month = (double)count * each;
    }
  }
  const double *charges = q->charges + ((int64_t)l->klass * q->places + place) * 2;
  double cost = run_cost(l, charges, n, volumes_month, gib, usd_per_gib, work_s, rework_s);
  if (cost > q->budget_usd) return refuse(w, lane, DEAR, 1.0);
  Found found = {
      0.0,          time_s,  cost, 0.0, nine_digits(q, time_s), nine_digits(q, cost), n, lane, (int32_t)place,
      {0, 0, 0, 0}, on_edge, 0};
  if (t) {
    found.layout[0] = count;
    found.layout[1] = size;
    found.layout[2] = o->iops;
    found.layout[3] = o->throughput;
  } else {
    found.layout[0] = l->layout[0];
    found.layout[1] = l->layout[1];
  }
  switch (q->objective) {
    case BY_COST:
      found.value = cost;
      break;
    case BY_TIME:
      found.value = time_s;
      break;
    case BY_MONTH:
      found.value = month_cost(q, l, charges, n, volumes_month, gib, usd_per_gib);
      break;
    default:
      found.value = larger(larger(q->excess_time * time_s, q->excess_cost * cost), q->excess_nodes * l->weight * n);
      found.value = larger(found.value, q->excess_units * (q->stays ? units : units * time_s));
  }
  for (int i = 0; on_edge && i < q->banned_count; i++)
    if (q->banned[i].lane == lane && q->banned[i].place == place &&
        !memcmp(q->banned[i].layout, found.layout, sizeof found.layout))
      return INFINITY;
  found.value9 = nine_digits(q, found.value);
  if (w->bare && l->volume < 0 && ruled[STORAGE] == 0.0) note_bare(w, l, &found);
  keep_row(w, &found);
  if (q->want_frontier) keep_point(w, &found);
  return work_s;
}

/* ---- bounds ---- */

typedef struct {
  double t0[MOST_PHASES], io[MOST_PHASES], mb[MOST_PHASES], sum_io, sum_mb, base_s, credit_scale, total0, overhead;
  int phases, cached;
} Need;

/* From below: what a phase takes without its volumes, and what it asks of them. At one place the parts are exact: there
   `fixed` keeps them. */
static void need_of(const Work *w, const Lane *l, const View *v, const Rates *rates, const Link *link, Need *need,
                    Fixed *fixed) {
  const Question *q = w->q;
  double by[CHANNELS], out = 0.0, in = 0.0, link_mb = 0.0, link_ios = 0.0;
  need->phases = q->phases;
  need->sum_io = need->sum_mb = need->base_s = need->total0 = 0.0;
  /* Of a single phase what its page cache takes is known; of several it is not whose credit is spent. */
  need->cached = v->cache != NULL && q->phases > 1;
  need->credit_scale = v->scale;
  need->overhead = v->overhead + v->starts * l->start_s;
  if (fixed && l->volume >= 0) fixed->link = *link;
  for (int p = 0; p < q->phases; p++) {
    const double *f = v->flows + p * v->phase_stride;
    double cached = v->cache ? v->cache[p * v->cache_stride] : 0.0;
    fixed_part(w, l, v, rates, p, by);
    if (fixed) memcpy(fixed->by[p], by, sizeof by);
    double t = 0.0;
    for (int i = 0; i < CHANNELS; i++) t = larger(t, by[i]);
    need->io[p] = need->mb[p] = 0.0;
    if (l->network_base > 0.0) {
      out += even(w, f, p, outwards(l), 1.0);
      in += even(w, f, p, inwards(l), 1.0);
    }
    if (l->volume >= 0) {
      const VolumeType *type = &q->volume[l->volume];
      double load = weighed(w, f, p, G_VOLUME, link->weight);
      t = larger(t, (load - link->weight[OUT_WRITE] * cached) / link->peak);
      link_mb += load - link->weight[OUT_WRITE] * cached;
      if (link->counts_ios) {
        double ios = weighed(w, f, p, G_VOLUME, link->ios);
        t = larger(t, (ios - link->ios[OUT_WRITE] * cached) / link->peak_ios);
        link_ios += ios - link->ios[OUT_WRITE] * cached;
      }
      need->sum_io += weighed(w, f, p, G_VOLUME, type->io_weight) - type->io_weight[OUT_WRITE] * cached;
      need->sum_mb += weighed(w, f, p, G_VOLUME, type->mb_weight) - type->mb_weight[OUT_WRITE] * cached;
      /* Efficiencies slow the bursts; of credits they spend none. */
      const double *driven_io = w->driven + (int64_t)l->volume * 2 * ROLES, *driven_mb = driven_io + ROLES;
      need->io[p] = larger(weighed(w, f, p, G_VOLUME, driven_io) - driven_io[OUT_WRITE] * cached, 0.0);
      need->mb[p] = larger(weighed(w, f, p, G_VOLUME, driven_mb) - driven_mb[OUT_WRITE] * cached, 0.0);
    }
    need->t0[p] = t;
    need->total0 += t;
  }
  if (need->cached) return;
  if (l->network_base > 0.0) {
    double credit = v->scale * l->network_full * q->credits;
    need->base_s = larger(need->base_s, (larger(out, in) - credit) / l->network_base);
  }
  if (l->volume >= 0 && !link->measured) {
    need->base_s = larger(need->base_s, (link_mb - v->scale * link->base.first) / link->base.rate);
    if (link->counts_ios)
      need->base_s = larger(need->base_s, (link_ios - v->scale * link->base_ios.first) / link->base_ios.rate);
  }
}

/* Of volumes that take so long for an I/O and for an MB, with such buckets: no job is faster. */
static inline double volume_bound(const Need *need, double burst_io_s, double base_io_s, double io_credit,
                                  double burst_mb_s, double base_mb_s, double mb_credit) {
  double time_s = 0.0;
  for (int p = 0; p < need->phases; p++) {
    double t = need->t0[p], a = need->io[p] * burst_io_s, b = need->mb[p] * burst_mb_s;
    t = t > a ? t : a;
    time_s += t > b ? t : b;
  }
  time_s = larger(time_s, need->base_s);
  if (need->cached) return time_s + need->overhead;
  if (io_credit >= 0.0) time_s = larger(time_s, (need->sum_io - need->credit_scale * io_credit) * base_io_s);
  if (mb_credit >= 0.0) time_s = larger(time_s, (need->sum_mb - need->credit_scale * mb_credit) * base_mb_s);
  return time_s + need->overhead;
}

/* From below: without volumes. */
static inline double least_s(const Need *need) { return larger(need->total0, need->base_s) + need->overhead; }

/* `need` is of one volume here: what all of a node's take together, divided by their count. */
static inline double offer_bound(const Question *q, const Need *need, const Offer *o) {
  return volume_bound(need, o->burst_io_s, o->base_io_s, o->io_full > 0.0 ? o->io_full * q->credits : -1.0,
                      o->burst_mb_s, o->base_mb_s, o->mb_full > 0.0 ? o->mb_full * q->credits : -1.0);
}

/* Cost from below of n_low nodes that work `node_s` node-seconds in all, `time_s` at least, with volumes of some price
 * each node. */
static Bound bound_of(const Work *w, const Lane *l, double n_low, double charges, double node_s, double time_s,
                      double month_usd) {
  const Question *q = w->q;
  const Prices *c = &l->prices;
  if (l->spot && time_s > 0.0) {
    /* Interruptions stretch a longer job on more nodes by more. */
    double stretch = expected_s(l, n_low, time_s) / time_s;
    time_s *= stretch;
    node_s *= stretch;
  }
  double billed = larger(node_s + n_low * c->launch_s, n_low * c->minimum_s);
  double billed_s = larger(time_s + c->launch_s, c->minimum_s);
  Bound b;
  b.time_s = time_s;
  b.cost_usd = c->usd_per_hour * PER_HOUR * larger(billed, n_low * c->committed_s) +
               ((c->link + c->emr) * PER_HOUR + month_usd * PER_MONTH) * billed +
               c->head_nodes * (c->head + c->head_emr) * PER_HOUR * billed_s + charges;
  switch (q->objective) {
    case BY_COST:
      b.value = b.cost_usd;
      break;
    case BY_TIME:
      b.value = time_s;
      break;
    case BY_MONTH:
      b.value = n_low * ((c->month_usd_per_hour + c->link + c->emr) * 730.0 + month_usd) +
                c->head_nodes * (c->head + c->head_emr) * 730.0 + charges * q->runs_per_month;
      break;
    default:
      b.value =
          larger(larger(q->excess_time * time_s, q->excess_cost * b.cost_usd), q->excess_nodes * l->weight * n_low);
      b.value = larger(b.value, q->excess_units * (q->stays ? n_low : n_low * time_s));
  }
  return b;
}

static int bucket_of(const VolumeType *t, int32_t counts, const Question *q) {
  int32_t most = q->counts[counts - 1];
  for (int b = 0; b < BUCKETS; b++)
    if (t->bucket_counts[b] >= most) return b;
  return BUCKETS - 1;
}

/* All that can be ordered of a volume type, from below: bins, dearer and no slower one after the other. */
typedef struct {
  Work *w;
  const Lane *l;
  const VolumeType *t;
  const double *bins;
  const Need *need, *node_need;
  double n_low, charges, held_gib;
} Relaxed;

static Bound relaxed_bound(const Relaxed *x, int cheap, int fast) {
  const double *e = x->bins + fast * 8, *price = x->bins + cheap * 8;
  double credits = x->w->q->credits;
  double least_usd = x->held_gib * x->t->usd_per_gib;
  double io = e[3] > 0.0 ? e[3] * credits : -1.0, mb = e[6] > 0.0 ? e[6] * credits : -1.0;
  double time_s = volume_bound(x->need, e[1], e[2], io, e[4], e[5], mb);
  double node_s = x->node_need ? volume_bound(x->node_need, e[1], e[2], io, e[4], e[5], mb) : x->n_low * time_s;
  double usd = x->t->by_size ? larger(price[0], least_usd) : price[0] + larger(least_usd, price[7] * x->t->usd_per_gib);
  return bound_of(x->w, x->l, x->n_low, x->charges, node_s, time_s, usd);
}

/* Whether something between two bins can be listed; `budget_only`: whether it is within the budget. */
static int some_useful(const Relaxed *x, int low, int high, int budget_only) {
  if (low > high || (x->t->by_size && x->bins[high * 8 + 7] < x->held_gib * (1.0 - SLACK))) return 0;
  Bound b = relaxed_bound(x, low, high);
  if (budget_only) {
    if (b.cost_usd * (1.0 - SLACK) > x->w->q->budget_usd) return 0;
  } else if (!useful(x->w, x->l, &b)) {
    return 0;
  }
  if (low == high) return 1;
  int middle = low + (high - low) / 2;
  return some_useful(x, middle + 1, high, budget_only) || some_useful(x, low, middle, budget_only);
}

/* The first of some bins that can be listed; one after the last where none can. */
static int first_useful(const Relaxed *x, int low, int high) {
  if (!some_useful(x, low, high, 0)) return high + 1;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (some_useful(x, low, middle, 0))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* The first bin that holds the data and takes no longer than without volumes; the last, where none does. */
static int knee_of(const Relaxed *x, int bins) {
  const Need *need = x->node_need ? x->node_need : x->need;
  double floor_s = least_s(need) * (1.0 + SLACK), credits = x->w->q->credits;
  /* Neighbouring boxes have neighbouring knees: gallop from the last one. */
  int32_t *known = &x->w->knee[x->l->volume];
  int low = 0, high = bins - 1, middle = *known < high ? *known : high - 1, step = 1, galloping = 1, down = 0;
  while (low < high) {
    const double *e = x->bins + middle * 8;
    double io = e[3] > 0.0 ? e[3] * credits : -1.0, mb = e[6] > 0.0 ? e[6] * credits : -1.0;
    int enough =
        (!x->t->by_size || e[7] >= x->held_gib) && volume_bound(need, e[1], e[2], io, e[4], e[5], mb) <= floor_s;
    if (enough)
      high = middle;
    else
      low = middle + 1;
    galloping &= step == 1 || enough == down;
    down = enough;
    middle = !galloping ? (low + high) / 2 : enough ? high - step : low + step - 1;
    if (middle < low || middle >= high) middle = (low + high) / 2;
    step *= 2;
  }
  *known = low;
  return low;
}

typedef struct {
  Need need, node_need;
  int near; /* whether its parts are bounded about as well by what is known of the whole */
} Box;

static int is_near(const Work *w, int64_t k) { return w->nodes_high[k] <= w->nodes_low[k] * NEAR; }

static void box_of(const Work *w, const Lane *l, int64_t k, Box *box) {
  const Question *q = w->q;
  int64_t wide = 2 * w->leaves;
  View v = {w->flows_low + k * ROLES,
            w->cache_high ? w->cache_high + k : NULL,
            wide * ROLES,
            wide,
            w->table_low,
            w->table_high,
            wide,
            k,
            w->nodes_high[k],
            1.0,
            w->overhead_low[k],
            1.0};
  Rates rates;
  Link link;
  rates_of(q, l, &v, &rates);
  if (l->volume >= 0) link_of(q, l, &v, &link);
  need_of(w, l, &v, &rates, &link, &box->need, NULL);
  v.flows = w->flows_n_low + k * ROLES;
  v.cache = w->cache_high ? w->cache_high + wide * q->phases + k : NULL;
  v.scale = w->nodes_high[k];
  v.overhead = w->overhead_n_low[k];
  v.starts = w->nodes_low[k];
  need_of(w, l, &v, &rates, &link, &box->node_need, NULL);
  box->near = is_near(w, k);
}

/* On n nodes n times what one of them does is no less than what all do from below, nor is what all do less than n times
   what one does from below: so one over the most nodes of a part of a box, and the other times its fewest, bound the
   part. What is below nothing is no bound, nor does it become one. */
static inline void bound_part(double *of_one, double *of_all, double fewest, double most) {
  double one = *of_one, all = *of_all;
  *of_one = larger(one, all / most);
  *of_all = larger(all, one * fewest);
}

/* What is known of a part of a box by the box. */
static void part_of(const Work *w, const Lane *l, int64_t k, const Box *around, Box *box) {
  const Need *whole = &around->need, *whole_node = &around->node_need;
  Need *one = &box->need, *all = &box->node_need;
  double fewest = w->nodes_low[k], most = w->nodes_high[k];
  one->phases = all->phases = whole->phases;
  one->cached = all->cached = whole->cached;
  one->total0 = all->total0 = 0.0;
  for (int p = 0; p < whole->phases; p++) {
    one->t0[p] = whole->t0[p], all->t0[p] = whole_node->t0[p];
    one->io[p] = whole->io[p], all->io[p] = whole_node->io[p];
    one->mb[p] = whole->mb[p], all->mb[p] = whole_node->mb[p];
    bound_part(&one->t0[p], &all->t0[p], fewest, most);
    bound_part(&one->io[p], &all->io[p], fewest, most);
    bound_part(&one->mb[p], &all->mb[p], fewest, most);
    one->total0 += one->t0[p];
    all->total0 += all->t0[p];
  }
  one->sum_io = whole->sum_io, all->sum_io = whole_node->sum_io;
  one->sum_mb = whole->sum_mb, all->sum_mb = whole_node->sum_mb;
  one->base_s = whole->base_s, all->base_s = whole_node->base_s;
  bound_part(&one->sum_io, &all->sum_io, fewest, most);
  bound_part(&one->sum_mb, &all->sum_mb, fewest, most);
  bound_part(&one->base_s, &all->base_s, fewest, most);
  one->credit_scale = 1.0, all->credit_scale = most;
  one->overhead = w->overhead_low[k] + l->start_s;
  all->overhead = w->overhead_n_low[k] + fewest * l->start_s;
  box->near = 1;
}

static const double *envelope_of(const Lane *l, const VolumeType *t, const Question *q, int *bins) {
  int bucket = bucket_of(t, l->counts, q);
  *bins = t->bins[bucket];
  return t->envelope + (int64_t)bucket * BINS * 8;
}

static Relaxed relaxed_of(Work *w, const Lane *l, int64_t k, const Box *box, int *bins) {
  const VolumeType *t = &w->q->volume[l->volume];
  const double *envelope = envelope_of(l, t, w->q, bins);
  return (Relaxed){w,
                   l,
                   t,
                   envelope,
                   &box->need,
                   &box->node_need,
                   w->nodes_low[k],
                   w->charges_low[k],
                   w->held_low[k] / (w->nodes_high[k] * w->q->mb_per_gib)};
}

static Bound plain_bound(const Work *w, const Lane *l, int64_t k, const Box *box) {
  return bound_of(w, l, w->nodes_low[k], w->charges_low[k], least_s(&box->node_need), least_s(&box->need), 0.0);
}

/* Whether anything on volumes can still be listed; else which limit all of it breaks, if one does. */
static int volumes_useful(const Relaxed *x, int bins, double held_mb, int *reason) {
  const Question *q = x->w->q;
  const VolumeType *t = x->t;
  double floor_s = least_s(x->need) * (1.0 - SLACK);
  *reason = NONE;
  if ((q->stays ? x->n_low : x->n_low * floor_s) > t->loss_limit * (1.0 + SLACK)) {
    *reason = LOSSY;
    return 0;
  }
  double least_gib = larger(held_mb / q->mb_per_gib, x->n_low * (double)t->smallest) * (1.0 - SLACK);
  if (least_gib > t->gib_limit || x->n_low * t->least_io > t->iops_limit) {
    *reason = OVER_QUOTA;
    return 0;
  }
  /* Most that is of use is so at the knee. */
  int knee = knee_of(x, bins);
  if (some_useful(x, knee, knee, 0) || some_useful(x, 0, knee - 1, 0) || some_useful(x, knee + 1, bins - 1, 0))
    return 1;
  Bound fastest = relaxed_bound(x, 0, bins - 1);
  if (fastest.time_s * (1.0 - SLACK) > q->relaxed_deadline_s)
    *reason = LATE;
  else if (isfinite(q->budget_usd) && !some_useful(x, 0, bins - 1, 1))
    *reason = DEAR;
  return 0;
}

/* From below, of all node counts of a box: how long it works, and how many node-seconds that is, beside what the
   framework and a launch take. */
typedef struct {
  double work_s, node_s;
  int near; /* as a box's */
} Floor;

/* Whether candidates without volumes can still be listed; else which limit all of them break, if one does. */
static int plain_useful(Work *w, const Lane *l, int64_t k, const Bound *b, int *reason) {
  const Question *q = w->q;
  double time_s = b->time_s * (1.0 - SLACK), units = l->store_remote ? 1.0 : w->nodes_low[k];
  *reason = (q->stays ? units : units * time_s) > q->loss_limit * (1.0 + SLACK) ? LOSSY
            : time_s > q->relaxed_deadline_s                                    ? LATE
            : b->cost_usd * (1.0 - SLACK) > q->budget_usd                       ? DEAR
                                                                                : NONE;
  return *reason == NONE && useful(w, l, b);
}

static Bound floor_bound(const Work *w, const Lane *l, int64_t k, const Floor *floor) {
  return bound_of(w, l, w->nodes_low[k], w->charges_low[k],
                  floor->node_s + (w->overhead_n_low[k] + w->nodes_low[k] * l->start_s),
                  floor->work_s + (w->overhead_low[k] + l->start_s), 0.0);
}

/* The same of a box without volumes, whose floor becomes what is known of it; before, it is that of a box around it. */
static int floor_useful(Work *w, const Lane *l, int64_t k, Floor *floor, int *reason) {
  bound_part(&floor->work_s, &floor->node_s, w->nodes_low[k], w->nodes_high[k]);
  w->r->boxes++;
  Bound b = floor_bound(w, l, k, floor);
  if (!plain_useful(w, l, k, &b, reason)) return 0;
  if (floor->near) return 1;
  Box box;
  box_of(w, l, k, &box);
  floor->work_s = larger(floor->work_s, larger(box.need.total0, box.need.base_s));
  floor->node_s = larger(floor->node_s, larger(box.node_need.total0, box.node_need.base_s));
  floor->near = box.near;
  b = floor_bound(w, l, k, floor);
  return plain_useful(w, l, k, &b, reason);
}

/* Whether any candidate of a box on volumes can still be listed; else which limit all of it breaks, if one does. */
static int box_useful(Work *w, const Lane *l, int64_t k, const Box *around, Box *box, int *reason) {
  if (around && around->near)
    part_of(w, l, k, around, box);
  else
    box_of(w, l, k, box);
  w->r->boxes++;
  int bins;
  Relaxed x = relaxed_of(w, l, k, box, &bins);
  return volumes_useful(&x, bins, w->held_low[k], reason);
}

/* About what the best of a box is worth: lanes that promise most are walked first, and bound the others. */
static double promise(Work *w, const Lane *l, int64_t k) {
  Box box;
  box_of(w, l, k, &box);
  if (l->volume < 0) return plain_bound(w, l, k, &box).value;
  int bins;
  Relaxed x = relaxed_of(w, l, k, &box, &bins);
  int knee = knee_of(&x, bins);
  return relaxed_bound(&x, knee, knee).value;
}

/* ---- the walk ---- */

static int32_t fitting_gib(const Question *q, const VolumeType *t, double n, int32_t count, double held_mb) {
  double c = (double)count, least = (double)t->smallest, quotient = held_mb / (n * c * q->mb_per_gib);
  if (quotient > 1e9) return 1000000000;
  double size = (double)(int64_t)quotient;
  size = larger(least, size < quotient ? size + 1.0 : size);
  /* The quotient may round across a whole number: what counts is whether the volumes hold it. */
  while (size > least && n * (c * (size - 1.0) * q->mb_per_gib) >= held_mb) size -= 1.0;
  while (n * (c * size * q->mb_per_gib) < held_mb) size += 1.0;
  return (int32_t)size;
}

typedef struct {
  const Offer *offer;
  int32_t size;
  double month_usd;
} Ordered;

static inline Ordered ordered(const VolumeType *t, int32_t count, int32_t fit, int32_t from, int32_t i) {
  Ordered a;
  if (t->by_size) {
    /* Before the grid stands the size that fits. */
    a.size = i < from ? fit : t->offers[i].size;
    a.offer = &t->of_size[a.size];
    a.month_usd = (double)count * (double)a.size * t->usd_per_gib;
  } else {
    a.offer = &t->offers[i];
    a.size = a.offer->size > fit ? a.offer->size : fit;
    a.month_usd = (double)count * ((double)a.size * t->usd_per_gib + a.offer->usd_iops + a.offer->usd_throughput);
  }
  return a;
}

/* One type at one node count, with one number of volumes along one chain. */
typedef struct {
  Work *w;
  const Lane *l;
  const VolumeType *t;
  const View *v;
  const Fixed *fixed;
  Need *need; /* of one volume */
  int64_t place;
  double n, charges, most_usd; /* a month's price of volumes, beyond which all are beaten */
  int32_t lane, count, fit, from, more_is_better;
  int32_t step, likely, best; /* steps of counts: chosen, to be tried first (-1: none), the cheapest that was of use */
  double best_usd;            /* of the best: what a month of its volumes costs */
  double least_usd; /* a month's price of what is ordered, below which nothing is of use: beside its GiB, unless
                       these set the performance; negative: not known yet */
  int32_t dearer_is_worse, bins;
  const Relaxed *relaxed;
  double gib[MOST_COUNTS]; /* of each number of volumes: what they are together at least */
  char done[MOST_COUNTS];
} Along;

/* Whether what costs a node at least so much a month, takes so long at least, and is so many volumes, can be listed. */
static int affordable(const Along *x, double month_usd, double time_s, double volumes) {
  const Question *q = x->w->q;
  Bound b = bound_of(x->w, x->l, x->n, x->charges, x->n * time_s, time_s, month_usd);
  double units = x->n * volumes;
  if ((q->stays ? units : units * time_s * (1.0 - SLACK)) > x->t->loss_limit * (1.0 + SLACK)) return 0;
  if (q->objective == BY_EXCESS) b.value = larger(b.value, q->excess_units * (q->stays ? units : units * time_s));
  return useful(x->w, x->l, &b);
}

/* From below: what is as cheap as one and as fast as another. */
static int worthwhile(const Along *x, const Ordered *cheapest, const Ordered *fastest) {
  return affordable(x, cheapest->month_usd, offer_bound(x->w->q, x->need, fastest->offer), (double)x->count);
}

static double order_one(const Along *x, const Ordered *a) {
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

/* How much dearer a month's volumes have to be so that nine digits tell. */
static double told_apart_usd(const Along *x, double time_s, double month_usd) {
  const Prices *c = &x->l->prices;
  Bound b = bound_of(x->w, x->l, x->n, x->charges, x->n * time_s, time_s, month_usd);
  double billed_s = larger(b.time_s + c->launch_s, c->minimum_s), told = b.cost_usd / (x->n * billed_s * PER_MONTH);
  if (x->w->q->objective == BY_MONTH) told = larger(told, b.value / x->n);
  return 4.0 * TIE * told;
}

/* The first of [first, last] that is not too cheap to be of use; one after the last where none is. What is cheaper than
   the first bin that may be of use is in bins that are not, for any number of volumes. */
static int32_t first_worth(Along *x, int32_t first, int32_t last) {
  const VolumeType *t = x->t;
  if (last - first < FEW) return first;
  if (x->least_usd < 0.0) {
    int bin = first_useful(x->relaxed, 0, knee_of(x->relaxed, x->bins));
    x->least_usd = bin < x->bins ? x->relaxed->bins[bin * 8] : 0.0;
  }
  while (first <= last) {
    int32_t middle = first + (last - first) / 2;
    Ordered a = ordered(t, x->count, x->fit, x->from, middle);
    double usd = t->by_size ? a.month_usd : (double)x->count * (a.offer->usd_iops + a.offer->usd_throughput);
    if (usd * (1.0 + SLACK) < x->least_usd)
      first = middle + 1;
    else
      last = middle - 1;
  }
  return first;
}

/* First the one from which on volumes hold nothing back: it is the best, or close to it, and bounds its neighbours. */
static void along(Along *x, int32_t first, int32_t last, double floor_s) {
  first = first_worth(x, first, last);
  if (first > last) return;
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
  /* What follows costs more, and nothing is faster than without volumes. */
  if (first == last || worthwhile(x, &knee, &knee)) {
    if (order_one(x, &knee) > floor_s * (1.0 + SLACK)) {
      between(x, low + 1, last);
    } else {
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

/* What one of so many volumes is asked for. Streams slow the bursts of volumes, not their credits. */
static inline void of_one_volume(const Question *q, const Need *need, Need *one, int32_t count) {
  double per = (double)count, busy = q->streams > 0.0 ? q->streams / (q->streams + per - 1.0) : 1.0;
  double share = 1.0 / per, burst_share = 1.0 / (per * busy);
  for (int p = 0; p < need->phases; p++) {
    one->io[p] = need->io[p] * burst_share;
    one->mb[p] = need->mb[p] * burst_share;
  }
  one->sum_io = need->sum_io * share;
  one->sum_mb = need->sum_mb * share;
}

/* Chooses a number of volumes; 0 where none is so large that so many hold the data. */
static int choose(Along *x, int step) {
  x->step = step;
  x->count = x->w->q->counts[step];
  x->fit = fitting_gib(x->w->q, x->t, x->n, x->count, x->w->q->held_mb[x->place]);
  return x->fit <= x->t->largest;
}

/* Where a chain ends for so many volumes: beyond, more volumes do as much for less. */
static inline int32_t end_of(const Along *x, int chain, int step) {
  int32_t last = x->t->start[chain + 1] - 1;
  int32_t cut = x->t->cut[(int64_t)(x->l->counts - 1) * x->w->q->count_steps + step];
  return x->more_is_better && cut < last ? cut : last;
}

/* The last offer of [first, last] of which so many volumes, of so many GiB together at least, are not too dear; one
   before the first where none is. Along a chain the price only grows. */
static int32_t last_paid(const Along *x, double volumes, double gib, int32_t first, int32_t last) {
  const VolumeType *t = x->t;
  if (!isfinite(x->most_usd)) return last;
  first--;
  while (first < last) {
    int32_t middle = first + (last - first + 1) / 2;
    const Offer *o = &t->offers[middle];
    double usd = larger(gib, volumes * (double)o->size) * t->usd_per_gib + volumes * (o->usd_iops + o->usd_throughput);
    if (usd * (1.0 - SLACK) <= x->most_usd)
      first = middle;
    else
      last = middle - 1;
  }
  return last;
}

/* `after`: how many of the first that can be ordered are known already. */
static void leaf_of_count(Along *x, const Need *need, int chain, int step, int after) {
  const Question *q = x->w->q;
  const VolumeType *t = x->t;
  if (!choose(x, step)) return;
  of_one_volume(q, need, x->need, x->count);
  double per = (double)x->count;
  int32_t from = t->start[chain], first = from, last = end_of(x, chain, step);
  if (t->by_size) {
    from = t->of_size[x->fit].above;
    first = from - 1;
  }
  x->from = from;
  last = last_paid(x, per, x->gib[step], from, last);
  /* Size and IOPS, too, only grow: a quota, or the largest volume, ends a chain. */
  while (last >= first) {
    Ordered a = ordered(t, x->count, x->fit, from, last);
    if (a.size <= t->largest && x->n * per * (double)a.size <= t->gib_limit &&
        x->n * per * a.offer->base_io <= t->iops_limit)
      break;
    last--;
  }
  first += after;
  if (last >= first) along(x, first, last, least_s(need));
}

/* From below: how long volumes take that cost so much a month at most beside their GiB, whatever their number within
   [fewest, most]. One of v costs slope[0] + slope[1] times its rate at least, and v of them reach v times its rate,
   times what streams keep busy: k / (k + v - 1). So their rate is at most a quotient of linear functions of v, which
   only grows or only falls: it is largest at the fewest or at the most. */
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

/* Numbers of volumes of which it is not known yet whether they are of use. The most first: they are the fastest, and
   what they find bounds the rest. */
static void leaf_of_counts(Along *x, const Need *need, int chain, int low, int high) {
  const Question *q = x->w->q;
  const VolumeType *t = x->t;
  while (low <= high && (x->done[low] || x->gib[low] * t->usd_per_gib > x->most_usd)) low++;
  while (low <= high && (x->done[high] || x->gib[high] * t->usd_per_gib > x->most_usd)) high--;
  if (low > high) return;
  if (low == high) {
    leaf_of_count(x, need, chain, low, 0);
    return;
  }
  /* From below: as cheap as the cheapest of them, as fast as the most volumes of the best that any of them may take. */
  double fewest = (double)q->counts[low], gib = INFINITY;
  int32_t last = t->start[chain];
  for (int step = low; step <= high; step++) {
    int32_t end = end_of(x, chain, step);
    if (end > last) last = end;
    gib = smaller(gib, x->gib[step]);
  }
  const Offer *first = &t->offers[t->start[chain]];
  double month_usd = gib * t->usd_per_gib;
  if (t->by_size)
    month_usd = larger(month_usd, x->least_usd * (1.0 - SLACK));
  else
    month_usd += larger(fewest * (first->usd_iops + first->usd_throughput), x->least_usd * (1.0 - SLACK));
  int32_t paid = last_paid(x, fewest, gib, t->start[chain], last);
  /* What just fits may be larger than the last step that is paid, but not than the next one. */
  if (t->by_size || paid < t->start[chain]) paid++;
  if (paid < last) last = paid;
  of_one_volume(q, need, x->need, q->counts[high]);
  double time_s = offer_bound(q, x->need, &t->offers[last]);
  if (isfinite(x->most_usd) && !t->by_size)
    time_s = larger(time_s, paid_s(x, need, fewest, (double)q->counts[high], x->most_usd - gib * t->usd_per_gib));
  if (!affordable(x, month_usd, time_s, fewest)) return;
  /* Neighbouring node counts have neighbouring bests, which bound the rest. */
  int likely = x->likely;
  if (likely >= low && likely <= high) {
    x->likely = -1;
    if (!x->done[likely]) leaf_of_count(x, need, chain, likely, 0);
    x->done[likely] = 1;
  }
  int middle = low + (high - low) / 2;
  leaf_of_counts(x, need, chain, middle + 1, high);
  leaf_of_counts(x, need, chain, low, middle);
}

static double candidates_in(const Work *w, const Lane *l, int64_t first, int64_t last) {
  if (l->volume < 0) return (double)(last - first + 1);
  int64_t wide = w->q->places + 1;
  const double *sums = w->size_sum + ((int64_t)l->volume * (w->q->count_steps + 1) + l->counts) * wide;
  return sums[last + 1] - sums[first];
}

/* The first that can be ordered of a number of volumes, and how long it takes at least; 0 where it holds no data, or
   a quota does not allow it. */
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

/* One type at one node count: first the cheapest of the counts whose first offer holds nothing back. */
static void leaf_on_volumes(Work *w, int32_t lane, int64_t place) {
  const Question *q = w->q;
  const Lane *l = &q->lane[lane];
  const VolumeType *t = &q->volume[l->volume];
  View v = exact_view(w, l, place);
  Fixed fixed;
  Need need, of_count;
  Rates rates;
  Link link;
  rates_of(q, l, &v, &rates);
  link_of(q, l, &v, &link);
  need_of(w, l, &v, &rates, &link, &need, &fixed);
  /* If credits carry over between phases, a sum over phases is no close bound, but the time without volumes is one: the
     credit that a slower phase saves never makes up for its time. */
  Need close_need = need;
  if (need.phases > 1 && (l->network_full > 0.0 || fixed.link.base.full > 0.0 || fixed.link.base_ios.full > 0.0)) {
    double ruled[CHANNELS] = {0};
    close_need.base_s = larger(need.base_s, phases_s(w, l, &v, &fixed, NULL, ruled));
  }
  double n = q->nodes[place], held = q->held_mb[place];
  const double *charges = q->charges + ((int64_t)l->klass * q->places + place) * 2;
  double least_gib = held / (n * q->mb_per_gib) * (1.0 - SLACK), least_usd = ceil(least_gib) * t->usd_per_gib;
  int bins;
  const double *envelope = envelope_of(l, t, q, &bins);
  Relaxed relaxed = {w, l, t, envelope, &close_need, NULL, n, charges[0] + charges[1], least_gib};
  int reason;
  w->r->boxes++;
  if (!volumes_useful(&relaxed, bins, held, &reason)) {
    if (reason != NONE) refuse(w, lane, reason, candidates_in(w, l, place, place));
    return;
  }
  of_count = need;
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
             .least_usd = -1.0,
             .relaxed = &relaxed,
             .bins = bins};
  for (int step = 0; step < l->counts; step++) {
    double count = (double)q->counts[step], each = larger(ceil(least_gib / count), (double)t->smallest);
    x.gib[step] = count * each;
  }
  /* Among counts whose first offer holds nothing back the cheapest is the best, the fewest of equals: they differ in
     nothing else. It takes a bound that is exact, so neither a page cache nor buckets that phases share; and nothing
     that counts volumes: slow ones, a chance of loss, a quota of IOPS. */
  int alike = t->chains == 1 && t->late_table < 0 && !isfinite(t->loss_limit) && !isfinite(t->iops_limit) &&
              !need.cached && (need.phases == 1 || !t->by_size) && q->excess_units == 0.0;
  /* Nor is there, then, a reason to provision what more volumes bring for less: with the same conditions, where no
     chance is asked for and no quota of GiB counts what is rounded up. */
  x.more_is_better = t->chains == 1 && t->late_table < 0 && !isfinite(t->loss_limit) && !isfinite(t->iops_limit) &&
                     !isfinite(t->gib_limit) && q->chance_z == -INFINITY && q->excess_units == 0.0;
  /* What is dearer than the best, and no faster, is beaten: where no credits pass from phase to phase that make
     slower volumes seem faster by a rounding, and where what is slower is not surer. */
  x.dearer_is_worse =
      alike && t->step_usd > 0.0 && q->chance_z == -INFINITY && q->objective != BY_EXCESS &&
      (need.phases == 1 ||
       (l->network_full == 0.0 &&
        (l->link_read > 0.0 || (l->link_peak <= l->link_base && l->link_peak_iops <= l->link_base_iops))));
  /* With more phases than one, volumes that slow one may cost the link credit in the next. */
  double unhindered_s = (need.phases == 1 ? larger(need.total0, need.base_s) : need.total0) + need.overhead;
  double best_usd = INFINITY, time_s;
  int best_step = -1, close = 0;
  Ordered first;
  for (int step = l->counts - 1; step >= 0 && alike; step--) {
    if (x.dearer_is_worse && x.gib[step] * t->usd_per_gib > best_usd * (1.0 + SLACK)) continue;
    if (!first_of(&x, &need, step, &first, &time_s)) continue;
    if (time_s > unhindered_s * (1.0 + SLACK)) {
      /* Slower by less than nine digits show: a tie, for fewer volumes. */
      close |= time_s <= unhindered_s * (1.0 + 2.0 * TIE);
      /* Of equal volumes fewer are slower still. */
      if (!t->by_size) break;
      continue;
    }
    x.done[step] = 1;
    /* Sums in another order: equal prices may differ in their last digits. */
    if (first.month_usd <= best_usd * (1.0 + SLACK)) {
      best_usd = first.month_usd;
      best_step = step;
    }
  }
  of_count.base_s = close_need.base_s;
  if (best_step >= 0) {
    first_of(&x, &need, best_step, &first, &time_s);
    double worked_s = worthwhile(&x, &first, &first) ? order_one(&x, &first) : 0.0;
    double told_usd = told_apart_usd(&x, unhindered_s, best_usd);
    int unhindered = worked_s <= unhindered_s * (1.0 + SLACK);
    /* Nothing is as cheap as the data itself, nor as fast as without volumes. But what is slower may be surer; and
       fewer volumes do as well where what they take instead costs next to nothing, or where credits that run out hold
       back more than they do. */
    if (best_usd <= least_usd * (1.0 + SLACK) && unhindered && q->chance_z == -INFINITY && !close &&
        told_usd < t->step_usd)
      return;
    /* Of what costs the same in nine digits fewer volumes are listed. */
    for (int step = 0; step < best_step; step++)
      if (x.gib[step] * t->usd_per_gib <= best_usd + told_usd) x.done[step] = 0;
    if (!unhindered) leaf_of_count(&x, &close_need, 0, best_step, 1);
    if (unhindered && x.dearer_is_worse) x.most_usd = best_usd + told_usd;
  }
  for (int chain = 0; chain < t->chains; chain++) leaf_of_counts(&x, &close_need, chain, 0, l->counts - 1);
  if (x.best >= 0) w->count[l->volume] = x.best;
}

/* Notes that all candidates of a lane in a box break a limit. */
static void refuse_all(Work *w, int32_t lane, int reason, int64_t first, int64_t last) {
  const Lane *l = &w->q->lane[lane];
  int64_t from = first < l->first ? l->first : first, to = last > l->last ? l->last : last;
  if (reason != NONE) refuse(w, lane, reason, candidates_in(w, l, from, to));
}

/* Where the fastest is sought, it is more likely among more nodes: what is found first bounds the rest. */
static int fewer_first(const Work *w) { return w->q->objective != BY_TIME; }

static void walk_on_volumes(Work *w, int32_t lane, int64_t k, int64_t first, int64_t last, const Box *around) {
  const Lane *l = &w->q->lane[lane];
  if (last < l->first || first > l->last || w->failed) return;
  /* A single place bounds itself. */
  if (first == last) {
    leaf_on_volumes(w, lane, first);
    return;
  }
  Box box;
  int reason;
  if (!box_useful(w, l, k, around, &box, &reason)) {
    refuse_all(w, lane, reason, first, last);
    return;
  }
  int64_t middle = first + (last - first) / 2;
  if (fewer_first(w)) walk_on_volumes(w, lane, 2 * k, first, middle, &box);
  walk_on_volumes(w, lane, 2 * k + 1, middle + 1, last, &box);
  if (!fewer_first(w)) walk_on_volumes(w, lane, 2 * k, first, middle, &box);
}

static void walk_without(Work *w, int32_t lane, int64_t k, int64_t first, int64_t last, Floor floor) {
  const Lane *l = &w->q->lane[lane];
  if (last < l->first || first > l->last || w->failed || all_bare(w, l, first, last)) return;
  int reason;
  if (!floor_useful(w, l, k, &floor, &reason)) {
    refuse_all(w, lane, reason, first, last);
    return;
  }
  if (first == last) {
    View v = exact_view(w, l, first);
    Fixed fixed;
    fixed_at(w, l, &v, &fixed);
    visit(w, lane, first, &v, &fixed, 0, 0, NULL);
    return;
  }
  int64_t middle = first + (last - first) / 2;
  if (fewer_first(w)) walk_without(w, lane, 2 * k, first, middle, floor);
  walk_without(w, lane, 2 * k + 1, middle + 1, last, floor);
  if (!fewer_first(w)) walk_without(w, lane, 2 * k, first, middle, floor);
}

static void walk(Work *w, int32_t lane) {
  if (w->q->lane[lane].volume < 0)
    walk_without(w, lane, 1, 0, w->leaves - 1, (Floor){0});
  else
    walk_on_volumes(w, lane, 1, 0, w->leaves - 1, NULL);
}

/* ---- before the walk ---- */

/* Fills the inner boxes of a tree from its leaves: of each box `used` values, which lie `stride` apart from the next.
 */
static void lift(double *low, int64_t leaves, int64_t stride, int64_t used, int take_high) {
  for (int64_t k = leaves - 1; k >= 1; k--)
    for (int64_t i = 0; i < used; i++) {
      double a = low[2 * k * stride + i], b = low[(2 * k + 1) * stride + i];
      low[k * stride + i] = take_high ? larger(a, b) : smaller(a, b);
    }
}

static int prepare(Work *w) {
  const Question *q = w->q;
  int64_t leaves = 1;
  while (leaves < q->places) leaves *= 2;
  w->leaves = leaves;
  int64_t wide = 2 * leaves;
  size_t flows = (size_t)(q->phases * wide * ROLES);
  w->flows_low = malloc(flows * sizeof(double));
  w->flows_n_low = malloc(flows * sizeof(double));
  w->cache_high = q->cache ? calloc((size_t)(2 * q->phases * wide), sizeof(double)) : NULL;
  w->table_low = malloc((size_t)(q->tables * wide + 1) * sizeof(double));
  w->table_high = malloc((size_t)(q->tables * wide + 1) * sizeof(double));
  w->charges_low = malloc((size_t)wide * sizeof(double));
  w->nodes_low = malloc((size_t)wide * sizeof(double));
  w->nodes_high = malloc((size_t)wide * sizeof(double));
  w->held_low = malloc((size_t)wide * sizeof(double));
  w->overhead_low = malloc((size_t)wide * sizeof(double));
  w->overhead_n_low = malloc((size_t)wide * sizeof(double));
  size_t room = (size_t)(2 * w->r->most_frontier + 2);
  w->front_memory = malloc(room * sizeof(double));
  w->front_cost_memory = malloc(room * sizeof(double));
  w->front_slot_memory = malloc(room * sizeof(int32_t));
  w->spare_slot = malloc((size_t)(w->r->most_frontier + 1) * sizeof(int32_t));
  w->top = malloc((size_t)(q->most_rows + 1) * sizeof(double));
  w->top_row = malloc((size_t)(q->most_rows + 1) * sizeof(int32_t));
  if (!w->flows_low || !w->flows_n_low || (q->cache && !w->cache_high) || !w->table_low || !w->table_high ||
      !w->charges_low || !w->nodes_low || !w->nodes_high || !w->held_low || !w->overhead_low || !w->overhead_n_low ||
      !w->top || !w->top_row || !w->front_memory || !w->front_cost_memory || !w->front_slot_memory || !w->spare_slot)
    return 0;
  w->front_time = w->front_memory + w->r->most_frontier + 1;
  w->front_cost = w->front_cost_memory + w->r->most_frontier + 1;
  w->front_slot = w->front_slot_memory + w->r->most_frontier + 1;
  while (w->spares < w->r->most_frontier) {
    w->spare_slot[w->spares] = (int32_t)w->spares;
    w->spares++;
  }
  for (size_t i = 0; i < flows; i++) w->flows_low[i] = w->flows_n_low[i] = INFINITY;
  for (int p = 0; p < q->phases; p++) {
    double *low = w->flows_low + p * wide * ROLES, *n_low = w->flows_n_low + p * wide * ROLES;
    int used = 0;
    while (used < ROLES && q->role[p * ROLES + used] >= 0) used++;
    for (int64_t c = 0; c < q->classes; c++)
      for (int64_t j = 0; j < q->places; j++) {
        const double *f = q->flows + ((c * q->phases + p) * q->places + j) * ROLES;
        for (int i = 0; i < used; i++) {
          double *a = &low[(leaves + j) * ROLES + i];
          *a = smaller(*a, f[i]);
        }
        if (q->cache) {
          double *a = &w->cache_high[p * wide + leaves + j], *b = &w->cache_high[(q->phases + p) * wide + leaves + j];
          double cached = q->cache[(c * q->phases + p) * q->places + j];
          *a = larger(*a, cached);
          *b = larger(*b, q->nodes[j] * cached);
        }
      }
    for (int64_t j = 0; j < q->places; j++)
      for (int i = 0; i < used; i++) n_low[(leaves + j) * ROLES + i] = q->nodes[j] * low[(leaves + j) * ROLES + i];
    lift(low, leaves, ROLES, used, 0);
    lift(n_low, leaves, ROLES, used, 0);
    if (q->cache) {
      lift(w->cache_high + p * wide, leaves, 1, 1, 1);
      lift(w->cache_high + (q->phases + p) * wide, leaves, 1, 1, 1);
    }
  }
  for (int t = 0; t < q->tables; t++) {
    for (int64_t j = 0; j < leaves; j++) {
      w->table_low[t * wide + leaves + j] = j < q->places ? q->table[t * q->places + j] : INFINITY;
      w->table_high[t * wide + leaves + j] = j < q->places ? q->table[t * q->places + j] : -INFINITY;
    }
    lift(w->table_low + t * wide, leaves, 1, 1, 0);
    lift(w->table_high + t * wide, leaves, 1, 1, 1);
  }
  for (int64_t j = 0; j < leaves; j++) {
    int64_t k = leaves + j;
    w->charges_low[k] = INFINITY;
    for (int64_t c = 0; c < q->classes && j < q->places; c++)
      w->charges_low[k] =
          smaller(w->charges_low[k], q->charges[(c * q->places + j) * 2] + q->charges[(c * q->places + j) * 2 + 1]);
    w->nodes_low[k] = j < q->places ? q->nodes[j] : INFINITY;
    w->nodes_high[k] = j < q->places ? q->nodes[j] : -INFINITY;
    w->held_low[k] = j < q->places ? q->held_mb[j] : INFINITY;
    w->overhead_low[k] = j < q->places ? q->overhead[j] : INFINITY;
    w->overhead_n_low[k] = j < q->places ? q->nodes[j] * q->overhead[j] : INFINITY;
  }
  lift(w->charges_low, leaves, 1, 1, 0);
  lift(w->nodes_low, leaves, 1, 1, 0);
  lift(w->nodes_high, leaves, 1, 1, 1);
  lift(w->held_low, leaves, 1, 1, 0);
  lift(w->overhead_low, leaves, 1, 1, 0);
  lift(w->overhead_n_low, leaves, 1, 1, 0);
  for (int p = 0; p < q->phases; p++) {
    for (int role = 0; role < ROLES; role++) w->slot[p][role] = -1;
    for (int slot = 0; slot < ROLES && q->role[p * ROLES + slot] >= 0; slot++)
      w->slot[p][q->role[p * ROLES + slot]] = slot;
    for (int g = 0; g < GROUPS; g++) {
      w->group_size[p][g] = 0;
      for (int slot = 0; slot < ROLES && q->role[p * ROLES + slot] >= 0; slot++)
        if (GROUP[g] >> q->role[p * ROLES + slot] & 1) w->groups[p][g][w->group_size[p][g]++] = slot;
    }
  }
  w->driven = malloc((size_t)(q->volumes * 2 * ROLES + 1) * sizeof(double));
  w->knee = calloc((size_t)q->volumes + 1, sizeof(int32_t));
  w->count = calloc((size_t)q->volumes + 1, sizeof(int32_t));
  if (!w->driven || !w->knee || !w->count) return 0;
  for (int i = 0; i < q->volumes; i++)
    for (int role = 0; role < ROLES; role++) {
      double slower = q->slowed / (is_read(role) ? q->reads : q->writes);
      w->driven[(i * 2) * ROLES + role] = q->volume[i].io_weight[role] * slower;
      w->driven[(i * 2 + 1) * ROLES + role] = q->volume[i].mb_weight[role] * slower;
    }
  /* Types whose disks can be divided in several ways. */
  int divided = 0;
  for (int32_t i = 1; i < q->lanes; i++) {
    const Lane *l = &q->lane[i];
    divided |= l->volume < 0 && l->row >= 0 && l->row == l[-1].row;
  }
  if (divided && !(w->bare = calloc((size_t)(q->rows * q->places), sizeof(int32_t)))) return 0;
  /* How many candidates there are, summed up over places and counts of volumes. */
  int64_t per_type = (int64_t)(q->count_steps + 1) * (q->places + 1);
  w->size_sum = calloc((size_t)(q->volumes * per_type + 1), sizeof(double));
  if (!w->size_sum) return 0;
  for (int i = 0; i < q->volumes; i++) {
    const VolumeType *t = &q->volume[i];
    double *sums = w->size_sum + i * per_type;
    int32_t all = t->start[t->chains];
    for (int step = 0; step < q->count_steps; step++) {
      double *less = sums + step * (q->places + 1), *here = less + q->places + 1, total = 0.0;
      double count = (double)q->counts[step], most_mb = (double)t->largest * q->mb_per_gib * count;
      for (int64_t j = 0; j < q->places; j++) {
        /* Where the size makes no other difference it is asked for only about where the largest just fits. */
        if (!t->by_size && q->held_mb[j] < q->nodes[j] * most_mb * (1.0 - SLACK)) {
          total += t->declared;
        } else if (q->held_mb[j] <= q->nodes[j] * most_mb * (1.0 + SLACK)) {
          int32_t fit = fitting_gib(q, t, q->nodes[j], q->counts[step], q->held_mb[j]);
          if (fit <= t->largest) total += t->by_size ? 1.0 + (double)(all - t->of_size[fit].above) : t->declared;
        }
        here[j + 1] = less[j + 1] + total;
      }
    }
  }
  return 1;
}

static void finish(Work *w) {
  free(w->flows_low);
  free(w->flows_n_low);
  free(w->cache_high);
  free(w->table_low);
  free(w->table_high);
  free(w->charges_low);
  free(w->nodes_low);
  free(w->nodes_high);
  free(w->held_low);
  free(w->overhead_low);
  free(w->overhead_n_low);
  free(w->top);
  free(w->top_row);
  free(w->size_sum);
  free(w->bare);
  free(w->driven);
  free(w->knee);
  free(w->count);
  free(w->front_memory);
  free(w->front_cost_memory);
  free(w->front_slot_memory);
  free(w->spare_slot);
}

typedef struct {
  double lowest;
  int32_t lane;
} Turn;

static int earlier(const void *a, const void *b) {
  const Turn *one = a, *other = b;
  if (one->lowest != other->lowest) return one->lowest < other->lowest ? -1 : 1;
  return (one->lane > other->lane) - (one->lane < other->lane);
}

/* Answers a question. 0: done; 1: no memory; 2: the frontier has more points than there is room for. */
int stowage_search(const Question *q, Result *r) {
  Work w = {0};
  w.q = q;
  w.beating_time = w.beating_cost = INFINITY;
  w.r = r;
  r->frontier_size = r->computed = r->boxes = 0;
  Turn *turns = malloc((size_t)(q->lanes + 1) * sizeof(Turn));
  if (!turns || !prepare(&w)) {
    free(turns);
    finish(&w);
    return 1;
  }
  for (int32_t i = 0; i < q->lanes; i++) {
    const Lane *l = &q->lane[i];
    for (int reason = 0; reason < REASONS; reason++) r->refused[(int64_t)reason * q->lanes + i] = 0.0;
    r->size[i] = candidates_in(&w, l, l->first, l->last);
    turns[i].lane = i;
    /* The smallest box of the tree that holds the lane. */
    int64_t k = 1, first = 0, last = w.leaves - 1;
    while (first < last) {
      int64_t middle = first + (last - first) / 2;
      if (l->last <= middle) {
        k = 2 * k;
        last = middle;
      } else if (l->first > middle) {
        k = 2 * k + 1;
        first = middle + 1;
      } else
        break;
    }
    turns[i].lowest = INFINITY;
    if (l->row >= 0) turns[i].lowest = promise(&w, l, k);
  }
  qsort(turns, (size_t)q->lanes, sizeof(Turn), earlier);
  for (int32_t i = 0; i < q->lanes && !w.failed; i++)
    if (q->lane[turns[i].lane].row >= 0) walk(&w, turns[i].lane);
  r->threshold = threshold(&w);
  for (int64_t i = 0; i < r->frontier_size; i++) r->frontier_order[i] = w.front_slot[i];
  int failed = w.failed;
  free(turns);
  finish(&w);
  return failed ? 2 : 0;
}

int64_t stowage_sizes(int which) {
  switch (which) {
    case 0:
      return sizeof(Lane);
    case 1:
      return sizeof(Offer);
    case 2:
      return sizeof(VolumeType);
    case 3:
      return sizeof(Question);
    case 4:
      return sizeof(Result);
    default:
      return sizeof(Found);
  }
}
