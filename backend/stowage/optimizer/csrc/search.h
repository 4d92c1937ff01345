/* State of one search, and helpers that every part of it uses. */

#ifndef STOWAGE_SEARCH_H
#define STOWAGE_SEARCH_H

#include <math.h>
#include <string.h>

#include "problem.h"

/* Functions that are called so often that calls take a part of the time. */
#define INLINED static inline __attribute__((always_inline))

static const double SLACK = 1e-11; /* larger than the rounding error of a bound's dozen operations */
static const double TIE = 6e-9; /* larger than the change by rounding to nine digits: half a unit of the ninth, 5e-9 */
static const double NEAR = 1.6; /* ratio of node counts up to which a box's bounds serve for its parts */
static const double NEAR_WITH_CACHE =
    1.06;                        /* as NEAR: what a node caches does not shrink with more nodes, as loads do */
static const double PART = 1.15; /* ratio of node counts of the parts by which the bounds of a wide box are judged */
static const double SIMILAR = 1.003; /* ratio of node counts that may cover each other: about the resolution */
static const double COARSE = 1.02;   /* 1 + resolution for the first points of what may be the fastest */
static const double MONTH_S = 730.0 * 3600.0;
/* For bounds, whose arithmetic may differ from the model's. */
static const double PER_HOUR = 1.0 / 3600.0, PER_MONTH = 1.0 / (730.0 * 3600.0);
static const double NEVER_FINISHES = 1e6;

typedef struct {
  const double *flows, *cache;
  int64_t phase_stride, cache_stride;
  const double *slow, *curve;
  int64_t table_stride, at;
  double nodes_high, scale, overhead, starts; /* for bounds: scale of credits; how often a launch counts */
} View;

/* Roles whose flows a limit adds up, in the order of the phase. */
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

/* Cells of time, each a 256th of a power of two, from a 16th of a second on; all earlier and all later times have the
 * first and the last one. */
enum { CELL_BITS = 8, FIRST_CELL = (1023 - 4) << CELL_BITS, CELLS = 40 << CELL_BITS };

enum { MOST_ALLOCATIONS = 32 };

/* A range of places whose extremes are computed: between its parts if it has some, else between its places. */
typedef struct {
  int64_t first, end;
  int32_t parts[2]; /* -1: none */
} Range;

typedef struct {
  const Problem *q;
  Result *r;
  Stairs *stairs; /* what a search under many limits finds; NULL for any other search */
  int64_t leaves; /* a power of two */
  int64_t slots;  /* most flows of a phase */
  double *charges_low, *nodes_low, *nodes_high, *held_low, *overhead_low, *overhead_n_low; /* [boxes] */
  int32_t *range; /* [boxes]: the smallest range that contains a box; see `number_ranges` */
  Range *ranges;
  int32_t ranges_used;
  double *flows_low, *flows_n_low, *cache_high, *table_low, *table_high; /* [...][ranges] */
  double *driven;                       /* [volumes][2][ROLES]: burst I/Os and burst bytes that an MB uses */
  double *size_sum;                     /* [volumes][most counts][places + 1] */
  int64_t *same_data;                   /* [places]: the end of the places with the same data */
  int32_t most_counts[MOST_COUNTS + 1]; /* by the maximum count of a lane: index in size_sum; -1: no lane has it */
  int32_t most_counts_used;
  double *front_memory, *front_cost_memory; /* memory of the frontier's arrays, with room at both ends */
  int32_t *front_slot_memory;
  int64_t spares;
  double *front_time, *front_cost;  /* the frontier, fastest first */
  int32_t *front_slot, *spare_slot; /* index of each point in the result */
  double *best_value;               /* [rows]: of the best of each row, in nine digits; INFINITY: none found */
  double *top;                      /* values of the best rows, ascending */
  int32_t *top_row;
  int32_t top_size;
  double *front_least; /* [CELLS + 1]: least cost on the frontier in all cells before one. Or NULL */
  int64_t finger;      /* index of the last lookup in the frontier */
  int32_t *knee;       /* [volumes]: last knee */
  int8_t *bucket;      /* [volumes][MOST_COUNTS + 1]: of envelopes, by the maximum count of a lane */
  int32_t *count;      /* [volumes]: last best count, as a step */
  int32_t too_dear[MOST_COUNTS], dear_enough[MOST_COUNTS], fast_enough[MOST_COUNTS]; /* last of these offers found, by
                                                                                       step of the count of volumes */
  int32_t groups[MOST_PHASES][GROUPS][ROLES];
  int32_t group_size[MOST_PHASES][GROUPS];
  int32_t slot[MOST_PHASES][ROLES]; /* slot of each role; -1: the phase does not have it */
  int32_t *above;                   /* [lanes]: a lane that dominates this one; -1: none known */
  int32_t *row;                     /* [lanes]: of the ranking, as in the lane, which is far larger; -1: not searched */
  int8_t *done;                     /* [lanes]: whether it was searched, or needs not be */
  double error_high, deviation_high;
  double *cpu_high; /* [places]: most data that the CPU of a node processes in the only phase, at this place or later */
  double overhead_high;
  double resolved;     /* 1 + resolution of the frontier at present */
  int64_t from, until; /* first and last place to search */
  double least_s;      /* only slower candidates are of use: lower bound of the time of all */
  double *surely;      /* [lanes]: time within which all candidates are surely in time; 0: not computed yet */
  int32_t *bare;       /* [rows][places]: 1 + the first lane whose disks are no bottleneck; 0: none. Or NULL */
  int failed;          /* more points on the frontier than there is room for */
  void *memory[MOST_ALLOCATIONS];
  int allocations, out_of_memory;
} Work;

/* Returns the first of [low, high) that satisfies a condition, as all later ones then do; `high` if none does. Mostly
 * it is near the last one that was found, from which the search gallops. */
static inline int32_t first_near(int (*satisfies)(const void *, int32_t), const void *of, int32_t low, int32_t high,
                                 int32_t *found) {
  int32_t at = *found < high ? *found : high - 1, step = 1;
  int galloping = 1, down = 0;
  while (low < high) {
    if (at < low || at >= high) at = low + (high - low) / 2;
    int here = satisfies(of, at);
    if (here)
      high = at;
    else
      low = at + 1;
    galloping &= step == 1 || here == down;
    down = here;
    at = !galloping ? low + (high - low) / 2 : here ? high - step : low + step - 1;
    step *= 2;
  }
  *found = low;
  return low;
}

static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }
/* Returns whether the bounds of a box are nearly as tight for its parts. */
static inline int is_near(const Work *w, int64_t k) {
  return w->nodes_high[k] <= w->nodes_low[k] * (w->q->cache ? NEAR_WITH_CACHE : NEAR);
}
static inline int is_read(int role) { return role == IN_READ || role == MID_READ || role == RND_READ; }

/* Rounds to nine significant digits, as `plan.nine_digits`; powers and scales come from the model. */
static double nine_digits(const Problem *q, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  /* The power of ten below x from its binary exponent: log10(2) is about 1233 / 4096, so off by one at most. */
  int at = (((int)(bits >> 52 & 2047) - 1023) * 1233 >> 12) + 13;
  at = at < 0 ? 0 : at > q->digits ? q->digits : at;
  while (at < q->digits && q->powers[at] <= x) at++;
  while (at > 0 && q->powers[at - 1] > x) at--;
  double scale = q->scales[at == 0 ? q->digits - 1 : at - 1], scaled = x * scale;
  const double whole = 6755399441055744.0; /* 1.5 x 2^52: adding it rounds to even */
  scaled = fabs(scaled) < 2251799813685248.0 ? (scaled + whole) - whole : rint(scaled);
  return scaled / scale;
}

#endif
