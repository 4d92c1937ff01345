/* Orders of EBS volumes: how large they must be, what they cost, and how many there are. */

#ifndef STOWAGE_ORDERS_H
#define STOWAGE_ORDERS_H

#include "candidate.h"

/* Returns the size of the smallest volumes that hold the data. */
static int32_t fitting_gib(const Problem *q, const VolumeType *t, double n, int32_t count, double held_mb) {
  double c = (double)count, least = (double)t->smallest, quotient = held_mb / (n * c * q->mb_per_gib);
  if (quotient > 1e9) return 1000000000;
  double size = (double)(int64_t)quotient;
  size = larger(least, size < quotient ? size + 1.0 : size);
  /* The quotient may round across a whole number: the volumes must hold the data. */
  while (size > least && n * (c * (size - 1.0) * q->mb_per_gib) >= held_mb) size -= 1.0;
  while (n * (c * size * q->mb_per_gib) < held_mb) size += 1.0;
  return (int32_t)size;
}

/* An order: an offer with the size of each volume, and the price of all volumes of a node. */
typedef struct {
  const Offer *offer;
  int32_t size;
  double month_usd;
} Ordered;

static inline Ordered ordered(const VolumeType *t, int32_t count, int32_t fit, int32_t from, int32_t i) {
  Ordered a;
  if (t->by_size) {
    /* The size that just fits comes before the steps of the search. */
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

/* Returns the number of candidates of a lane in a range of places. */
static double candidates_in(const Work *w, const Lane *l, int64_t first, int64_t last) {
  if (l->volume < 0) return (double)(last - first + 1);
  int64_t wide = w->q->places + 1;
  const double *sums = w->size_sum + ((int64_t)l->volume * w->most_counts_used + w->most_counts[l->counts]) * wide;
  return sums[last + 1] - sums[first];
}

/* Counts all candidates of a lane in a box as excluded by a limit. */
static void refuse_all(const Work *w, int32_t lane, int reason, int64_t first, int64_t last) {
  const Lane *l = &w->q->lane[lane];
  int64_t from = first < l->first ? l->first : first, to = last > l->last ? l->last : last;
  if (reason != NONE && w->r->refused) refuse(w, lane, reason, candidates_in(w, l, from, to));
}

#endif
