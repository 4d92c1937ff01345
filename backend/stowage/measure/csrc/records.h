/* Frozen records, built without their `__init__`, and functions that have a state.
 *
 * Only the stable ABI is used, so the library serves any Python from 3.11 on.
 */
#ifndef STOWAGE_RECORDS_H
#define STOWAGE_RECORDS_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define MOST_FIELDS 24
#define WITHIN __attribute__((visibility("hidden")))

/* A frozen dataclass with slots: its type, and the place of each field in an instance. */
typedef struct {
  PyObject *type;
  Py_ssize_t count;
  size_t places[MOST_FIELDS];
} record_t;

/* Fill a record from a class and the names of its fields; return -1 at an error. */
WITHIN int learn(record_t *record, PyObject *type, PyObject *names);

/* Return an instance with the values of all fields; NULL at an error. The garbage collector never visits it: its values
 * were there before it, so that none of them leads back to it. */
WITHIN PyObject *build(const record_t *record, PyObject *const *values);

/* Return the value of a field of an instance, not a new reference. */
WITHIN PyObject *field_of(const record_t *record, PyObject *instance, Py_ssize_t at);

/* Return a function with a state, which lives as long as the process: capsules have no destructor. */
WITHIN PyObject *bound(PyMethodDef *method, void *state);

/* Return a tuple of functions without a state; NULL at an error. */
WITHIN PyObject *functions(PyMethodDef *methods, size_t count);

/* Find the value of digits with at most one point; return 0, without an error, for every other text. */
WITHIN int is_plain(PyObject *text, double *value);
WITHIN int is_plain_text(const char *text, Py_ssize_t size, double *value);

/* Store the five items of a tuple, which keeps them; return whether there are so many, with an error if not. */
WITHIN int unpacked(PyObject *tuple, PyObject **items);

/* Return the item of a container; NULL at an error. */
WITHIN PyObject *item_of(PyObject *container, PyObject *key);

#endif
