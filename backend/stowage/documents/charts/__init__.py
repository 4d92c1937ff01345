"""Charts of reports as geometry, which the page, SVG files and PDF files draw alike."""
