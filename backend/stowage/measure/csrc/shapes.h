/* Shapes: lines in a usual form, matched without a step back. */
#ifndef STOWAGE_SHAPES_H
#define STOWAGE_SHAPES_H

#include "records.h"

typedef struct shape shape_t;

/* Return the shape of a capsule; NULL at an error. */
WITHIN shape_t *shape_in(PyObject *capsule);

/* Return the block of lines that begins at a byte and ends at or before another, with the line number of its beginning;
 * NULL without an error if the text has another form. Its end and the number of its lines are stored. */
WITHIN PyObject *block_at(const shape_t *shape, const char *at, const char *end, long line, const char **behind,
                          long *lines);

/* shape_functions(block, its names): the functions `shape` and `match` of `files/compiled.py`. */
WITHIN PyObject *shape_functions(PyObject *, PyObject *given);

#endif
