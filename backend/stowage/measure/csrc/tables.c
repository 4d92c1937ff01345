/* Tables of text, and the time series that are made of their figures.
 *
 * A series is a capsule: its intervals, of which neighbors are merged in pairs when there are too many. Cells and
 * figures that are not in the usual form are left to Python.
 */
#include "tables.h"

#include <stddef.h>
#include <string.h>

#include "values.h"

#define LANE "stowage.lane"
#define LONGEST_CELLS 100000
#define MOST_WORDS 64

/* An interval: its start and end, and the mean and the maximum of its figures. */
typedef struct {
  double start, end, mean, peak;
} interval_t;

typedef struct {
  interval_t *intervals;
  Py_ssize_t count, room;
} lane_t;

typedef struct {
  const char *start;
  Py_ssize_t size;
} word_t;

/* Where and for which time figures are recorded; `lanes` is None if only extremes are updated. */
typedef struct {
  PyObject *lanes, *metrics;
  double start, end;
} put_t;

static record_t metric, told, series;
static Py_ssize_t most_lanes, most_intervals;

static int is_blank(char byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r') || (byte >= '\x1c' && byte <= '\x1f');
}

/* Return the text between two bytes without the blanks around it; NULL without an error if others may be blank. */
static PyObject *stripped(const char *start, const char *end) {
  while (start < end && is_blank(*start)) start++;
  while (start < end && is_blank(end[-1])) end--;
  if (start < end && ((unsigned char)*start >= 0x80 || (unsigned char)end[-1] >= 0x80)) return NULL;
  return PyUnicode_DecodeUTF8(start, end - start, NULL);
}

/* Return the cell at a byte, and move there behind it; NULL without an error if it is not in the usual form: without
 * quotes, or between two of them. */
static PyObject *cell_at(const char **place, const char *end, char delimiter) {
  const char *at = *place, *last = memchr(at, delimiter, (size_t)(end - at));
  if (last == NULL) last = end;
  while (at < last && *at == ' ') at++;
  if (at < end && *at == '"') {
    const char *start = at + 1;
    at = memchr(start, '"', (size_t)(end - start));
    *place = at == NULL ? end : at + 1;
    return at == NULL || (at + 1 < end && at[1] != delimiter) ? NULL : stripped(start, at);
  }
  *place = last;
  return memchr(at, '"', (size_t)(last - at)) == NULL ? stripped(at, last) : NULL;
}

/* cells(text, delimiter): the stripped cells of a line; None if one is not in the usual form. */
static PyObject *cells(PyObject *Py_UNUSED(self), PyObject *given) {
  const char *at, *delimiter;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(given, "s#s", &at, &size, &delimiter)) return NULL;
  if (size == 0 || size > LONGEST_CELLS || memchr(at, '\r', (size_t)size) || memchr(at, '\n', (size_t)size)) {
    return Py_NewRef(Py_None);
  }
  PyObject *made = PyList_New(0);
  const char *end = at + size;
  for (int more = made != NULL; more; at++) {
    PyObject *cell = cell_at(&at, end, *delimiter);
    int failed = cell == NULL || PyList_Append(made, cell) < 0;
    Py_XDECREF(cell);
    if (failed) {
      Py_DECREF(made);
      return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    }
    more = at < end;
  }
  return made;
}

/* figures(stored, row): the figure of each stored column, and its text; None if one is not in the usual form. */
static PyObject *figures(PyObject *Py_UNUSED(self), PyObject *const *given, Py_ssize_t count) {
  if (count != 2 || !PyTuple_Check(given[0])) return PyErr_Format(PyExc_TypeError, "columns and a row were expected");
  Py_ssize_t size = PyTuple_Size(given[0]);
  PyObject *values = PyTuple_New(size), *texts = PyTuple_New(size);
  int usual = values != NULL && texts != NULL;
  for (Py_ssize_t at = 0; usual && at < size; at++) {
    PyObject *column[5];
    if (!unpacked(PyTuple_GetItem(given[0], at), column)) break;
    double times = PyFloat_AsDouble(column[3]), over = PyFloat_AsDouble(column[4]), number;
    PyObject *text = item_of(given[1], column[0]);
    usual = text != NULL && is_plain(text, &number);
    PyObject *value = usual ? PyFloat_FromDouble(number * times / over) : NULL;
    usual = value != NULL && PyTuple_SetItem(values, at, value) == 0;
    if (text != NULL) PyTuple_SetItem(texts, at, text);
  }
  PyObject *made = usual && !PyErr_Occurred() ? PyTuple_Pack(2, values, texts) : NULL;
  Py_XDECREF(values);
  Py_XDECREF(texts);
  return made != NULL || PyErr_Occurred() ? made : Py_NewRef(Py_None);
}

static void free_lane(PyObject *capsule) {
  lane_t *lane = PyCapsule_GetPointer(capsule, LANE);
  if (lane != NULL) PyMem_Free(lane->intervals);
  PyMem_Free(lane);
}

/* Return the series of a key, which is made if there are fewer than `most`; NULL without an error if there is none. */
static lane_t *lane_at(PyObject *lanes, PyObject *key) {
  PyObject *known = PyDict_GetItemWithError(lanes, key);
  if (known != NULL) return PyCapsule_GetPointer(known, LANE);
  if (PyErr_Occurred() || PyDict_Size(lanes) >= most_lanes) return NULL;
  lane_t *lane = PyMem_Calloc(1, sizeof *lane);
  PyObject *made = lane == NULL ? PyErr_NoMemory() : PyCapsule_New(lane, LANE, free_lane);
  if (made == NULL) PyMem_Free(lane);
  int failed = made == NULL || PyDict_SetItem(lanes, key, made) < 0;
  Py_XDECREF(made);
  return failed ? NULL : lane;
}

static void halve(lane_t *lane) {
  Py_ssize_t count = 0;
  for (Py_ssize_t at = 0; at < lane->count; at += 2) {
    interval_t first = lane->intervals[at], last = lane->intervals[at + 1 < lane->count ? at + 1 : at];
    double before = first.end - first.start, after = last.end - last.start, total = before + after;
    lane->intervals[count++] = (interval_t){
        .start = first.start,
        .end = last.end,
        .mean = total > 0 ? (first.mean * before + last.mean * after) / total : last.mean,
        .peak = last.peak > first.peak ? last.peak : first.peak,
    };
  }
  lane->count = count;
}

/* Append an interval to the series of a key; return whether there is one and it is in order, or -1 at an error. */
static int append_to(PyObject *lanes, PyObject *key, double start, double end, double value) {
  lane_t *lane = lane_at(lanes, key);
  if (lane == NULL) return PyErr_Occurred() ? -1 : 0;
  if (lane->count > 0) {
    double last = lane->intervals[lane->count - 1].end;
    if (end <= last) return 0;
    if (last > start) start = last;
  }
  if (lane->count == lane->room) {
    Py_ssize_t room = lane->room < 4 ? 4 : 2 * lane->room;
    interval_t *grown = PyMem_Realloc(lane->intervals, (size_t)room * sizeof *grown);
    if (grown == NULL) {
      PyErr_NoMemory();
      return -1;
    }
    lane->intervals = grown;
    lane->room = room;
  }
  lane->intervals[lane->count++] = (interval_t){start, end, value, value};
  if (lane->count > most_intervals) halve(lane);
  return 1;
}

/* append(lanes, key, start, end, value): append an interval; whether there is such a series and it is in order. */
static PyObject *append(PyObject *Py_UNUSED(self), PyObject *given) {
  PyObject *lanes, *key;
  double start, end, value;
  if (!PyArg_ParseTuple(given, "O!Oddd", &PyDict_Type, &lanes, &key, &start, &end, &value)) return NULL;
  int appended = append_to(lanes, key, start, end, value);
  return appended < 0 ? NULL : PyBool_FromLong(appended);
}

/* Return whether a figure is the first, the lowest or the highest one of a target; -1 at an error. */
static int is_extreme(PyObject *metrics, PyObject *const *target, double now) {
  PyObject *known = PyDict_GetItemWithError(metrics, target[1]);
  if (known == NULL) return PyErr_Occurred() ? -1 : 1;
  if ((PyObject *)Py_TYPE(known) != metric.type) {
    PyErr_SetString(PyExc_TypeError, "metrics were expected");
    return -1;
  }
  double then = PyFloat_AsDouble(field_of(&metric, known, 1));
  return target[4] == Py_True ? now < then : now > then;
}

/* Store a figure as the metric of a target, with its text, which is given away; -1 at an error. */
static int put_extreme(PyObject *metrics, PyObject *const *target, double figure, PyObject *text) {
  PyObject *name = target[1], *value = PyFloat_FromDouble(figure);
  PyObject *shown = text == NULL ? NULL : build(&told, (PyObject *[]){text, target[2], target[3]});
  PyObject *made = shown == NULL || value == NULL ? NULL : build(&metric, (PyObject *[]){name, value, shown});
  int failed = made == NULL || PyDict_SetItem(metrics, name, made) < 0;
  Py_XDECREF(text);
  Py_XDECREF(value);
  Py_XDECREF(shown);
  Py_XDECREF(made);
  return failed ? -1 : 0;
}

/* Append a figure to the series of its target if there are series, and update the extreme with its text, or with the
 * word if that is NULL; return whether it is in order and has a series, or -1 at an error. */
static int put_figure(const put_t *put, PyObject *target, double figure, PyObject *text, const word_t *word) {
  PyObject *of[5];
  if (!unpacked(target, of)) return -1;
  int appended = put->lanes == Py_None ? 1 : append_to(put->lanes, of[0], put->start, put->end, figure);
  int extreme = appended < 0 ? -1 : is_extreme(put->metrics, of, figure);
  if (extreme > 0) {
    text = text != NULL ? Py_NewRef(text) : PyUnicode_DecodeUTF8(word->start, word->size, NULL);
    extreme = put_extreme(put->metrics, of, figure, text);
  }
  return extreme < 0 ? -1 : appended;
}

/* record(lanes, metrics, targets, values, texts, start, end): append a figure to the series of each target, and update
 * its extreme; the number of figures that are out of order, or that have no series. Without series, only extremes. */
static PyObject *record(PyObject *Py_UNUSED(self), PyObject *given) {
  put_t put;
  PyObject *targets, *values, *texts;
  if (!PyArg_ParseTuple(given, "OO!O!O!O!dd", &put.lanes, &PyDict_Type, &put.metrics, &PyTuple_Type, &targets,
                        &PyTuple_Type, &values, &PyTuple_Type, &texts, &put.start, &put.end)) {
    return NULL;
  }
  Py_ssize_t count = PyTuple_Size(targets);
  if (PyTuple_Size(values) != count || PyTuple_Size(texts) != count) {
    return PyErr_Format(PyExc_TypeError, "as many figures as targets were expected");
  }
  long left_out = 0;
  for (Py_ssize_t at = 0; at < count; at++) {
    double figure = PyFloat_AsDouble(PyTuple_GetItem(values, at));
    if (figure == -1.0 && PyErr_Occurred()) return NULL;
    int appended = put_figure(&put, PyTuple_GetItem(targets, at), figure, PyTuple_GetItem(texts, at), NULL);
    if (appended < 0) return NULL;
    left_out += !appended;
  }
  return PyLong_FromLong(left_out);
}

/* Find the words of a row of ASCII, at most MOST_WORDS; return their number, or -1 if there are more, or others. */
static int words_in(PyObject *row, word_t *words) {
  Py_ssize_t size;
  const char *at = PyUnicode_AsUTF8AndSize(row, &size);
  if (at == NULL) PyErr_Clear();
  if (at == NULL || size != PyUnicode_GetLength(row)) return -1;
  const char *end = at + size;
  for (int count = 0;; count++) {
    while (at < end && is_blank(*at)) at++;
    if (at == end) return count;
    if (count == MOST_WORDS) return -1;
    words[count].start = at;
    while (at < end && !is_blank(*at)) at++;
    words[count].size = at - words[count].start;
  }
}

/* words_at(rows, count, place): the word at a place of each text; None if one has not so many words, of ASCII and at
 * most MOST_WORDS. */
static PyObject *words_at(PyObject *Py_UNUSED(self), PyObject *given) {
  PyObject *rows;
  int count, place;
  word_t words[MOST_WORDS];
  if (!PyArg_ParseTuple(given, "O!ii", &PyTuple_Type, &rows, &count, &place)) return NULL;
  if (place < 0 || place >= count) return PyErr_Format(PyExc_IndexError, "the place of a word was expected");
  PyObject *made = PyTuple_New(PyTuple_Size(rows));
  for (Py_ssize_t at = 0; made != NULL && at < PyTuple_Size(rows); at++) {
    if (words_in(PyTuple_GetItem(rows, at), words) != count) {
      Py_DECREF(made);
      return Py_NewRef(Py_None);
    }
    PyObject *word = PyUnicode_DecodeUTF8(words[place].start, words[place].size, NULL);
    if (word == NULL || PyTuple_SetItem(made, at, word) < 0) Py_CLEAR(made);
  }
  return made;
}

/* Compute the figures of the stored columns of a row; return whether all are in the usual form, or -1 at an error. */
static int compute(PyObject *columns, const word_t *words, int width, word_t *texts, double *values) {
  for (Py_ssize_t at = 0, count = PyTuple_Size(columns); at < count; at++) {
    PyObject *column[5];
    if (!unpacked(PyTuple_GetItem(columns, at), column)) return -1;
    Py_ssize_t place = PyLong_AsSsize_t(column[0]);
    double times = PyFloat_AsDouble(column[3]), over = PyFloat_AsDouble(column[4]), number;
    if (PyErr_Occurred()) return -1;
    if (place < 0 || place >= width || !is_plain_text(words[place].start, words[place].size, &number)) return 0;
    texts[at] = words[place];
    values[at] = number * times / over;
  }
  return 1;
}

/* record_row(lanes, metrics, targets, columns, row, start, end): record the stored columns of a row of words, as
 * `figures` and `record` do; None, with nothing recorded, if one is not in the usual form. */
static PyObject *record_row(PyObject *Py_UNUSED(self), PyObject *given) {
  put_t put;
  PyObject *targets, *columns, *row;
  word_t words[MOST_WORDS], texts[MOST_WORDS];
  double values[MOST_WORDS];
  if (!PyArg_ParseTuple(given, "OO!O!O!Udd", &put.lanes, &PyDict_Type, &put.metrics, &PyTuple_Type, &targets,
                        &PyTuple_Type, &columns, &row, &put.start, &put.end)) {
    return NULL;
  }
  Py_ssize_t count = PyTuple_Size(targets);
  if (PyTuple_Size(columns) != count || count > MOST_WORDS) {
    return PyErr_Format(PyExc_TypeError, "as many columns as targets were expected, at most 64");
  }
  int usual = compute(columns, words, words_in(row, words), texts, values);
  if (usual <= 0) return usual < 0 ? NULL : Py_NewRef(Py_None);
  long left_out = 0;
  for (Py_ssize_t at = 0; at < count; at++) {
    int appended = put_figure(&put, PyTuple_GetItem(targets, at), values[at], NULL, &texts[at]);
    if (appended < 0) return NULL;
    left_out += !appended;
  }
  return PyLong_FromLong(left_out);
}

/* Return one figure of each interval. */
static PyObject *column_of(const lane_t *lane, size_t offset, double origin) {
  PyObject *made = PyTuple_New(lane->count);
  for (Py_ssize_t at = 0; made != NULL && at < lane->count; at++) {
    double figure;
    memcpy(&figure, (const char *)&lane->intervals[at] + offset, sizeof figure);
    PyObject *item = PyFloat_FromDouble(figure - origin);
    if (item == NULL || PyTuple_SetItem(made, at, item) < 0) Py_CLEAR(made);
  }
  return made;
}

/* Return the record of a series with times since the origin, and at most so many intervals. */
static PyObject *made_series(PyObject *key, PyObject *capsule, PyObject *started_at, double origin, Py_ssize_t most) {
  lane_t *lane = PyCapsule_GetPointer(capsule, LANE);
  if (lane == NULL) return NULL;
  while (lane->count > most && lane->count > 1) halve(lane);
  PyObject *values[] = {PyTuple_GetItem(key, 0),
                        PyTuple_GetItem(key, 1),
                        started_at,
                        column_of(lane, offsetof(interval_t, end), origin),
                        column_of(lane, offsetof(interval_t, mean), 0.0),
                        column_of(lane, offsetof(interval_t, peak), 0.0)};
  PyObject *made = PyErr_Occurred() ? NULL : build(&series, values);
  for (int each = 3; each < 6; each++) Py_XDECREF(values[each]);
  return made;
}

/* all_series(lanes, started_at, origin, most): the records of all series. */
static PyObject *all_series(PyObject *Py_UNUSED(self), PyObject *given) {
  PyObject *lanes, *started_at, *key, *capsule;
  double origin;
  Py_ssize_t most, place = 0, count = 0;
  if (!PyArg_ParseTuple(given, "O!Odn", &PyDict_Type, &lanes, &started_at, &origin, &most)) return NULL;
  PyObject *made = PyTuple_New(PyDict_Size(lanes));
  while (made != NULL && PyDict_Next(lanes, &place, &key, &capsule)) {
    PyObject *one = made_series(key, capsule, started_at, origin, most);
    if (one == NULL || PyTuple_SetItem(made, count++, one) < 0) Py_CLEAR(made);
  }
  return made;
}

static PyMethodDef FUNCTIONS[] = {
    {"cells", cells, METH_VARARGS, NULL},
    {"figures", (PyCFunction)(void (*)(void))figures, METH_FASTCALL, NULL},
    {"append", append, METH_VARARGS, NULL},
    {"record", record, METH_VARARGS, NULL},
    {"record_row", record_row, METH_VARARGS, NULL},
    {"words_at", words_at, METH_VARARGS, NULL},
    {"all_series", all_series, METH_VARARGS, NULL},
};

PyObject *table_functions(PyObject *Py_UNUSED(self), PyObject *given) {
  PyObject *types[3], *names[3];
  if (!PyArg_ParseTuple(given, "OO!OO!OO!nn", &types[0], &PyTuple_Type, &names[0], &types[1], &PyTuple_Type, &names[1],
                        &types[2], &PyTuple_Type, &names[2], &most_lanes, &most_intervals) ||
      learn(&metric, types[0], names[0]) < 0 || learn(&told, types[1], names[1]) < 0 ||
      learn(&series, types[2], names[2]) < 0) {
    return NULL;
  }
  if (metric.count != 3 || told.count != 3 || series.count != 6)
    return PyErr_Format(PyExc_TypeError, "records of three, three and six fields were expected");
  return functions(FUNCTIONS, sizeof FUNCTIONS / sizeof *FUNCTIONS);
}
