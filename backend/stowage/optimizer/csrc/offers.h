/* What is computed once for the offers of a volume type: the envelope of all orders by price, and which offers more
   volumes beat. */

#ifndef STOWAGE_OFFERS_H
#define STOWAGE_OFFERS_H

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

enum { RATES = 6 };
static const int IS_CREDIT[RATES] = {0, 0, 1, 0, 0, 1}, IS_BURST[RATES] = {1, 0, 0, 1, 0, 0};

/* Offers of a volume type by ascending price, as `volume_envelope` describes them. */
typedef struct {
  int32_t offers, counts, bins, by_size;
  const double *price;              /* [offers] */
  const double *most;               /* [RATES][offers]: highest rates and credits up to each offer */
  const double *gib;                /* [offers]: by_size: largest size up to each offer, else smallest from it on */
  const double *volumes, *together; /* [counts]: volumes; their burst rate in burst rates of one */
  const double *edges;              /* [bins + 1] */
  const double *until;              /* [BUCKETS]: maximum counts */
} Offered;

/* The envelope of some counts of volumes; a price of INFINITY marks a bin without orders. */
typedef struct {
  double price[BINS], gib[BINS], most[RATES][BINS];
} Envelope;

/* Raises bounds of bins to `times` the figure of the last offer up to each bin. */
static void raise_to(double *bound, const double *figure, double times, const int32_t *end, int32_t bins) {
  for (int b = 0; b < bins; b++) {
    double most = end[b] > 0 ? times * figure[end[b] - 1] : 0.0;
    bound[b] = most > bound[b] ? most : bound[b];
  }
}

/* Adds the orders with a count of volumes. */
static void add_count(const Offered *o, int count, Envelope *e) {
  double volumes = o->volumes[count];
  int32_t end[BINS], first = 0;
  for (int b = 0; b < o->bins; b++) {
    end[b] = first;
    while (end[b] < o->offers && volumes * o->price[end[b]] < o->edges[b + 1]) end[b]++;
    if (o->by_size) {
      /* Sizes between two offers: some may cost more than the lower edge although the first of them costs less. */
      if (end[b] > 0 && o->edges[b] < e->price[b]) e->price[b] = o->edges[b];
    } else if (first < o->offers) {
      if (first < end[b] && volumes * o->price[first] < e->price[b]) e->price[b] = volumes * o->price[first];
      if (volumes * o->gib[first] < e->gib[b]) e->gib[b] = volumes * o->gib[first];
    }
    first = end[b];
  }
  if (o->by_size) raise_to(e->gib, o->gib, volumes, end, o->bins);
  for (int i = 0; i < RATES; i++)
    raise_to(e->most[i], o->most + (int64_t)i * o->offers, IS_BURST[i] ? o->together[count] : volumes, end, o->bins);
}

/* Writes the bins that have orders; returns how many. Credits are written as they are, rates as their reciprocals. */
static int32_t write_bins(const Offered *o, const Envelope *e, double *found) {
  int32_t used = 0;
  for (int b = 0; b < o->bins; b++) {
    if (isinf(e->price[b])) continue;
    double *bin = found + (int64_t)used++ * 8;
    bin[0] = e->price[b];
    for (int i = 0; i < RATES; i++)
      bin[1 + i] = IS_CREDIT[i] ? e->most[i][b] : 1.0 / (e->most[i][b] > DBL_MIN ? e->most[i][b] : DBL_MIN);
    bin[7] = e->gib[b];
  }
  return used;
}

/* Computes the envelope for each maximum count of volumes: `found` [BUCKETS][BINS][8], `used` [BUCKETS]. Returns 1
 * without enough memory. */
int stowage_envelope(const Offered *o, double *found, int32_t *used) {
  Envelope *e = calloc(1, sizeof *e);
  if (!e) return 1;
  for (int b = 0; b < BINS; b++) {
    e->price[b] = INFINITY;
    e->gib[b] = o->by_size ? 0.0 : INFINITY;
  }
  for (int bucket = 0, count = 0; bucket < BUCKETS; bucket++) {
    while (count < o->counts && (count == 0 || o->volumes[count] <= o->until[bucket])) add_count(o, count++, e);
    used[bucket] = write_bins(o, e, found + (int64_t)bucket * BINS * 8);
  }
  free(e);
  return 0;
}

/* Offers of a volume type in a chain, none slower than the one before it. */
typedef struct {
  int32_t offers, counts;
  const double *usd, *gib, *burst_io, *burst_mb; /* [offers]: monthly price without the GiB, least size */
  const double *volumes, *together, *surely;     /* [counts]: as in Offered; `together` with a margin for rounding */
  double usd_per_gib, less;                      /* less: share of a price below which another is surely lower */
} Chain;

/* Marks the offers with some volumes that more volumes beat: they reach the same rates, and cost less at any size. */
static void mark_beaten(const Chain *c, int few, int more, int8_t *beaten) {
  int32_t io = 0, mb = 0, n = c->offers;
  for (int32_t i = 0; i < n; i++) {
    while (io < n && c->together[more] * c->burst_io[io] < c->surely[few] * c->burst_io[i]) io++;
    while (mb < n && c->together[more] * c->burst_mb[mb] < c->surely[few] * c->burst_mb[i]) mb++;
    int32_t like = io > mb ? io : mb;
    if (like >= n) return;
    /* Upper bound of the extra GiB: both sizes are rounded up, to whole volumes or to what the IOPS require. */
    double extra = c->volumes[more] * c->gib[like] - c->volumes[few] * c->gib[i];
    double rounded = extra > c->volumes[more] ? extra : c->volumes[more];
    if (c->volumes[more] * c->usd[like] + c->usd_per_gib * rounded < c->volumes[few] * c->usd[i] * c->less)
      beaten[i] = 1;
  }
}

/* Computes the last offer that more volumes do not beat, by maximum count and by count: `cut` [counts][counts]. Returns
 * 1 without enough memory. */
int stowage_cut(const Chain *c, int32_t *cut) {
  int8_t *beaten = malloc((size_t)c->offers + 1);
  if (!beaten) return 1;
  for (int few = 0; few < c->counts; few++) {
    memset(beaten, 0, (size_t)c->offers);
    /* Increasing step sizes: they find nearly all offers that any count beats. */
    for (int further = 1; few + further < c->counts; further *= 2) {
      mark_beaten(c, few, few + further, beaten);
      int32_t last = c->offers - 1;
      while (last > 0 && beaten[last]) last--;
      for (int most = few + further; most < few + 2 * further && most < c->counts; most++)
        cut[most * c->counts + few] = last;
    }
  }
  free(beaten);
  return 0;
}

#endif
