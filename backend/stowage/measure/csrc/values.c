/* Values of JSON documents: numbers, which keep their digits, and access by paths of keys. */
#include "values.h"

/* The class of numbers, which has one field: the digits. */
static record_t numbers;

PyObject *made_number(const char *start, Py_ssize_t size) {
  PyObject *text = PyUnicode_FromStringAndSize(start, size);
  PyObject *made = text == NULL ? NULL : build(&numbers, &text);
  Py_XDECREF(text);
  return made;
}

static int is_number(PyObject *value) { return value != NULL && (PyObject *)Py_TYPE(value) == numbers.type; }

PyObject *digits_in(PyObject *value) { return is_number(value) ? Py_NewRef(field_of(&numbers, value, 0)) : NULL; }

/* Return the value at a path of keys, not a new reference; NULL without an error if there is none. */
static PyObject *at_path(PyObject *const *given, Py_ssize_t count) {
  PyObject *value = count > 0 ? given[0] : NULL;
  for (Py_ssize_t at = 1; value != NULL && at < count; at++) {
    value = PyDict_CheckExact(value) ? PyDict_GetItemWithError(value, given[at]) : NULL;
  }
  return value;
}

static PyObject *or_none(PyObject *value) { return value != NULL || PyErr_Occurred() ? value : Py_NewRef(Py_None); }

static PyObject *value_at(PyObject *Py_UNUSED(self), PyObject *const *given, Py_ssize_t count) {
  PyObject *value = at_path(given, count);
  return or_none(value == NULL ? NULL : Py_NewRef(value));
}

static PyObject *number_at(PyObject *Py_UNUSED(self), PyObject *const *given, Py_ssize_t count) {
  PyObject *value = at_path(given, count);
  return or_none(is_number(value) ? Py_NewRef(value) : NULL);
}

static PyObject *text_at(PyObject *Py_UNUSED(self), PyObject *const *given, Py_ssize_t count) {
  PyObject *value = at_path(given, count);
  return or_none(value != NULL && PyUnicode_Check(value) ? Py_NewRef(value) : NULL);
}

static PyObject *written(PyObject *Py_UNUSED(self), PyObject *const *given, Py_ssize_t count) {
  PyObject *value = at_path(given, count);
  return or_none(value != NULL && PyUnicode_Check(value) ? Py_NewRef(value) : digits_in(value));
}

static PyObject *float_at(PyObject *Py_UNUSED(self), PyObject *const *given, Py_ssize_t count) {
  PyObject *value = at_path(given, count), *text = digits_in(value);
  if (text == NULL) return or_none(NULL);
  double plain;
  int found = is_plain(text, &plain);
  Py_DECREF(text);
  return found ? PyFloat_FromDouble(plain) : PyObject_GetAttrString(value, "value");
}

#define FUNCTION(name) {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, NULL}
static PyMethodDef FUNCTIONS[] = {FUNCTION(value_at), FUNCTION(number_at), FUNCTION(float_at), FUNCTION(text_at),
                                  FUNCTION(written)};

PyObject *value_functions(PyObject *Py_UNUSED(self), PyObject *given) {
  PyObject *number, *names;
  if (!PyArg_ParseTuple(given, "OO!", &number, &PyTuple_Type, &names) || learn(&numbers, number, names) < 0) {
    return NULL;
  }
  if (numbers.count != 1) return PyErr_Format(PyExc_TypeError, "a record of one field was expected");
  return functions(FUNCTIONS, sizeof FUNCTIONS / sizeof *FUNCTIONS);
}
