"""Charts of reports as geometry: the page, SVG and PDF files draw the same shapes."""
