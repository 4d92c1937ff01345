"""Commands that start, prepare and check servers."""
