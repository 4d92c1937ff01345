/* Input and output of the search, laid out as the numpy types of `stowage.optimizer.kernel` describe them.

   An axis is the ascending list of node counts; a place is an index into it. A lane is an instance type with one
   storage layout, over a range of places. A chain lists the offers of a volume type by ascending price, none slower
   than the one before it; every count of volumes of a node has the same chains. */

#ifndef STOWAGE_PROBLEM_H
#define STOWAGE_PROBLEM_H

#include <stdint.h>

enum { ROLES = 15 };
enum { IN_READ, OUT_WRITE, MID_WRITE, MID_READ, RND_READ, RND_WRITE, NET_OUT, NET_IN, CPU };
enum { LOADED = CPU + 1, UNLOADED, FETCHED, DELIVERED, LINK_IN, LINK_OUT };
enum { NETWORK, LINK, VOLUMES, STORE, STORAGE, PROCESSOR, DATA_LINK, CHANNELS };
enum { MOST_PHASES = 32, MOST_COUNTS = 64, LAYOUT = 4, BUCKETS = 12, BINS = 512, SLOPES = 4 };
enum { BY_COST, BY_TIME, BY_MONTH, BY_EXCESS };
enum { LATE, DEAR, LOSSY, OVER_QUOTA, ENDLESS, REASONS, NONE = -1 };

typedef struct {
  double usd_per_hour, link, emr, head_nodes, head, head_emr;
  double launch_s, minimum_s, committed_s, month_usd_per_hour;
} Prices;

/* One instance type with one storage layout. Rates are those of the typical node; a table has the slowdown of the
 * slowest. */
typedef struct {
  int32_t row, type, klass, volume, counts, first, last, spot;
  int32_t network_table, disk_table, iops_table, link_table, link_write_table; /* -1: none */
  int32_t shared, store_remote, each_way, iops_each_way;
  double network, network_base, network_full, single_flow;
  double outside, outside_share; /* outside the region: limit [MB/s], share of the network; 0: no limit */
  double disk, disk_read, disk_write, disk_divisor, outer, inner;
  double iops, iops_read, iops_write, outer_share;
  double link_read, link_write, link_peak, link_base, link_peak_iops, link_base_iops;
  double store, cpu;
  double interruptions, replacement_s, start_s;                /* start_s: launch, if it is part of the run */
  double spread_storage, spread_link, weight, doubt[CHANNELS]; /* doubts: variances */
  int32_t doubt_table, restart, layout[2];
  Prices prices;
} Lane;

/* An offer: rates and credits of one volume in I/Os and MB; a credit of 0 is no bucket. */
typedef struct {
  double burst_io, base_io, io_full, burst_mb, base_mb, mb_full;
  double usd_iops, usd_throughput;                     /* a month, beyond the included performance */
  double burst_io_s, base_io_s, burst_mb_s, base_mb_s; /* for bounds: seconds per I/O and per MB */
  int32_t size, iops, throughput, above;               /* above: for a size, the first larger step */
} Offer;

typedef struct {
  int32_t chains, by_size, smallest, largest;
  const int32_t *cut;   /* [count_steps][count_steps], by the maximum count, then by count: the last offer that more
                           volumes do not beat */
  const int32_t *start; /* chains + 1 */
  const Offer *offers;  /* along the chains */
  const Offer *of_size; /* by_size: for every size up to the largest */
  /* declared: number of offers, with those that are no better than a cheaper one */
  double usd_per_gib, gib_limit, iops_limit, declared, loss_limit, least_io;
  double step_usd; /* least price difference of successive offers in a chain [USD/month]; 0: some cost the same */
  double io_weight[ROLES], mb_weight[ROLES];
  /* late_table + count: table of the slowdown of the slowest of count volumes; -1: none */
  int32_t late_table;
  /* For burst IOPS and for burst MB/s: an offer's price without its size is at least slope[0] + slope[1] times its rate
   * [USD/month]; a slope[1] of 0 is no bound. */
  double slopes[2][SLOPES][2];
  int32_t bins[BUCKETS], bucket_counts[BUCKETS];
  /* [BUCKETS][BINS][8]: price, burst io, base io, io full, burst mb, base mb, mb full, total size */
  const double *envelope;
} VolumeType;

typedef struct {
  double value, time_s, cost_usd, value9, time9, cost9, nodes;
  int32_t lane, place, layout[LAYOUT], on_edge, reserved; /* on_edge: within rounding of a required chance */
} Candidate;

typedef struct {
  int64_t places, classes, flow_classes;
  int32_t phases, tables, lanes, volumes, rows, count_steps, types, most_dominators;
  const double *nodes;     /* [places] */
  const double *flows;     /* [flow_classes][phases][places][ROLES], slots in the order of the phase */
  const int32_t *flows_of; /* [classes]: index in flows */
  const double *cache;     /* [classes][phases][places] or NULL */
  const int32_t *role;     /* [phases][ROLES]; -1 ends the list */
  const double *table;     /* [tables][places] */
  const double *charges;   /* [classes][places][2]: object store, traffic */
  const double *held_mb;   /* [places]: data on all volumes of the cluster */
  const double *deviation; /* [places]: deviation of the slowest of n, for a spread of 1 */
  const double *overhead;  /* [places]: overhead of the framework beyond the phases [s] */
  const double *error;     /* [places]: error of the framework */
  const int32_t *counts;   /* [count_steps]: counts of volumes in the search */
  const double *powers, *scales;
  const int32_t *dominators; /* [types][most_dominators]: types that are no worse on EBS; -1 ends a list. Or NULL */
  int32_t digits, objective, want_frontier, stays;
  int32_t most_rows, banned_count;
  double slowed, slowed_network, slowed_link, slowed_store, slowed_cpu; /* slowed: for disks and volumes */
  double reads, writes, streams, credits, random_io_mb;                 /* streams 0: no limit */
  double deadline_s, relaxed_deadline_s, chance_z, budget_usd, loss_limit;
  double excess_time, excess_cost, excess_nodes, excess_units;
  double runs_per_month, mb_per_gib;
  double resolved;          /* 1 + resolution of the frontier */
  double link_in, link_out; /* links to data elsewhere, shared by all nodes [MB/s]; 0: unused */
  const Lane *lane;
  const VolumeType *volume;
  const Candidate *banned; /* candidates on the edge of a required chance that the model rejected */
} Problem;

typedef struct {
  Candidate *best;         /* [rows]; lane -1: none found */
  Candidate *frontier;     /* [most_frontier] */
  int32_t *frontier_order; /* [most_frontier]: indices of the points in order */
  int64_t most_frontier, frontier_size, computed, boxes;
  double *refused;  /* [REASONS][lanes]: number of candidates that break a limit, computed or proved by a bound; NULL:
                       neither is counted */
  double *size;     /* [lanes]: number of candidates */
  double threshold; /* rows with a larger value may not be optimal */
} Result;

/* A candidate that is among the best rows under some limits. */
typedef struct {
  Candidate found;
  const Offer *offer; /* NULL without volumes */
  double deviation, below, time_low_s, time_high_s, cost_low_usd, cost_high_usd, overhead_s, start_s;
  int32_t lists, reserved; /* number of lists with this candidate; 0: unused */
} Stair;

/* Limits, and the best rows under each (`stairs.h`). A list belongs to a level of confidence and a limit. */
typedef struct {
  const double *z, *least_factor; /* [levels]: quantile; least quotient of the time met with the confidence and the
                                     median */
  const double *limit;            /* [slots], ascending */
  const double *faster;           /* [places]: error of the framework below the median; NULL: as above it */
  Stair *stair;                   /* [most_stairs] */
  int32_t *spare;                 /* [most_stairs]: unused stairs */
  int32_t *list, *row;            /* [levels][slots][room]: stairs in order, and their rows */
  double *value;                  /* [levels][slots][room] */
  int32_t *size;                  /* [levels][slots] */
  int8_t *unsure;                 /* [levels][slots]: whether rounding, or too many ties, decide a list */
  double *phase_s;                /* [most_stairs][phases] */
  int32_t *channel;               /* [most_stairs][phases]: limiting channel; -1: none */
  int64_t most_computed;          /* number of candidates after which the search gives up */
  int32_t levels, slots, most_rows, room, most_stairs, spares, by_cost, reserved;
} Stairs;

#endif
