/* Cells of tables of text, and time series of their figures. */
#ifndef STOWAGE_TABLES_H
#define STOWAGE_TABLES_H

#include "records.h"

/* table_functions(metric, its names, told, its names, series, its names, most, intervals): the functions of this file,
 * with records of these classes, and at most so many series in a recording and intervals in a series. */
WITHIN PyObject *table_functions(PyObject *self, PyObject *given);

#endif
