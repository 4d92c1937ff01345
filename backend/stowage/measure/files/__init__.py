"""Input of readers: archives, lines, tables, documents, numbers and clocks."""
