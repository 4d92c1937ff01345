/* Shapes: lines in a usual form, matched without a step back.
 *
 * A shape is a program that `files/shapes.py` translates from a regular expression. It takes each repetition as often
 * as it can and each choice at its first fitting alternative, and never reconsiders: so its time is linear in the text,
 * and whenever it matches, the regular expression matches the same. Only ASCII matches.
 */
#include "shapes.h"

#include <stddef.h>
#include <string.h>

#define SHAPE "stowage.shape"
#define MOST_TAKEN 2000
#define BYTES 256
#define NO_FIELD (-1)

/* Operations, as in `files/shapes.py`. Behind each stand its arguments, and then the operations that it contains:
 * TEXT size byte...; SPAN set least most; GROUP field size ...; REPEAT least most size ...; CHOICE size (size ...)...
 */
enum { TEXT, SPAN, GROUP, REPEAT, CHOICE };

struct shape {
  int *program;
  unsigned char *sets;
  Py_ssize_t size, fields;
};

/* A group that matched: the field it belongs to, or NO_FIELD, and its text. */
typedef struct {
  int field;
  const char *start, *end;
} taken_t;

typedef struct {
  const unsigned char *sets;
  const char *end;
  int count;
  taken_t taken[MOST_TAKEN];
} match_t;

static record_t block;
static Py_ssize_t longest;

static const char *run(match_t *match, const int *op, const int *last, const char *at);

static const char *run_text(const match_t *match, const int *op, const char *at) {
  if (match->end - at < op[1]) return NULL;
  for (int each = 0; each < op[1]; each++) {
    if ((unsigned char)at[each] != op[2 + each]) return NULL;
  }
  return at + op[1];
}

static const char *run_span(const match_t *match, const int *op, const char *at) {
  const unsigned char *set = match->sets + (ptrdiff_t)op[1] * BYTES;
  const char *end = op[3] < match->end - at ? at + op[3] : match->end,
             *least = op[2] <= match->end - at ? at + op[2] : NULL;
  while (at < end && set[(unsigned char)*at]) at++;
  return least != NULL && at >= least ? at : NULL;
}

static const char *run_group(match_t *match, const int *op, const char *at) {
  if (match->count == MOST_TAKEN) return NULL;
  int place = match->count++;
  match->taken[place] = (taken_t){op[1], at, at};
  at = run(match, op + 3, op + 3 + op[2], at);
  match->taken[place].end = at;
  return at;
}

static const char *run_repeat(match_t *match, const int *op, const char *at) {
  int times = 0;
  while (times < op[2]) {
    int count = match->count;
    const char *behind = run(match, op + 4, op + 4 + op[3], at);
    if (behind == NULL) match->count = count;
    if (behind == NULL || behind == at) break;
    at = behind;
    times++;
  }
  return times >= op[1] ? at : NULL;
}

static const char *run_choice(match_t *match, const int *op, const char *at) {
  int count = match->count;
  for (const int *each = op + 2, *last = each + op[1]; each < last; each += 1 + each[0]) {
    const char *behind = run(match, each + 1, each + 1 + each[0], at);
    if (behind != NULL) return behind;
    match->count = count;
  }
  return NULL;
}

/* Return the end of what the operations match from a byte on; NULL if they do not match. */
static const char *run(match_t *match, const int *op, const int *last, const char *at) {
  while (op < last && at != NULL) {
    switch (*op) {
      case TEXT:
        at = run_text(match, op, at);
        op += 2 + op[1];
        break;
      case SPAN:
        at = run_span(match, op, at);
        op += 4;
        break;
      case GROUP:
        at = run_group(match, op, at);
        op += 3 + op[2];
        break;
      case REPEAT:
        at = run_repeat(match, op, at);
        op += 4 + op[3];
        break;
      default:
        at = run_choice(match, op, at);
        op += 2 + op[1];
    }
  }
  return at;
}

/* Store the text of each group: in its field, or behind those that repeat. */
static int store(const match_t *match, PyObject *fields, PyObject *rows) {
  Py_ssize_t row = 0;
  for (int each = 0; each < match->count; each++) {
    const taken_t *taken = &match->taken[each];
    PyObject *text = PyUnicode_DecodeUTF8(taken->start, taken->end - taken->start, NULL);
    if (text == NULL) return -1;
    if (taken->field == NO_FIELD ? PyTuple_SetItem(rows, row++, text) : PyTuple_SetItem(fields, taken->field, text)) {
      return -1;
    }
  }
  for (Py_ssize_t each = 0; each < PyTuple_Size(fields); each++) {
    if (PyTuple_GetItem(fields, each) == NULL) PyTuple_SetItem(fields, each, Py_NewRef(Py_None));
  }
  return 0;
}

static PyObject *made_block(const shape_t *shape, const match_t *match, const char *at, const char *behind, long line) {
  Py_ssize_t repeated = 0;
  for (int each = 0; each < match->count; each++) repeated += match->taken[each].field == NO_FIELD;
  PyObject *values[] = {PyLong_FromLong(line), PyTuple_New(shape->fields), PyTuple_New(repeated),
                        PyUnicode_DecodeUTF8(at, behind - at, NULL)};
  PyObject *made = NULL;
  int usable = values[0] != NULL && values[1] != NULL && values[2] != NULL && values[3] != NULL;
  if (usable && store(match, values[1], values[2]) == 0) made = build(&block, values);
  for (int each = 0; each < 4; each++) Py_XDECREF(values[each]);
  return made;
}

shape_t *shape_in(PyObject *capsule) { return PyCapsule_GetPointer(capsule, SHAPE); }

PyObject *block_at(const shape_t *shape, const char *at, const char *end, long line, const char **behind, long *lines) {
  match_t match;
  match.sets = shape->sets;
  match.end = end - at > longest ? at + longest : end;
  match.count = 0;
  *behind = run(&match, shape->program, shape->program + shape->size, at);
  if (*behind == NULL || *behind == at) return NULL;
  *lines = 0;
  for (const char *byte = at; (byte = memchr(byte, '\n', (size_t)(*behind - byte))) != NULL; byte++) ++*lines;
  return made_block(shape, &match, at, *behind, line);
}

static void free_shape(PyObject *capsule) {
  shape_t *shape = shape_in(capsule);
  if (shape == NULL) return;
  PyMem_Free(shape->program);
  PyMem_Free(shape->sets);
  PyMem_Free(shape);
}

static void *copied(const char *bytes, Py_ssize_t size) {
  void *made = PyMem_Malloc(size > 0 ? (size_t)size : 1);
  return made == NULL ? PyErr_NoMemory() : memcpy(made, bytes, (size_t)size);
}

/* shape(program, sets, fields): a shape, of a program of native integers, and of sets of one byte for each byte. */
static PyObject *make_shape(PyObject *Py_UNUSED(self), PyObject *given) {
  const char *program, *sets;
  Py_ssize_t size, sets_size, fields;
  if (!PyArg_ParseTuple(given, "y#y#n", &program, &size, &sets, &sets_size, &fields)) return NULL;
  shape_t *shape = PyMem_Calloc(1, sizeof *shape);
  if (shape == NULL) return PyErr_NoMemory();
  shape->program = copied(program, size);
  shape->sets = copied(sets, sets_size);
  shape->size = size / (Py_ssize_t)sizeof(int);
  shape->fields = fields;
  PyObject *made = shape->program == NULL || shape->sets == NULL ? NULL : PyCapsule_New(shape, SHAPE, free_shape);
  if (made != NULL) return made;
  PyMem_Free(shape->program);
  PyMem_Free(shape->sets);
  PyMem_Free(shape);
  return NULL;
}

/* match(shape, text, position, line): the block at a position, and the number of its lines; None if the text has
 * another form, or is not ASCII. */
static PyObject *match_lines(PyObject *Py_UNUSED(self), PyObject *given) {
  PyObject *capsule, *text;
  Py_ssize_t position, size;
  long line, lines;
  if (!PyArg_ParseTuple(given, "OUnl", &capsule, &text, &position, &line)) return NULL;
  const shape_t *shape = shape_in(capsule);
  const char *start = shape == NULL ? NULL : PyUnicode_AsUTF8AndSize(text, &size), *behind;
  if (start == NULL) return NULL;
  if (size != PyUnicode_GetLength(text) || position < 0 || position > size) return Py_NewRef(Py_None);
  PyObject *made = block_at(shape, start + position, start + size, line, &behind, &lines);
  if (made == NULL) return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
  return Py_BuildValue("Nl", made, lines);
}

static PyMethodDef FUNCTIONS[] = {
    {"shape", make_shape, METH_VARARGS, NULL},
    {"match", match_lines, METH_VARARGS, NULL},
};

PyObject *shape_functions(PyObject *Py_UNUSED(self), PyObject *given) {
  PyObject *type, *names;
  if (!PyArg_ParseTuple(given, "OO!n", &type, &PyTuple_Type, &names, &longest) || learn(&block, type, names) < 0)
    return NULL;
  if (block.count != 4) return PyErr_Format(PyExc_TypeError, "a record of four fields was expected");
  return functions(FUNCTIONS, sizeof FUNCTIONS / sizeof *FUNCTIONS);
}
