"""Charts of reports as geometry: the page, SVG and PDF draw the same."""
