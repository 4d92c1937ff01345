/* Executes recorded arithmetic on many configurations at once.

   `stowage.optimizer.bulk.recording` runs the model once on symbols and records its operations; this file executes
   them. It has no physics of its own. Each operation is one of IEEE 754 that rounds once, or a function of the C
   library that the model calls too, so the results are those of the model bit for bit, at any width of the
   processor's vectors. Compile without fast-math and without contraction of a * b + c.

   The configurations pass through all operations in blocks, so that the intermediate results of a block stay in the
   first-level cache. */

#include <math.h>
#include <stdint.h>

/* Registers are arrays of a block's length. The line between them keeps them from being a multiple of 4 KiB apart. */
enum { BLOCK = 128, STRIDE = BLOCK + 8 };
enum { REGISTER, ARRAY, CONSTANT };
enum { ADD, SUB, MUL, DIV, MAX, MIN, LESS, AT_MOST, EQUAL, AND, WHERE, TAKE };
enum { COPY = TAKE + 1, SQRT, ABS, NEG, CEIL, EXPM1, LOG1P, MUL_ADD };

typedef struct {
  int32_t kind, index;
} Operand;

typedef struct {
  int32_t code, reserved;
  Operand out, operand[3];
} Operation;

/* An operation with the addresses of its operands. Those of arrays move from block to block: `moves` is -1, else 0. */
typedef struct {
  double *out;
  const double *operand[3];
  int64_t out_moves, moves[3];
  int64_t code; /* 8 times that of the operation, plus a bit for each operand that is a constant */
} Resolved;

static Resolved resolved(const Operation *o, double *const *arrays, const double *constants, double *registers) {
  Resolved r = {.code = 8 * o->code};
  r.out_moves = o->out.kind == ARRAY ? -1 : 0;
  r.out = o->out.kind == ARRAY ? arrays[o->out.index] : registers + (int64_t)o->out.index * STRIDE;
  for (int i = 0; i < 3; i++) {
    int32_t kind = o->operand[i].kind;
    int64_t index = o->operand[i].index;
    r.moves[i] = kind == ARRAY ? -1 : 0;
    r.operand[i] = kind == ARRAY ? arrays[index] : kind == CONSTANT ? constants + index : registers + index * STRIDE;
    if (kind == CONSTANT) r.code += 1 << i;
  }
  return r;
}

/* An operation may write over its own operands, but only element by element. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
#define EACH INDEPENDENT for (int64_t i = 0; i < size; i++)
#define CASE(code, declared, expression) \
  case code: {                           \
    declared;                            \
    EACH out[i] = expression;            \
  } break;

/* Operands that an operation does not have are constants; of those that it has, not all are. */
#define FUNCTION(name, of)                                \
  case 8 * name + 6:                                      \
    for (int64_t i = 0; i < size; i++) out[i] = of(a[i]); \
    break;
#define UNARY(name, of) CASE(8 * name + 6, , of(a[i]))
#define BINARY(name, of)                               \
  CASE(8 * name + 4, , of(a[i], b[i]))                 \
  CASE(8 * name + 5, const double x = *a, of(x, b[i])) \
  CASE(8 * name + 6, const double y = *b, of(a[i], y))
#define TERNARY(name, of)                                    \
  CASE(8 * name + 0, , of(a[i], b[i], c[i]))                 \
  CASE(8 * name + 2, const double y = *b, of(a[i], y, c[i])) \
  CASE(8 * name + 4, const double z = *c, of(a[i], b[i], z)) \
  CASE(8 * name + 6, const double y = *b; const double z = *c, of(a[i], y, z))

#define SUM(x, y) ((x) + (y))
#define DIFFERENCE(x, y) ((x) - (y))
#define PRODUCT(x, y) ((x) * (y))
#define QUOTIENT(x, y) ((x) / (y))
#define LARGER(x, y) ((x) > (y) ? (x) : (y))
#define SMALLER(x, y) ((x) < (y) ? (x) : (y))
#define IS_LESS(x, y) ((x) < (y) ? 1.0 : 0.0)
#define IS_AT_MOST(x, y) ((x) <= (y) ? 1.0 : 0.0)
#define IS_EQUAL(x, y) ((x) == (y) ? 1.0 : 0.0)
#define CHOSEN(x, y, z) ((x) != 0.0 ? (y) : (z))
#define PRODUCT_AND_SUM(x, y, z) ((x) * (y) + (z))
#define ITSELF(x) (x)
#define NEGATED(x) (-(x))

static inline __attribute__((always_inline)) void execute(const Resolved *r, int64_t first, int64_t size) {
  double *out = r->out + (first & r->out_moves);
  const double *a = r->operand[0] + (first & r->moves[0]), *b = r->operand[1] + (first & r->moves[1]);
  const double *c = r->operand[2] + (first & r->moves[2]);
  switch (r->code) {
    BINARY(ADD, SUM)
    BINARY(SUB, DIFFERENCE)
    BINARY(MUL, PRODUCT)
    BINARY(DIV, QUOTIENT)
    BINARY(MAX, LARGER)
    BINARY(MIN, SMALLER)
    BINARY(LESS, IS_LESS)
    BINARY(AT_MOST, IS_AT_MOST)
    BINARY(EQUAL, IS_EQUAL)
    BINARY(AND, PRODUCT)
    TERNARY(WHERE, CHOSEN)
    TERNARY(MUL_ADD, PRODUCT_AND_SUM)
    UNARY(COPY, ITSELF)
    UNARY(SQRT, sqrt)
    UNARY(ABS, fabs)
    UNARY(NEG, NEGATED)
    UNARY(CEIL, ceil)
    FUNCTION(EXPM1, expm1)
    FUNCTION(LOG1P, log1p)
    CASE(8 * TAKE + 4, const double *table = r->operand[1], table[(int64_t)a[i]])
  }
}

static inline __attribute__((always_inline)) void execute_all(const Resolved *r, int64_t count, int64_t size) {
  int64_t first = 0;
  for (; first + BLOCK <= size; first += BLOCK)
    for (int64_t k = 0; k < count; k++) execute(&r[k], first, BLOCK);
  for (int64_t k = 0; k < count && first < size; k++) execute(&r[k], first, size - first);
}

/* The same for the widest vectors that the processor has. */
static void execute_plain(const Resolved *r, int64_t count, int64_t size) { execute_all(r, count, size); }
#if defined(__x86_64__)
__attribute__((target("avx2"))) static void execute_avx2(const Resolved *r, int64_t count, int64_t size) {
  execute_all(r, count, size);
}
#define WIDEST "avx512f,avx512dq,avx512vl"
__attribute__((target(WIDEST))) static void execute_avx512(const Resolved *r, int64_t count, int64_t size) {
  execute_all(r, count, size);
}
#endif

/* Executes operations, one after the other, for `size` configurations. `arrays` begin with the first of them; `scratch`
 * has room for `count` operations. */
void stowage_bulk(const Operation *operations, int64_t count, double *const *arrays, const double *constants,
                  double *registers, Resolved *scratch, int64_t size) {
  for (int64_t k = 0; k < count; k++) scratch[k] = resolved(&operations[k], arrays, constants, registers);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    execute_avx512(scratch, count, size);
    return;
  }
  if (__builtin_cpu_supports("avx2")) {
    execute_avx2(scratch, count, size);
    return;
  }
#endif
  execute_plain(scratch, count, size);
}

int64_t stowage_bulk_sizes(int which) { return which == 0 ? sizeof(Operation) : sizeof(Resolved); }
