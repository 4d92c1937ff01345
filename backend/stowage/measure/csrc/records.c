/* The innermost loops of the readers: frozen records, exact conversion of printed numbers, JSON objects.
 *
 * Python calls `readers_functions` once (`files/compiled.py`), which returns everything below as Python functions. Only
 * the stable ABI is used, so the library serves any Python from 3.11 on. A function that meets a form it does not
 * know returns None, and the caller falls back to Python: nothing here reports what is wrong with a file.
 */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define MOST_FIELDS 24
#define MOST_DIGITS 18
#define LONGEST_TEXT 60
#define LONGEST_NAME 120
#define FACTORS 64

typedef unsigned __int128 product_t;

/* A frozen dataclass with slots: its type, and how to set each field without its `__init__`. */
typedef struct {
  PyObject *type;
  allocfunc alloc;
  Py_ssize_t count;
  PyObject *descriptors[MOST_FIELDS];
  descrsetfunc set[MOST_FIELDS];
} record_t;

/* A factor as numerator / 10^places; `key` is the Decimal that it was computed from. */
typedef struct {
  PyObject *key;
  uint64_t numerator;
  int places;
} factor_t;

typedef struct {
  record_t metric, told;
  PyObject *fraction;
  factor_t factors[FACTORS];
} metrics_t;

static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static int learn(record_t *record, PyObject *type, PyObject *names) {
  Py_ssize_t count = PyTuple_Size(names);
  if (count < 0) return -1;
  if (count > MOST_FIELDS || !PyType_Check(type)) {
    PyErr_SetString(PyExc_TypeError, "a class of at most 24 fields was expected");
    return -1;
  }
  record->type = Py_NewRef(type);
  record->alloc = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
  record->count = count;
  for (Py_ssize_t at = 0; at < count; at++) {
    PyObject *descriptor = PyObject_GetAttr(type, PyTuple_GetItem(names, at));
    if (descriptor == NULL) return -1;
    record->descriptors[at] = descriptor;
    record->set[at] = (descrsetfunc)PyType_GetSlot(Py_TYPE(descriptor), Py_tp_descr_set);
    if (record->set[at] == NULL) {
      PyErr_SetString(PyExc_TypeError, "a class with slots was expected");
      return -1;
    }
  }
  return 0;
}

static PyObject *build(const record_t *record, PyObject *const *values) {
  PyObject *made = record->alloc((PyTypeObject *)record->type, 0);
  if (made == NULL) return NULL;
  for (Py_ssize_t at = 0; at < record->count; at++) {
    if (record->set[at](record->descriptors[at], made, values[at]) < 0) {
      Py_DECREF(made);
      return NULL;
    }
  }
  return made;
}

static int is_atomic(PyObject *value) {
  return value == Py_None || PyUnicode_CheckExact(value) || PyFloat_CheckExact(value) || PyLong_CheckExact(value);
}

static PyObject *make_record(PyObject *self, PyObject *const *values, Py_ssize_t count) {
  const record_t *record = PyCapsule_GetPointer(self, NULL);
  if (record == NULL) return NULL;
  if (count != record->count) {
    return PyErr_Format(PyExc_TypeError, "%zd values were given to a record of %zd fields", count, record->count);
  }
  PyObject *made = build(record, values);
  if (made == NULL) return NULL;
  for (Py_ssize_t at = 0; at < count; at++) {
    if (!is_atomic(values[at])) return made;
  }
  /* It cannot be part of a cycle: the garbage collector need not visit it. */
  PyObject_GC_UnTrack(made);
  return made;
}

/* Parse digits with at most one point, and nothing else; return the number of decimal places, or -1. */
static int digits_of(PyObject *text, uint64_t *mantissa) {
  Py_ssize_t size;
  if (!PyUnicode_CheckExact(text)) return -1;
  const char *at = PyUnicode_AsUTF8AndSize(text, &size);
  if (at == NULL) {
    PyErr_Clear();
    return -1;
  }
  if (size == 0 || size > MOST_DIGITS + 1) return -1;
  uint64_t value = 0;
  int digits = 0, point = -1;
  for (const char *end = at + size; at < end; at++) {
    if (*at >= '0' && *at <= '9') {
      value = value * 10 + (uint64_t)(*at - '0');
      digits++;
    } else if (*at == '.' && point < 0 && digits > 0) {
      point = digits;
    } else {
      return -1;
    }
  }
  if (digits > MOST_DIGITS || point == digits) return -1;
  *mantissa = value;
  return point < 0 ? 0 : digits - point;
}

/* Return value / 10^places, rounded once. */
static double quotient(product_t value, int places) {
  if (value < ((product_t)1 << 53) && places <= 22) return (double)(uint64_t)value / POWERS[places];
  char text[64], *start = text + 40;
  int length = PyOS_snprintf(start, 24, "e-%d", places);
  if (length < 0) return -1.0;
  do {
    *--start = (char)('0' + (int)(value % 10));
    value /= 10;
  } while (value);
  return PyOS_string_to_double(start, NULL, NULL);
}

static const factor_t *factor_of(metrics_t *state, PyObject *key) {
  factor_t *found = &state->factors[((uintptr_t)key >> 4) % FACTORS];
  if (found->key == key) return found;
  PyObject *pair = PyObject_CallFunctionObjArgs(state->fraction, key, NULL);
  if (pair == NULL) return NULL;
  unsigned long long numerator;
  int places;
  int parsed = PyArg_ParseTuple(pair, "Ki", &numerator, &places);
  Py_DECREF(pair);
  if (!parsed) return NULL;
  Py_XDECREF(found->key);
  found->key = Py_NewRef(key);
  found->numerator = numerator;
  found->places = places;
  return found;
}

/* Return a metric; NULL without an error if the text or a name is not in the usual form. */
static PyObject *metric_of(metrics_t *state, PyObject *name, PyObject *digits, PyObject *shown, PyObject *unit,
                           PyObject *tool_name, PyObject *factor) {
  uint64_t mantissa;
  int places = digits_of(digits, &mantissa);
  if (places < 0 || !PyUnicode_CheckExact(name) || !PyUnicode_CheckExact(shown) || !PyUnicode_CheckExact(unit) ||
      !PyUnicode_CheckExact(tool_name) || PyUnicode_GetLength(shown) > LONGEST_TEXT ||
      PyUnicode_GetLength(unit) > LONGEST_TEXT || PyUnicode_GetLength(tool_name) > LONGEST_NAME)
    return NULL;
  const factor_t *by = factor_of(state, factor);
  if (by == NULL || by->numerator == 0) return NULL;
  product_t product = (product_t)mantissa * by->numerator;
  /* Decimal rounds longer products to 28 digits. */
  if (product / 10000000000000000ULL >= 1000000000000ULL) return NULL;
  PyObject *value = PyFloat_FromDouble(quotient(product, places + by->places));
  if (value == NULL) return NULL;
  PyObject *made = NULL, *told = build(&state->told, (PyObject *[]){shown, unit, tool_name});
  if (told != NULL) made = build(&state->metric, (PyObject *[]){name, value, told});
  if (made != NULL) {
    PyObject_GC_UnTrack(told);
    PyObject_GC_UnTrack(made);
  }
  Py_XDECREF(told);
  Py_DECREF(value);
  return made;
}

static PyObject *make_metric(PyObject *self, PyObject *const *given, Py_ssize_t count) {
  metrics_t *state = PyCapsule_GetPointer(self, NULL);
  if (state == NULL) return NULL;
  if (count != 6) return PyErr_Format(PyExc_TypeError, "six values were expected, %zd given", count);
  PyObject *made = metric_of(state, given[0], given[1], given[2], given[3], given[4], given[5]);
  return made != NULL || PyErr_Occurred() ? made : Py_NewRef(Py_None);
}

/* add_metrics(into, plan, texts, first): add a metric for each text from `first` on, until one is not usual. */
static PyObject *add_metrics(PyObject *self, PyObject *const *given, Py_ssize_t count) {
  metrics_t *state = PyCapsule_GetPointer(self, NULL);
  if (state == NULL) return NULL;
  if (count != 4 || !PyDict_Check(given[0]) || !PyTuple_Check(given[1]) || !PyList_Check(given[2])) {
    return PyErr_Format(PyExc_TypeError, "a dict, a tuple, a list and an index were expected");
  }
  Py_ssize_t at = PyLong_AsSsize_t(given[3]), last = PyTuple_Size(given[1]);
  if (at < 0 && PyErr_Occurred()) return NULL;
  if (PyList_Size(given[2]) < last) last = PyList_Size(given[2]);
  for (; at >= 0 && at < last; at++) {
    PyObject *name, *unit, *tool_name, *factor, *text = PyList_GetItem(given[2], at);
    if (!PyArg_UnpackTuple(PyTuple_GetItem(given[1], at), "plan", 4, 4, &name, &unit, &tool_name, &factor)) {
      return NULL;
    }
    PyObject *made = metric_of(state, name, text, text, unit, tool_name, factor);
    if (made == NULL && PyErr_Occurred()) return NULL;
    if (made == NULL) break;
    int failed = PyDict_SetItem(given[0], name, made);
    Py_DECREF(made);
    if (failed) return NULL;
  }
  return PyLong_FromSsize_t(at);
}

/* number(text): the value of digits with at most one point; None for every other form. */
static PyObject *number(PyObject *Py_UNUSED(self), PyObject *text) {
  uint64_t mantissa;
  int places = digits_of(text, &mantissa);
  if (places < 0) return Py_NewRef(Py_None);
  return PyFloat_FromDouble(quotient(mantissa, places));
}

/* object_of(pairs): a dict of the members of a JSON object; ValueError if a key stands twice. */
static PyObject *object_of(PyObject *Py_UNUSED(self), PyObject *pairs) {
  Py_ssize_t count = PyList_Size(pairs);
  if (count < 0) return NULL;
  PyObject *made = PyDict_New();
  for (Py_ssize_t at = 0; made != NULL && at < count; at++) {
    PyObject *key, *value;
    if (!PyArg_UnpackTuple(PyList_GetItem(pairs, at), "pair", 2, 2, &key, &value) ||
        PyDict_SetItem(made, key, value) < 0) {
      Py_DECREF(made);
      return NULL;
    }
  }
  if (made != NULL && PyDict_Size(made) != count) {
    Py_DECREF(made);
    PyErr_SetString(PyExc_ValueError, "a key stands twice");
    return NULL;
  }
  return made;
}

/* Where the scan of a JSON text is: line from 0, and the depth. */
typedef struct {
  const char *at, *end;
  long line;
  Py_ssize_t depth, deepest;
} scan_t;

static const unsigned char OF_STRUCTURE[256] = {['"'] = 1, ['{'] = 1, ['}'] = 1, ['['] = 1, [']'] = 1, ['\n'] = 1};

/* Move from an opening quote to the closing one; return 1 if the string has a `\u` escape. */
static int pass_string(scan_t *scan) {
  const char *at = scan->at + 1;
  int found = 0;
  for (; at < scan->end && *at != '"'; at++) {
    if (*at == '\\') found |= *++at == 'u';
  }
  scan->at = at;
  return found;
}

/* Pass blanks and commas, or the colon behind a key. */
static void pass_blanks(scan_t *scan) {
  for (; scan->at < scan->end; scan->at++) {
    char read = *scan->at;
    if (read == '\n') scan->line++;
    if (read != '\n' && read != ' ' && read != '\t' && read != ',' && read != ':') return;
  }
}

/* Pass what does not open a container; return 1 if a string in it has a `\u` escape. */
static int pass_inner(scan_t *scan, Py_ssize_t depth) {
  int found = 0;
  for (; scan->at < scan->end && scan->depth > depth; scan->at++) {
    const unsigned char *at = (const unsigned char *)scan->at, *end = (const unsigned char *)scan->end;
    while (at < end && !OF_STRUCTURE[*at]) at++;
    scan->at = (const char *)at;
    if (at == end) break;
    if (*at == '"') found |= pass_string(scan);
    if (*at == '\n') scan->line++;
    if (*at == '{' || *at == '[') scan->depth++;
    if (*at == '}' || *at == ']') scan->depth--;
    if (scan->depth > scan->deepest) scan->deepest = scan->depth;
  }
  return found;
}

static int add_line(PyObject *lines, long line) {
  PyObject *number = PyLong_FromLong(line);
  int failed = number == NULL || PyList_Append(lines, number) < 0;
  Py_XDECREF(number);
  return failed ? -1 : 0;
}

/* Add the lines of the members of outer levels; return 1 if a string has a `\u` escape, -1 at an error. */
static int add_members(scan_t *scan, Py_ssize_t levels, PyObject *lines) {
  long open_line = scan->line;
  int is_first = 1, found = 0, of_keys = *scan->at == '{';
  scan->at++;
  if (++scan->depth > scan->deepest) scan->deepest = scan->depth;
  if (scan->depth > levels) return pass_inner(scan, scan->depth - 1);
  for (;;) {
    pass_blanks(scan);
    if (scan->at >= scan->end) return found;
    if (*scan->at == '}' || *scan->at == ']') break;
    long line = is_first ? open_line : scan->line;
    is_first = 0;
    if (of_keys) {
      found |= pass_string(scan);
      scan->at++;
      pass_blanks(scan);
    }
    if (scan->at < scan->end && (*scan->at == '{' || *scan->at == '[')) {
      if (add_line(lines, scan->line) < 0) return -1;
      int inner = add_members(scan, levels, lines);
      if (inner < 0) return -1;
      found |= inner;
      continue;
    }
    if (add_line(lines, line) < 0) return -1;
    if (scan->at < scan->end && *scan->at == '"') found |= pass_string(scan);
    while (scan->at < scan->end && *scan->at != ',' && *scan->at != '\n' && *scan->at != '}' && *scan->at != ']') {
      scan->at++;
    }
  }
  scan->at++;
  scan->depth--;
  return found;
}

/* outline(text, levels): the depth of a valid JSON container, the line of each member of its outer levels, from 0, and
 * the number of newlines.
 *
 * The line of a container is that of its bracket; of another value that of its key, or of the outer bracket if it is
 * the first member. The result is None if a string has a `\u` escape.
 */
static PyObject *outline(PyObject *Py_UNUSED(self), PyObject *given) {
  PyObject *text;
  Py_ssize_t size, levels;
  if (!PyArg_ParseTuple(given, "Un", &text, &levels)) return NULL;
  const char *start = PyUnicode_AsUTF8AndSize(text, &size);
  PyObject *lines = start == NULL ? NULL : PyList_New(0);
  if (lines == NULL) return NULL;
  scan_t scan = {.at = start, .end = start + size};
  int found = size > 0 ? add_members(&scan, levels < 8 ? levels : 8, lines) : 0;
  if (found == 0) return Py_BuildValue("nNl", scan.deepest, lines, scan.line);
  Py_DECREF(lines);
  return found < 0 ? NULL : Py_NewRef(Py_None);
}

/* newlines(text): their number. */
static PyObject *newlines(PyObject *Py_UNUSED(self), PyObject *text) {
  Py_ssize_t size;
  const char *at = PyUnicode_AsUTF8AndSize(text, &size);
  if (at == NULL) return NULL;
  long count = 0;
  for (const char *end = at + size; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) count++;
  return PyLong_FromLong(count);
}

static PyMethodDef MAKE_RECORD = {"make_record", (PyCFunction)(void (*)(void))make_record, METH_FASTCALL, NULL};
static PyMethodDef MAKE_METRIC = {"make_metric", (PyCFunction)(void (*)(void))make_metric, METH_FASTCALL, NULL};
static PyMethodDef ADD_METRICS = {"add_metrics", (PyCFunction)(void (*)(void))add_metrics, METH_FASTCALL, NULL};
static PyMethodDef NUMBER = {"number", number, METH_O, NULL};
static PyMethodDef OUTLINE = {"outline", outline, METH_VARARGS, NULL};
static PyMethodDef NEWLINES = {"newlines", newlines, METH_O, NULL};
static PyMethodDef OBJECT_OF = {"object_of", object_of, METH_O, NULL};

/* The state of a function lives as long as the process: capsules have no destructor. */
static PyObject *bound(PyMethodDef *method, void *state) {
  PyObject *capsule = PyCapsule_New(state, NULL, NULL);
  PyObject *made = capsule == NULL ? NULL : PyCFunction_NewEx(method, capsule, NULL);
  Py_XDECREF(capsule);
  return made;
}

/* maker(type, names): a function that makes records of a type from the values of all fields. */
static PyObject *maker(PyObject *Py_UNUSED(self), PyObject *given) {
  PyObject *type, *names;
  if (!PyArg_ParseTuple(given, "OO!", &type, &PyTuple_Type, &names)) return NULL;
  record_t *record = PyMem_Calloc(1, sizeof *record);
  if (record == NULL) return PyErr_NoMemory();
  return learn(record, type, names) < 0 ? NULL : bound(&MAKE_RECORD, record);
}

/* metric_functions(metric, its names, told, its names, fraction): `make_metric` and `add_metrics` of these classes. */
static PyObject *metric_functions(PyObject *Py_UNUSED(self), PyObject *given) {
  PyObject *metric, *names, *told, *told_names, *fraction;
  if (!PyArg_ParseTuple(given, "OO!OO!O", &metric, &PyTuple_Type, &names, &told, &PyTuple_Type, &told_names,
                        &fraction)) {
    return NULL;
  }
  if (PyTuple_Size(names) != 3 || PyTuple_Size(told_names) != 3) {
    return PyErr_Format(PyExc_TypeError, "records of three fields were expected");
  }
  metrics_t *state = PyMem_Calloc(1, sizeof *state);
  if (state == NULL) return PyErr_NoMemory();
  if (learn(&state->metric, metric, names) < 0 || learn(&state->told, told, told_names) < 0) return NULL;
  state->fraction = Py_NewRef(fraction);
  return Py_BuildValue("NN", bound(&MAKE_METRIC, state), bound(&ADD_METRICS, state));
}

static PyMethodDef MAKER = {"maker", maker, METH_VARARGS, NULL};
static PyMethodDef METRIC_FUNCTIONS = {"metric_functions", metric_functions, METH_VARARGS, NULL};

PyObject *readers_functions(void) {
  return Py_BuildValue("NNNNNN", PyCFunction_NewEx(&MAKER, NULL, NULL),
                       PyCFunction_NewEx(&METRIC_FUNCTIONS, NULL, NULL), PyCFunction_NewEx(&NUMBER, NULL, NULL),
                       PyCFunction_NewEx(&OBJECT_OF, NULL, NULL), PyCFunction_NewEx(&OUTLINE, NULL, NULL),
                       PyCFunction_NewEx(&NEWLINES, NULL, NULL));
}
