/* JSON documents and the lines of text around them. */
#ifndef STOWAGE_DOCUMENTS_H
#define STOWAGE_DOCUMENTS_H

#include "records.h"

/* document_functions(started, its names, piece, its names, ended, its names, text, its names): `scan` and `decode`
 * with events of these classes. */
WITHIN PyObject *document_functions(PyObject *self, PyObject *given);

#endif
