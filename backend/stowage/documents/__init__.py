"""Documents: charts, PDF, spreadsheets and CSV of reports; deployment files of configurations. No I/O."""
