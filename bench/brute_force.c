/* The search without bounds: every candidate that it declares, computed one after the other.

   `stowage_every` answers as `stowage_search` does, with the kernel's own arithmetic of one candidate and its own
   order, and without bounds, boxes, or neighbours that are left out: what the search must find (`tests/optimizer`).

   `stowage_count` is how fast that can be done at best (`bench/search_speed.py`): it counts the candidates that are
   within deadline and budget, and keeps the cheapest. What does not depend on the instance type is computed once for
   all of them, the rest in loops that a compiler turns into vectors; the bits stay the kernel's. */

#include "../backend/stowage/optimizer/csrc/kernel.c"

/* Gives all that can be ordered in so many volumes; `i` runs from `first` to `last`, both included. */
typedef struct {
  int32_t fit, from, first, last;
} Orders;

static int orders_of(const Problem *q, const VolumeType *t, int64_t place, int32_t count, int32_t chain, Orders *o) {
  o->fit = fitting_gib(q, t, q->nodes[place], count, q->held_mb[place]);
  if (o->fit > t->largest) return 0;
  o->from = o->first = t->start[chain];
  o->last = t->start[chain + 1] - 1;
  if (t->by_size) {
    o->from = t->of_size[o->fit].above;
    o->first = o->from - 1;
  }
  return 1;
}

static void every_order(Work *w, int32_t lane, int64_t place) {
  const Problem *q = w->q;
  const Lane *l = &q->lane[lane];
  View v = exact_view(w, l, place);
  Fixed fixed;
  fixed_at(w, l, &v, &fixed);
  if (l->volume < 0) {
    visit(w, lane, place, &v, &fixed, 0, 0, NULL);
    return;
  }
  const VolumeType *t = &q->volume[l->volume];
  double n = q->nodes[place];
  for (int step = 0; step < l->counts; step++)
    for (int32_t chain = 0; chain < t->chains; chain++) {
      int32_t count = q->counts[step];
      Orders o;
      if (!orders_of(q, t, place, count, chain, &o)) continue;
      for (int32_t i = o.first; i <= o.last && !w->failed; i++) {
        Ordered a = ordered(t, count, o.fit, o.from, i);
        if (a.size > t->largest) continue;
        if (n * (double)count * (double)a.size > t->gib_limit || n * (double)count * a.offer->base_io > t->iops_limit)
          refuse(w, lane, OVER_QUOTA, 1.0);
        else
          visit(w, lane, place, &v, &fixed, count, a.size, a.offer);
      }
    }
}

static int begin(Work *w, const Problem *q, Result *r) {
  w->q = q;
  w->r = r;
  r->frontier_size = r->computed = r->boxes = 0;
  if (!prepare(w)) return 0;
  for (int32_t i = 0; i < q->lanes; i++) {
    for (int reason = 0; reason < REASONS; reason++) r->refused[(int64_t)reason * q->lanes + i] = 0.0;
    r->size[i] = candidates_in(w, &q->lane[i], q->lane[i].first, q->lane[i].last);
  }
  return 1;
}

/* Solves a search problem as `stowage_search` does, whose place it takes. */
int stowage_every(const Problem *q, Result *r) {
  Work w = {0};
  if (!begin(&w, q, r)) {
    finish(&w);
    return 1;
  }
  for (int32_t i = 0; i < q->lanes; i++)
    for (int64_t place = q->lane[i].first; place <= q->lane[i].last && q->lane[i].row >= 0 && !w.failed; place++)
      every_order(&w, i, place);
  r->threshold = threshold(&w);
  for (int64_t i = 0; i < r->frontier_size; i++) r->frontier_order[i] = w.front_slot[i];
  int failed = w.failed;
  finish(&w);
  return failed ? 2 : 0;
}

/* ---- as fast as it can be done ---- */

enum { BLOCK = 512 };

typedef struct {
  int64_t computed, within, plain; /* plain: of the computed, those that took the slow way */
  double cost_usd;
} Count;

/* What a block of orders asks of every type: time of each phase, and USD a second of volumes. */
typedef struct {
  int32_t size;
  double usd_per_s[BLOCK], peak_io[BLOCK], peak_mb[BLOCK], work_s[BLOCK], cost[BLOCK];
  const Offer *offer[BLOCK];
  double time_s[MOST_PHASES][BLOCK];
} Block;

/* A type at one node count. */
typedef struct {
  double hourly, launch_s, floor_s, link, head, emr, head_emr, charges[2], deadline_s, budget_usd;
} Fees;

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

#define COSTS(extras)                                                                     \
  for (int32_t i = 0; i < size; i++) {                                                    \
    double t = work_s[i], billed_s = larger(t + launch_s, floor_s);                       \
    double total = hourly * t / 3600.0 + hourly * (billed_s - t) / 3600.0;                \
    if (extras) total = total + link * billed_s / 3600.0;                                 \
    total = total + usd_per_s[i] * billed_s;                                              \
    if (extras) total = total + head * billed_s / 3600.0;                                 \
    if (extras) total = total + (emr * billed_s / 3600.0 + head_emr * billed_s / 3600.0); \
    total = total + first;                                                                \
    total = total + second;                                                               \
    int64_t ok = (t <= deadline_s) & (total <= budget_usd);                               \
    within += ok;                                                                         \
    cost[i] = ok ? total : INFINITY;                                                      \
  }

/* Counts what is within the limits, and gives the lowest cost of it; arithmetic and order are those of `run_cost`. */
WIDE static int64_t count_block(const Fees *f, int32_t size, const double *restrict work_s,
                                const double *restrict usd_per_s, double *restrict cost, double *lowest) {
  double hourly = f->hourly, launch_s = f->launch_s, floor_s = f->floor_s, first = f->charges[0],
         second = f->charges[1];
  double link = f->link, head = f->head, emr = f->emr, head_emr = f->head_emr;
  double deadline_s = f->deadline_s, budget_usd = f->budget_usd;
  int64_t within = 0;
  /* Zero adds nothing, at any number of digits. */
  if (link != 0.0 || head != 0.0 || emr != 0.0 || head_emr != 0.0) {
    COSTS(1)
  } else {
    COSTS(0)
  }
  double least[8];
  for (int j = 0; j < 8; j++) least[j] = INFINITY;
  int32_t i = 0;
  for (; i + 8 <= size; i += 8)
    for (int j = 0; j < 8; j++) least[j] = cost[i + j] < least[j] ? cost[i + j] : least[j];
  for (; i < size; i++) least[0] = smaller(cost[i], least[0]);
  for (int j = 0; j < 8; j++) *lowest = smaller(*lowest, least[j]);
  return within;
}

/* Adds up phases: of each the longer of what a type takes without its volumes, and of what these take. */
WIDE static void add_phase(int32_t size, int first, double without_s, const double *restrict time_s,
                           double *restrict work_s) {
  if (first)
    for (int32_t i = 0; i < size; i++) work_s[i] = time_s[i] > without_s ? time_s[i] : without_s;
  else
    for (int32_t i = 0; i < size; i++) work_s[i] = work_s[i] + (time_s[i] > without_s ? time_s[i] : without_s);
}

/* Whether phases of a lane do not depend on each other by what credit they leave. */
static int forgets(const Problem *q, const Lane *l, const Link *link) {
  const VolumeType *t = &q->volume[l->volume];
  if (q->cache || l->spot || q->chance_z > -INFINITY || l->prices.committed_s != 0.0) return 0;
  if (isfinite(t->loss_limit) || isfinite(t->gib_limit) || isfinite(t->iops_limit)) return 0;
  if (q->phases == 1) return 1;
  if (l->network_base > 0.0 && l->network_full > 0.0) return 0;
  if (!link->measured && (link->base.full > 0.0 || link->base_ios.full > 0.0)) return 0;
  const Offer *offers = t->by_size ? t->of_size : t->offers;
  int32_t last = t->by_size ? t->largest : t->start[t->chains] - 1;
  for (int32_t i = t->by_size ? t->smallest : 0; i <= last; i++)
    if (offers[i].io_full > 0.0 || offers[i].mb_full > 0.0) return 0;
  return 1;
}

/* Gives what each phase takes without its volumes; 0 where that depends on what went before. */
static int without_volumes(const Work *w, const Lane *l, int64_t place, double *time_s) {
  const Problem *q = w->q;
  View v = exact_view(w, l, place);
  Link link;
  link_of(q, l, &v, &link);
  if (!forgets(q, l, &link) || q->overhead[place] != 0.0) return 0;
  Bucket flows = {0};
  if (l->network_base > 0.0) {
    double full = l->network_full, credit = full * q->credits;
    flows = (Bucket){full > 0.0 ? l->network_base : l->network_base / q->slowed_network, credit, full, credit};
  }
  Rates rates;
  rates_of(q, l, &v, &rates);
  for (int p = 0; p < q->phases; p++) {
    const double *f = v.flows + p * v.phase_stride;
    double by[CHANNELS];
    fixed_part(w, l, &v, &rates, p, by);
    if (l->network_base > 0.0) {
      double out = l->store_remote ? even(w, f, p, G_OUT, 1.0) : only(w, f, p, NET_OUT);
      double in = l->store_remote ? even(w, f, p, G_IN, 1.0) : only(w, f, p, NET_IN);
      by[NETWORK] = larger(by[NETWORK], larger(taken(&flows, out, 0.0, 0), taken(&flows, in, 0.0, 0)));
    }
    by[LINK] = link_time(w, &link, f, p, 0.0);
    time_s[p] = 0.0;
    for (int i = 0; i < CHANNELS; i++) time_s[p] = larger(time_s[p], by[i]);
  }
  return 1;
}

/* What a block costs and can do in one number of volumes, for any type; the words are those of `visit`. */
static void order_block(const Problem *q, const VolumeType *t, int64_t place, int32_t count, Block *b,
                        const int32_t *size) {
  double n = q->nodes[place], volumes = (double)count;
  for (int32_t i = 0; i < b->size; i++) {
    const Offer *o = b->offer[i];
    double each = (double)size[i] * t->usd_per_gib;
    each = each + o->usd_iops;
    each = each + o->usd_throughput;
    b->usd_per_s[i] = n * (volumes * each / MONTH_S);
    double peak_io = o->burst_io * volumes, peak_mb = o->burst_mb * volumes;
    if (t->late_table >= 0) {
      double late = q->table[(t->late_table + count) * q->places + place];
      peak_io = peak_io / late;
      peak_mb = peak_mb / late;
    }
    b->peak_io[i] = peak_io / q->slowed;
    b->peak_mb[i] = peak_mb / q->slowed;
  }
}

/* What the volumes of a block take of each phase, for all types of a class. */
static void time_block(const Work *w, const Lane *l, const VolumeType *t, int64_t place, int32_t count, Block *b) {
  const Problem *q = w->q;
  View v = exact_view(w, l, place);
  double volumes = (double)count, weight_io[ROLES], weight_mb[ROLES];
  double busy = q->streams > 0.0 ? q->streams / (q->streams + volumes - 1.0) : 1.0;
  double read_reach = q->reads * busy, write_reach = q->writes * busy;
  for (int role = 0; role < ROLES; role++) {
    double reach = is_read(role) ? read_reach : write_reach;
    weight_io[role] = t->io_weight[role] / reach;
    weight_mb[role] = t->mb_weight[role] / reach;
  }
  for (int p = 0; p < q->phases; p++) {
    const double *f = v.flows + p * v.phase_stride;
    double burst_ios = weighed(w, f, p, G_VOLUME, weight_io), burst_mbs = weighed(w, f, p, G_VOLUME, weight_mb);
    double ios = weighed(w, f, p, G_VOLUME, t->io_weight), mbs = weighed(w, f, p, G_VOLUME, t->mb_weight);
    double *time_s = b->time_s[p];
    for (int32_t i = 0; i < b->size; i++) {
      const Offer *o = b->offer[i];
      time_s[i] = larger(burst_ios / b->peak_io[i], burst_mbs / b->peak_mb[i]);
      if (o->io_full > 0.0) {
        double first = o->io_full * volumes * q->credits;
        Bucket io = {o->base_io * volumes, first, o->io_full * volumes, first};
        time_s[i] = larger(time_s[i], taken(&io, ios, 0.0, 0));
      }
      if (o->mb_full > 0.0) {
        double first = o->mb_full * volumes * q->credits;
        Bucket mb = {o->base_mb * volumes, first, o->mb_full * volumes, first};
        time_s[i] = larger(time_s[i], taken(&mb, mbs, 0.0, 0));
      }
    }
  }
}

static Fees fees_of(const Problem *q, const Lane *l, int64_t place) {
  const Prices *c = &l->prices;
  const double *charges = q->charges + ((int64_t)l->klass * q->places + place) * 2;
  double n = q->nodes[place];
  return (Fees){n * c->usd_per_hour,
                c->launch_s,
                c->minimum_s > c->launch_s ? c->minimum_s : 0.0,
                n * c->link,
                c->head_nodes * c->head,
                n * c->emr,
                c->head_nodes * c->head_emr,
                {charges[0], charges[1]},
                q->deadline_s,
                q->budget_usd};
}

typedef struct {
  int32_t volume, klass, lane;
} Seat;

static int by_volume_and_class(const void *a, const void *b) {
  const Seat *one = a, *other = b;
  if (one->volume != other->volume) return one->volume < other->volume ? -1 : 1;
  if (one->klass != other->klass) return one->klass < other->klass ? -1 : 1;
  return (one->lane > other->lane) - (one->lane < other->lane);
}

/* All lanes of a volume type at one number of nodes; `whole`: which lanes take the fast way. */
static void count_place(const Work *w, const Seat *seat, int32_t seats, int64_t place, const double *without_s,
                        const char *whole, Block *b, Count *found) {
  const Problem *q = w->q;
  const VolumeType *t = &q->volume[seat[0].volume];
  for (int step = 0; step < q->count_steps; step++)
    for (int32_t chain = 0; chain < t->chains; chain++) {
      int32_t count = q->counts[step], size[BLOCK];
      Orders o;
      if (!orders_of(q, t, place, count, chain, &o)) continue;
      for (int32_t start = o.first; start <= o.last;) {
        for (b->size = 0; start <= o.last && b->size < BLOCK; start++) {
          Ordered a = ordered(t, count, o.fit, o.from, start);
          if (a.size > t->largest) continue;
          size[b->size] = a.size;
          b->offer[b->size++] = a.offer;
        }
        order_block(q, t, place, count, b, size);
        int32_t klass = -1;
        for (int32_t s = 0; s < seats; s++) {
          const Lane *l = &q->lane[seat[s].lane];
          if (!whole[s] || l->counts <= step || l->first > place || l->last < place) continue;
          if (klass != l->klass) {
            time_block(w, l, t, place, count, b);
            klass = l->klass;
          }
          for (int p = 0; p < q->phases; p++)
            add_phase(b->size, p == 0, without_s[s * q->phases + p], b->time_s[p], b->work_s);
          Fees fees = fees_of(q, l, place);
          found->within += count_block(&fees, b->size, b->work_s, b->usd_per_s, b->cost, &found->cost_usd);
          found->computed += b->size;
        }
      }
    }
}

/* Counts what is within deadline and budget at every `stride`th place, and finds the lowest cost; 1: no memory. */
int stowage_count(const Problem *q, Result *r, int64_t start, int64_t stride, Count *found) {
  Work w = {0};
  *found = (Count){0, 0, 0, INFINITY};
  Seat *seat = malloc((size_t)(q->lanes + 1) * sizeof(Seat));
  double *without_s = malloc((size_t)(q->lanes * q->phases + 1) * sizeof(double));
  char *whole = malloc((size_t)q->lanes + 1);
  Block *block = malloc(sizeof(Block));
  int failed = !begin(&w, q, r) || !seat || !without_s || !whole || !block;
  int32_t seats = 0;
  for (int32_t i = 0; i < q->lanes && !failed; i++)
    if (q->lane[i].row >= 0) seat[seats++] = (Seat){q->lane[i].volume, q->lane[i].klass, i};
  if (!failed) qsort(seat, (size_t)seats, sizeof(Seat), by_volume_and_class);
  for (int32_t from = 0, to; from < seats && !failed; from = to) {
    for (to = from; to < seats && seat[to].volume == seat[from].volume; to++) continue;
    for (int64_t place = start; place < q->places; place += stride) {
      for (int32_t s = from; s < to; s++) {
        const Lane *l = &q->lane[seat[s].lane];
        whole[s - from] = 0;
        if (l->first > place || l->last < place) continue;
        if (l->volume >= 0) whole[s - from] = (char)without_volumes(&w, l, place, without_s + (s - from) * q->phases);
        if (!whole[s - from]) every_order(&w, seat[s].lane, place);
      }
      if (seat[from].volume >= 0) count_place(&w, seat + from, to - from, place, without_s, whole, block, found);
    }
  }
  found->plain = r->computed;
  found->computed += r->computed;
  double refused = 0.0;
  for (int64_t i = 0; i < (int64_t)REASONS * q->lanes && !failed; i++) refused += r->refused[i];
  found->within += r->computed - (int64_t)refused;
  for (int32_t i = 0; i < q->rows && !failed; i++)
    if (r->best[i].lane >= 0) found->cost_usd = smaller(found->cost_usd, r->best[i].cost_usd);
  finish(&w);
  free(seat);
  free(without_s);
  free(whole);
  free(block);
  return failed;
}
