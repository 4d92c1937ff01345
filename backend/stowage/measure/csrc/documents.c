/* JSON documents and the lines of text around them, as events of `files/documents.py`.
 *
 * Everything here stops at whatever is not in the usual form: JSON that is not valid, `\u` escapes, a key that stands
 * twice, too many levels. The caller then reads that document in Python: nothing here has rules about broken files.
 */
#include "documents.h"

#include <string.h>

#include "shapes.h"
#include "values.h"

#define KEYS 2048
#define LONGEST_KEY 40
/* One call ends after so many events or bytes: values that are dropped soon are seen by no garbage collection. */
#define MOST_EVENTS 256
#define ENOUGH_BYTES 8192
/* Bytes whose characters are counted at once. */
#define STRIDE 256

/* Why `scan` stopped, as in `files/compiled.py`. */
enum { FULL = 0, CUT = 1, REFUSED = 2 };

/* A key that stood in a document before. */
typedef struct {
  PyObject *key;
  const char *bytes;
  Py_ssize_t size;
} known_t;

typedef struct {
  record_t started, piece, ended, text;
  PyObject *any, *root;
  known_t known[KEYS];
} documents_t;

/* Where the scan is: the number of the line, and the depth in the document. `cut` is 1 if it came to the end. */
typedef struct {
  documents_t *of;
  const shape_t *shape;
  const char *at, *end;
  long line;
  int depth, deepest, cut;
} scan_t;

static PyObject *value_of(scan_t *scan);

/* Return the next character that is not blank; 0 at the end. */
static int next_of(scan_t *scan) {
  for (; scan->at < scan->end; scan->at++) {
    char found = *scan->at;
    if (found == '\n') scan->line++;
    if (found != '\n' && found != ' ' && found != '\t') return (unsigned char)found;
  }
  scan->cut = 1;
  return 0;
}

static PyObject *known_key(documents_t *of, const char *start, Py_ssize_t size) {
  if (size > LONGEST_KEY) return PyUnicode_DecodeUTF8(start, size, NULL);
  unsigned hash = 2166136261u;
  for (Py_ssize_t at = 0; at < size; at++) hash = (hash ^ (unsigned char)start[at]) * 16777619u;
  known_t *known = &of->known[(hash ^ (hash >> 15)) % KEYS];
  if (known->key != NULL && known->size == size && memcmp(known->bytes, start, (size_t)size) == 0) {
    return Py_NewRef(known->key);
  }
  PyObject *key = PyUnicode_DecodeUTF8(start, size, NULL);
  const char *bytes = key == NULL ? NULL : PyUnicode_AsUTF8AndSize(key, &size);
  if (bytes == NULL) {
    Py_XDECREF(key);
    return NULL;
  }
  Py_XDECREF(known->key);
  *known = (known_t){.key = Py_NewRef(key), .bytes = bytes, .size = size};
  return key;
}

/* Return the character that a backslash and a letter mean; 0 for every other escape. */
static char meant_by(char letter) {
  static const char LETTERS[] = "\"\\/bfnrt", MEANT[] = "\"\\/\b\f\n\r\t";
  const char *found = letter == '\0' ? NULL : strchr(LETTERS, letter);
  return found == NULL ? '\0' : MEANT[found - LETTERS];
}

/* Return a string with escapes; the scan is behind its opening quote. */
static PyObject *escaped_string(scan_t *scan) {
  const char *close = scan->at;
  while (close < scan->end && *close != '"') {
    if ((unsigned char)*close < ' ') return NULL;
    close += *close == '\\' ? 2 : 1;
  }
  if (close >= scan->end) {
    scan->cut = 1;
    return NULL;
  }
  char *text = PyMem_Malloc((size_t)(close - scan->at) + 1);
  if (text == NULL) return PyErr_NoMemory();
  Py_ssize_t size = 0;
  char meant = ' ';
  for (const char *at = scan->at; at < close && meant != '\0'; at++) {
    meant = *at == '\\' ? meant_by(*++at) : *at;
    text[size++] = meant;
  }
  PyObject *made = meant == '\0' ? NULL : PyUnicode_DecodeUTF8(text, size, NULL);
  PyMem_Free(text);
  scan->at = close + 1;
  return made;
}

/* Return the string at the scan's quote. */
static PyObject *string_of(scan_t *scan, int is_key) {
  const char *start = ++scan->at, *at = start;
  while (at < scan->end && *at != '"' && *at != '\\' && (unsigned char)*at >= ' ') at++;
  if (at == scan->end) {
    scan->cut = 1;
    return NULL;
  }
  if (*at == '\\') return escaped_string(scan);
  if (*at != '"') return NULL;
  scan->at = at + 1;
  return is_key ? known_key(scan->of, start, at - start) : PyUnicode_DecodeUTF8(start, at - start, NULL);
}

/* Return the number that ends at `end`. */
static PyObject *number_until(scan_t *scan, const char *end) {
  PyObject *made = made_number(scan->at, end - scan->at);
  scan->at = end;
  return made;
}

/* Return the value of a word, which consists of letters behind an optional sign. */
static PyObject *word_of(scan_t *scan) {
  static const char *const NUMBERS[] = {"NaN", "Infinity", "-Infinity"};
  const char *at = scan->at + (*scan->at == '-');
  while (at < scan->end && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z'))) at++;
  size_t size = (size_t)(at - scan->at);
  const char *word = scan->at;
  if (at == scan->end) {
    scan->cut = 1;
    return NULL;
  }
  for (int each = 0; each < 3; each++) {
    if (size == strlen(NUMBERS[each]) && memcmp(word, NUMBERS[each], size) == 0) return number_until(scan, at);
  }
  scan->at = at;
  if (size == 4 && memcmp(word, "true", 4) == 0) return Py_NewRef(Py_True);
  if (size == 5 && memcmp(word, "false", 5) == 0) return Py_NewRef(Py_False);
  if (size == 4 && memcmp(word, "null", 4) == 0) return Py_NewRef(Py_None);
  return NULL;
}

static const char *behind_digits(const char *at, const char *end) {
  while (at < end && *at >= '0' && *at <= '9') at++;
  return at;
}

static PyObject *number_of(scan_t *scan) {
  const char *end = scan->end, *first = scan->at + (*scan->at == '-'), *at = behind_digits(first, end);
  if (at == first && at < end) return *at == 'I' ? word_of(scan) : NULL;
  if (at - first > 1 && *first == '0') return NULL;
  if (at < end && *at == '.') {
    first = at + 1;
    at = behind_digits(first, end);
    if (at == first && at < end) return NULL;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    first = at < end && (*at == '+' || *at == '-') ? at + 1 : at;
    at = behind_digits(first, end);
    if (at == first && at < end) return NULL;
  }
  if (at == end) {
    scan->cut = 1;
    return NULL;
  }
  return number_until(scan, at);
}

/* Return the key at the scan, which moves to its value; NULL if there is none. */
static PyObject *key_of(scan_t *scan) {
  if (next_of(scan) != '"') return NULL;
  PyObject *key = string_of(scan, 1);
  if (key != NULL && next_of(scan) == ':') {
    scan->at++;
    if (next_of(scan) != 0) return key;
  }
  Py_XDECREF(key);
  return NULL;
}

/* Move behind a comma and return 1, or behind the closing bracket and return 0; return -1 at anything else. */
static int goes_on(scan_t *scan, char closing) {
  int found = next_of(scan);
  if (found != ',' && found != closing) return -1;
  scan->at++;
  return found == ',';
}

/* Move behind the opening bracket; return whether the container has members. */
static int is_filled(scan_t *scan, char closing) {
  scan->at++;
  if (next_of(scan) != closing) return 1;
  scan->at++;
  return 0;
}

static PyObject *object_of(scan_t *scan) {
  PyObject *made = PyDict_New();
  int more = made != NULL && is_filled(scan, '}');
  for (Py_ssize_t count = 1; more > 0; count++) {
    PyObject *key = key_of(scan), *value = key == NULL ? NULL : value_of(scan);
    more = value == NULL || PyDict_SetItem(made, key, value) < 0 || PyDict_Size(made) != count ? -1 : 1;
    Py_XDECREF(key);
    Py_XDECREF(value);
    if (more > 0) more = goes_on(scan, '}');
  }
  if (more == 0) return made;
  Py_XDECREF(made);
  return NULL;
}

static PyObject *list_of(scan_t *scan) {
  PyObject *made = PyList_New(0);
  int more = made != NULL && is_filled(scan, ']');
  while (more > 0) {
    PyObject *value = next_of(scan) == 0 ? NULL : value_of(scan);
    more = value == NULL || PyList_Append(made, value) < 0 ? -1 : 1;
    Py_XDECREF(value);
    if (more > 0) more = goes_on(scan, ']');
  }
  if (more == 0) return made;
  Py_XDECREF(made);
  return NULL;
}

/* Return the value at the scan. NULL without an error: the text is cut, or refused. */
static PyObject *value_of(scan_t *scan) {
  char first = *scan->at;
  if (first == '"') return string_of(scan, 0);
  if (first == '-' || (first >= '0' && first <= '9')) return number_of(scan);
  if (first != '{' && first != '[') return word_of(scan);
  if (scan->depth == scan->deepest) return NULL;
  scan->depth++;
  PyObject *made = first == '{' ? object_of(scan) : list_of(scan);
  scan->depth--;
  return made;
}

static int append(PyObject *events, PyObject *event) {
  int failed = event == NULL || PyList_Append(events, event) < 0;
  Py_XDECREF(event);
  return failed ? -1 : 0;
}

/* Add a line of text, which is given away. */
static int add_text(PyObject *events, scan_t *scan, PyObject *value) {
  PyObject *number = value == NULL ? NULL : PyLong_FromLong(scan->line);
  PyObject *made = number == NULL ? NULL : build(&scan->of->text, (PyObject *[]){number, value});
  Py_XDECREF(number);
  Py_XDECREF(value);
  return append(events, made);
}

static int add_piece(PyObject *events, scan_t *scan, long line, PyObject *path, PyObject *value) {
  PyObject *number = value == NULL ? NULL : PyLong_FromLong(line);
  int failed = number == NULL || append(events, build(&scan->of->piece, (PyObject *[]){number, path, value})) < 0;
  Py_XDECREF(number);
  Py_XDECREF(value);
  return failed ? -1 : 0;
}

static PyObject *longer(PyObject *path, PyObject *key) {
  Py_ssize_t size = PyTuple_Size(path);
  PyObject *made = PyTuple_New(size + 1);
  for (Py_ssize_t at = 0; made != NULL && at < size; at++) {
    PyTuple_SetItem(made, at, Py_NewRef(PyTuple_GetItem(path, at)));
  }
  if (made != NULL) PyTuple_SetItem(made, size, Py_NewRef(key));
  return made;
}

static int add_members(PyObject *events, scan_t *scan, PyObject *opened, PyObject *path);

/* Add the pieces of one member. `line` is that of its key, or of the outer bracket if it is the first. */
static int add_member(PyObject *events, scan_t *scan, PyObject *opened, PyObject *path, PyObject *key, long line) {
  PyObject *inner = NULL, *deeper = longer(path, key);
  if (deeper == NULL) return -1;
  int failed = 0;
  if (*scan->at == '{' || *scan->at == '[') {
    line = scan->line;
    inner = PyDict_GetItemWithError(opened, PyUnicode_Check(key) ? key : scan->of->any);
    failed = inner == NULL && PyErr_Occurred();
  }
  if (!failed) {
    failed = inner != NULL ? add_members(events, scan, inner, deeper)
                           : add_piece(events, scan, line, deeper, value_of(scan));
  }
  Py_DECREF(deeper);
  return failed ? -1 : 0;
}

/* Add the members of an opened container, each as a piece. */
static int add_members(PyObject *events, scan_t *scan, PyObject *opened, PyObject *path) {
  int of_keys = *scan->at == '{', more;
  char closing = of_keys ? '}' : ']';
  long line = scan->line;
  if (scan->depth == scan->deepest) return -1;
  PyObject *keys = PySet_New(NULL);
  if (keys == NULL) return -1;
  scan->depth++;
  more = is_filled(scan, closing);
  for (Py_ssize_t count = 1; more > 0; count++) {
    if (next_of(scan) == 0) break;
    if (count > 1) line = scan->line;
    PyObject *key = of_keys ? key_of(scan) : PyLong_FromSsize_t(count - 1);
    int failed = key == NULL || PySet_Add(keys, key) < 0 || PySet_Size(keys) != count ||
                 add_member(events, scan, opened, path, key, line) < 0;
    Py_XDECREF(key);
    more = failed ? -1 : goes_on(scan, closing);
  }
  scan->depth--;
  Py_DECREF(keys);
  return more == 0 ? 0 : -1;
}

/* Add the events of the document at the scan; -1 if it is cut or refused, or at an error. */
static int add_document(PyObject *events, scan_t *scan, PyObject *opened) {
  documents_t *of = scan->of;
  PyObject *first = PyLong_FromLong(scan->line), *last = NULL;
  int failed = first == NULL || append(events, build(&of->started, &first)) < 0;
  if (!failed && opened != Py_None) failed = add_members(events, scan, opened, of->root) < 0;
  if (!failed && opened == Py_None) {
    long line = scan->line;
    failed = add_piece(events, scan, line, of->root, value_of(scan)) < 0;
  }
  if (!failed) {
    last = PyLong_FromLong(scan->line);
    failed = last == NULL || append(events, build(&of->ended, (PyObject *[]){last, first, Py_None})) < 0;
  }
  Py_XDECREF(first);
  Py_XDECREF(last);
  return failed ? -1 : 0;
}

/* Move behind empty lines; return the first character of the next line that is not blank, or NULL at the end. */
static const char *next_line(scan_t *scan) {
  const char *at = scan->at;
  for (; at < scan->end && (*at == '\n' || *at == ' ' || *at == '\t'); at++) {
    if (*at != '\n') continue;
    scan->line++;
    scan->at = at + 1;
  }
  return at < scan->end ? at : NULL;
}

/* Return whether a document begins here: 1, or 0 for text, or -1 if the end comes too early. */
static int begins_document(const char *at, const char *end) {
  char bracket = *at;
  if (bracket != '{' && bracket != '[') return 0;
  for (at++; at < end && (*at == ' ' || *at == '\t' || *at == '\n'); at++) continue;
  if (at == end) return -1;
  return *at == '"' || (bracket == '{' ? *at == '}' : *at == '[' || *at == ']' || *at == '{');
}

/* Add the lines that have the shape, if any do; return whether, or -1. Those at the end of the text are left out. */
static int add_block(PyObject *events, scan_t *scan) {
  const char *behind;
  long lines;
  PyObject *made = block_at(scan->shape, scan->at, scan->end - 1, scan->line, &behind, &lines);
  if (made == NULL) return PyErr_Occurred() ? -1 : 0;
  scan->line += lines;
  scan->at = behind;
  return append(events, made) < 0 ? -1 : 1;
}

/* Add the next line of text; return FULL, or why there is none, or -1. */
static int add_line(PyObject *events, scan_t *scan, const char *first) {
  int added = scan->shape == NULL ? 0 : add_block(events, scan);
  if (added != 0) return added < 0 ? -1 : FULL;
  const char *close = memchr(first, '\n', (size_t)(scan->end - first));
  if (close == NULL) return REFUSED;
  if (add_text(events, scan, PyUnicode_DecodeUTF8(scan->at, close - scan->at, NULL)) < 0) return -1;
  scan->line++;
  scan->at = close + 1;
  return FULL;
}

/* Add the events of the next document or the next line of text; return FULL, or why there is none, or -1. */
static int add_next(PyObject *events, scan_t *scan, PyObject *opened, Py_ssize_t most) {
  const char *first = next_line(scan);
  if (first == NULL) return scan->at == scan->end ? CUT : REFUSED;
  int begins = begins_document(first, scan->end);
  if (begins < 0) return REFUSED;
  if (!begins) return add_line(events, scan, first);
  Py_ssize_t count = PyList_Size(events);
  scan_t inner = *scan;
  inner.at = first;
  if (scan->end - first > most) inner.end = first + most;
  if (add_document(events, &inner, opened) == 0) {
    scan->at = inner.at;
    scan->line = inner.line;
    return FULL;
  }
  if (PyErr_Occurred() || PyList_SetSlice(events, count, PyList_Size(events), NULL) < 0) return -1;
  return inner.cut ? CUT : REFUSED;
}

/* Return whether a byte is the first one of a character of UTF-8. */
static int is_first(char byte) { return ((unsigned char)byte & 0xC0) != 0x80; }

static Py_ssize_t characters(const char *at, const char *end) {
  Py_ssize_t count = 0;
  for (; at < end; at++) count += is_first(*at);
  return count;
}

/* Prepare a scan of a text from an index on; return the text's first byte, or NULL at an error. */
static const char *begin(scan_t *scan, documents_t *of, PyObject *text, Py_ssize_t position, int deepest) {
  Py_ssize_t size, length = PyUnicode_GetLength(text);
  const char *start = length < 0 ? NULL : PyUnicode_AsUTF8AndSize(text, &size);
  if (start == NULL) return NULL;
  const char *at = start, *end = start + size;
  if (position < 0 || position > length) {
    PyErr_SetString(PyExc_IndexError, "an index of the text was expected");
    return NULL;
  }
  if (size == length) {
    at += position;
  } else {
    for (Py_ssize_t count; end - at > STRIDE && (count = characters(at, at + STRIDE)) <= position; at += STRIDE) {
      position -= count;
    }
    while (at < end && !(is_first(*at) && position-- == 0)) at++;
  }
  *scan = (scan_t){.of = of, .at = at, .end = end, .deepest = deepest};
  return at;
}

/* scan(text, position, line, opened, deepest, most, shape): the events of what follows, the new position and line, and
 * why it stopped. */
static PyObject *scan_documents(PyObject *self, PyObject *given) {
  PyObject *text, *opened, *shape;
  Py_ssize_t position, most;
  long line;
  int deepest, stopped = FULL;
  scan_t scan;
  documents_t *of = PyCapsule_GetPointer(self, NULL);
  if (of == NULL || !PyArg_ParseTuple(given, "UnlOinO", &text, &position, &line, &opened, &deepest, &most, &shape)) {
    return NULL;
  }
  const char *start = begin(&scan, of, text, position, deepest);
  PyObject *events = start == NULL ? NULL : PyList_New(0);
  if (events == NULL) return NULL;
  scan.line = line;
  scan.shape = shape == Py_None ? NULL : shape_in(shape);
  while (stopped == FULL && PyList_Size(events) < MOST_EVENTS && scan.at - start < ENOUGH_BYTES) {
    stopped = add_next(events, &scan, opened, most);
  }
  if (stopped >= 0) {
    return Py_BuildValue("Nnli", events, position + characters(start, scan.at), scan.line, stopped);
  }
  Py_DECREF(events);
  return NULL;
}

/* decode(text, position, deepest, most): the value of the container there, its end and its number of newlines; or
 * whether the text is cut. */
static PyObject *decode_container(PyObject *self, PyObject *given) {
  PyObject *text;
  Py_ssize_t position, most;
  int deepest;
  scan_t scan;
  documents_t *of = PyCapsule_GetPointer(self, NULL);
  if (of == NULL || !PyArg_ParseTuple(given, "Unin", &text, &position, &deepest, &most)) return NULL;
  const char *start = begin(&scan, of, text, position, deepest);
  if (start == NULL) return NULL;
  if (scan.end - start > most) scan.end = start + most;
  PyObject *value = start == scan.end ? NULL : value_of(&scan);
  if (value != NULL) return Py_BuildValue("Nnl", value, position + characters(start, scan.at), scan.line);
  return PyErr_Occurred() ? NULL : PyBool_FromLong(scan.cut);
}

static PyMethodDef SCAN = {"scan", scan_documents, METH_VARARGS, NULL};
static PyMethodDef DECODE = {"decode", decode_container, METH_VARARGS, NULL};

PyObject *document_functions(PyObject *Py_UNUSED(self), PyObject *given) {
  static const Py_ssize_t FIELDS[] = {1, 3, 3, 2};
  PyObject *types[4], *names[4];
  if (!PyArg_ParseTuple(given, "OO!OO!OO!OO!", &types[0], &PyTuple_Type, &names[0], &types[1], &PyTuple_Type, &names[1],
                        &types[2], &PyTuple_Type, &names[2], &types[3], &PyTuple_Type, &names[3])) {
    return NULL;
  }
  documents_t *of = PyMem_Calloc(1, sizeof *of);
  if (of == NULL) return PyErr_NoMemory();
  record_t *const records[] = {&of->started, &of->piece, &of->ended, &of->text};
  for (int each = 0; each < 4; each++) {
    if (learn(records[each], types[each], names[each]) < 0) return NULL;
    if (records[each]->count != FIELDS[each]) return PyErr_Format(PyExc_TypeError, "other fields were expected");
  }
  of->any = PyUnicode_FromString("*");
  of->root = PyTuple_New(0);
  if (of->any == NULL || of->root == NULL) return NULL;
  return Py_BuildValue("NN", bound(&SCAN, of), bound(&DECODE, of));
}
