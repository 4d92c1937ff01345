/* The innermost loops of the readers: frozen records, exact conversion of printed numbers, JSON objects.
 *
 * Python calls `readers_functions` once (`files/compiled.py`), which returns everything below as Python functions. Only
 * the stable ABI is used, so the library serves any Python from 3.11 on. A function that meets a form it does not
 * know returns None, and the caller falls back to Python: nothing here reports what is wrong with a file.
 */
#include "records.h"

#include <stdint.h>
#include <string.h>

#include "documents.h"
#include "shapes.h"
#include "tables.h"
#include "values.h"

#define MOST_DIGITS 18
#define LONGEST_TEXT 60
#define LONGEST_NAME 120
#define FACTORS 512
#define MOST_TRIED 16

typedef unsigned __int128 product_t;

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

/* Find where an instance has the value of a field: where a certain object is, once it is set; 0 if there is none. */
static size_t place_in(PyObject *instance, size_t size, PyObject *descriptor) {
  descrsetfunc set = (descrsetfunc)PyType_GetSlot(Py_TYPE(descriptor), Py_tp_descr_set);
  if (set == NULL || set(descriptor, instance, descriptor) < 0) return 0;
  size_t place = sizeof *instance;
  while (place < size && *(PyObject **)((char *)instance + place) != descriptor) place += sizeof instance;
  return place < size ? place : 0;
}

int learn(record_t *record, PyObject *type, PyObject *names) {
  Py_ssize_t count = PyTuple_Size(names);
  PyObject *basicsize = count < 0 ? NULL : PyObject_GetAttrString(type, "__basicsize__");
  size_t size = basicsize == NULL ? 0 : PyLong_AsSize_t(basicsize);
  Py_XDECREF(basicsize);
  if (PyErr_Occurred()) return -1;
  /* Every slot is a field: `build` sets them all. */
  int usable =
      PyType_Check(type) && count <= MOST_FIELDS && size == sizeof(PyObject) + (size_t)count * sizeof(PyObject *);
  PyObject *instance = usable ? PyType_GenericAlloc((PyTypeObject *)type, 0) : NULL;
  usable = instance != NULL;
  for (Py_ssize_t at = 0; usable && at < count; at++) {
    PyObject *descriptor = PyObject_GetAttr(type, PyTuple_GetItem(names, at));
    record->places[at] = descriptor == NULL ? 0 : place_in(instance, size, descriptor);
    usable = record->places[at] != 0;
    Py_XDECREF(descriptor);
  }
  Py_XDECREF(instance);
  record->type = Py_NewRef(type);
  record->count = count;
  if (!usable && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a class of at most 24 slots was expected");
  return usable ? 0 : -1;
}

PyObject *build(const record_t *record, PyObject *const *values) {
  PyObject *made = PyObject_GC_New(PyObject, (PyTypeObject *)record->type);
  for (Py_ssize_t at = 0; made != NULL && at < record->count; at++) {
    *(PyObject **)((char *)made + record->places[at]) = Py_NewRef(values[at]);
  }
  return made;
}

PyObject *field_of(const record_t *record, PyObject *instance, Py_ssize_t at) {
  return *(PyObject **)((char *)instance + record->places[at]);
}

static PyObject *make_record(PyObject *self, PyObject *const *values, Py_ssize_t count) {
  const record_t *record = PyCapsule_GetPointer(self, NULL);
  if (record == NULL) return NULL;
  if (count == record->count) return build(record, values);
  return PyErr_Format(PyExc_TypeError, "%zd values were given to a record of %zd fields", count, record->count);
}

/* Parse digits with at most one point, and nothing else; return the number of decimal places, or -1. */
static int digits_in_text(const char *at, Py_ssize_t size, uint64_t *mantissa) {
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

static int digits_of(PyObject *text, uint64_t *mantissa) {
  Py_ssize_t size;
  if (!PyUnicode_CheckExact(text)) return -1;
  const char *at = PyUnicode_AsUTF8AndSize(text, &size);
  if (at != NULL) return digits_in_text(at, size, mantissa);
  PyErr_Clear();
  return -1;
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

/* Return a factor, which stands at the place of its address or soon behind it: two may have one place by chance. */
static const factor_t *factor_of(metrics_t *state, PyObject *key) {
  uintptr_t first = (uintptr_t)key >> 4;
  factor_t *found = &state->factors[first % FACTORS];
  for (uintptr_t each = 1; each < MOST_TRIED && found->key != NULL && found->key != key; each++) {
    found = &state->factors[(first + each) % FACTORS];
  }
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

/* Return the product of digits and a factor: exact and rounded once by a Decimal, of two floats by a float; NULL
 * without an error if it is too long. */
static PyObject *value_by(metrics_t *state, uint64_t mantissa, int places, PyObject *factor) {
  if (PyFloat_CheckExact(factor)) return PyFloat_FromDouble(quotient(mantissa, places) * PyFloat_AsDouble(factor));
  const factor_t *by = factor_of(state, factor);
  if (by == NULL || by->numerator == 0) return NULL;
  product_t product = (product_t)mantissa * by->numerator;
  /* Decimal rounds longer products to 28 digits. */
  if (product >= (product_t)10000000000000000ULL * 1000000000000ULL) return NULL;
  return PyFloat_FromDouble(quotient(product, places + by->places));
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
  PyObject *value = value_by(state, mantissa, places, factor);
  if (value == NULL) return NULL;
  PyObject *told = build(&state->told, (PyObject *[]){shown, unit, tool_name});
  PyObject *made = told == NULL ? NULL : build(&state->metric, (PyObject *[]){name, value, told});
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

/* product(digits, factor): the value of a metric with these digits; None if they are not in the usual form. */
static PyObject *product(PyObject *self, PyObject *const *given, Py_ssize_t count) {
  metrics_t *state = PyCapsule_GetPointer(self, NULL);
  if (state == NULL) return NULL;
  if (count != 2) return PyErr_Format(PyExc_TypeError, "digits and a factor were expected");
  uint64_t mantissa;
  int places = digits_of(given[0], &mantissa);
  PyObject *value = places < 0 ? NULL : value_by(state, mantissa, places, given[1]);
  return value != NULL || PyErr_Occurred() ? value : Py_NewRef(Py_None);
}

int unpacked(PyObject *tuple, PyObject **items) {
  for (Py_ssize_t at = 0; at < 5; at++) {
    if ((items[at] = PyTuple_GetItem(tuple, at)) == NULL) return 0;
  }
  return 1;
}

PyObject *item_of(PyObject *container, PyObject *key) {
  if (PyLong_CheckExact(key)) {
    Py_ssize_t at = PyLong_AsSsize_t(key);
    if (at >= 0 && PyTuple_CheckExact(container)) return Py_XNewRef(PyTuple_GetItem(container, at));
    if (at >= 0 && PyList_CheckExact(container)) return Py_XNewRef(PyList_GetItem(container, at));
    PyErr_Clear();
  }
  return PyObject_GetItem(container, key);
}

/* Return the text of a member: of a dict, the digits of its number; NULL without an error if there is none. */
static PyObject *text_of(PyObject *members, PyObject *key) {
  if (PyDict_CheckExact(members)) return digits_in(PyDict_GetItemWithError(members, key));
  PyObject *text = item_of(members, key);
  if (text == NULL || PyUnicode_CheckExact(text)) return text;
  Py_DECREF(text);
  return NULL;
}

/* add_metrics(into, plan, members, first): add a metric for each item of the plan from `first` on, until the text of
 * one is not usual. */
static PyObject *add_metrics(PyObject *self, PyObject *const *given, Py_ssize_t count) {
  metrics_t *state = PyCapsule_GetPointer(self, NULL);
  if (state == NULL) return NULL;
  if (count != 4 || !PyDict_Check(given[0]) || !PyTuple_Check(given[1])) {
    return PyErr_Format(PyExc_TypeError, "a dict, a tuple, members and an index were expected");
  }
  Py_ssize_t at = PyLong_AsSsize_t(given[3]), last = PyTuple_Size(given[1]);
  if (at < 0 && PyErr_Occurred()) return NULL;
  for (; at >= 0 && at < last; at++) {
    PyObject *of[5];
    if (!unpacked(PyTuple_GetItem(given[1], at), of)) return NULL;
    PyObject *text = text_of(given[2], of[0]), *name = of[1];
    if (text == NULL && PyErr_Occurred()) return NULL;
    if (text == NULL) continue;
    PyObject *made = metric_of(state, name, text, text, of[2], of[3], of[4]);
    Py_DECREF(text);
    if (made == NULL && PyErr_Occurred()) return NULL;
    if (made == NULL) break;
    int failed = PyDict_SetItem(given[0], name, made);
    Py_DECREF(made);
    if (failed) return NULL;
  }
  return PyLong_FromSsize_t(at);
}

int is_plain(PyObject *text, double *value) {
  uint64_t mantissa;
  int places = digits_of(text, &mantissa);
  if (places >= 0) *value = quotient(mantissa, places);
  return places >= 0;
}

int is_plain_text(const char *text, Py_ssize_t size, double *value) {
  uint64_t mantissa;
  int places = digits_in_text(text, size, &mantissa);
  if (places >= 0) *value = quotient(mantissa, places);
  return places >= 0;
}

/* number(text): the value of digits with at most one point; None for every other form. */
static PyObject *number(PyObject *Py_UNUSED(self), PyObject *text) {
  double value;
  return is_plain(text, &value) ? PyFloat_FromDouble(value) : Py_NewRef(Py_None);
}

static PyMethodDef MAKE_RECORD = {"make_record", (PyCFunction)(void (*)(void))make_record, METH_FASTCALL, NULL};
static PyMethodDef MAKE_METRIC = {"make_metric", (PyCFunction)(void (*)(void))make_metric, METH_FASTCALL, NULL};
static PyMethodDef ADD_METRICS = {"add_metrics", (PyCFunction)(void (*)(void))add_metrics, METH_FASTCALL, NULL};
static PyMethodDef PRODUCT = {"product", (PyCFunction)(void (*)(void))product, METH_FASTCALL, NULL};
static PyMethodDef NUMBER = {"number", number, METH_O, NULL};
static PyMethodDef SHAPE_FUNCTIONS = {"shape_functions", shape_functions, METH_VARARGS, NULL};

PyObject *bound(PyMethodDef *method, void *state) {
  PyObject *capsule = PyCapsule_New(state, NULL, NULL);
  PyObject *made = capsule == NULL ? NULL : PyCFunction_NewEx(method, capsule, NULL);
  Py_XDECREF(capsule);
  return made;
}

PyObject *functions(PyMethodDef *methods, size_t count) {
  PyObject *made = PyTuple_New((Py_ssize_t)count);
  for (size_t at = 0; made != NULL && at < count; at++) {
    PyObject *function = PyCFunction_NewEx(&methods[at], NULL, NULL);
    if (function == NULL || PyTuple_SetItem(made, (Py_ssize_t)at, function) < 0) Py_CLEAR(made);
  }
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

/* metric_functions(metric, its names, told, its names, fraction): `make_metric`, `add_metrics` and `product`. */
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
  return Py_BuildValue("NNN", bound(&MAKE_METRIC, state), bound(&ADD_METRICS, state), bound(&PRODUCT, state));
}

static PyMethodDef DOCUMENT_FUNCTIONS = {"document_functions", document_functions, METH_VARARGS, NULL};
static PyMethodDef VALUE_FUNCTIONS = {"value_functions", value_functions, METH_VARARGS, NULL};
static PyMethodDef TABLE_FUNCTIONS = {"table_functions", table_functions, METH_VARARGS, NULL};
static PyMethodDef MAKER = {"maker", maker, METH_VARARGS, NULL};
static PyMethodDef METRIC_FUNCTIONS = {"metric_functions", metric_functions, METH_VARARGS, NULL};

PyObject *readers_functions(void) {
  return Py_BuildValue(
      "NNNNNNN", PyCFunction_NewEx(&MAKER, NULL, NULL), PyCFunction_NewEx(&METRIC_FUNCTIONS, NULL, NULL),
      PyCFunction_NewEx(&NUMBER, NULL, NULL), PyCFunction_NewEx(&VALUE_FUNCTIONS, NULL, NULL),
      PyCFunction_NewEx(&DOCUMENT_FUNCTIONS, NULL, NULL), PyCFunction_NewEx(&TABLE_FUNCTIONS, NULL, NULL),
      PyCFunction_NewEx(&SHAPE_FUNCTIONS, NULL, NULL));
}
