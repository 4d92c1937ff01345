"""What readers read with: archives, lines, tables, documents, numbers and clocks."""
