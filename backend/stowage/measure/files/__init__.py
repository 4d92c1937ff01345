"""Input of readers: archives, lines, tables, JSON documents, numbers and times."""
