/* Values of JSON documents: numbers, which keep their digits, and access by paths of keys. */
#ifndef STOWAGE_VALUES_H
#define STOWAGE_VALUES_H

#include "records.h"

/* value_functions(number, its names): the functions of `files/values.py`; `number` is the class of all numbers. */
WITHIN PyObject *value_functions(PyObject *self, PyObject *given);

/* Return a number with the digits of a text; NULL at an error. */
WITHIN PyObject *made_number(const char *digits, Py_ssize_t size);

/* Return the digits of a number; NULL without an error for NULL and for every other value. */
WITHIN PyObject *digits_in(PyObject *value);

#endif
