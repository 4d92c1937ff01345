"""Common parts of all readers: parsers of archives, lines, tables, JSON documents, numbers and times.

A reader parses the output of one tool.
"""
