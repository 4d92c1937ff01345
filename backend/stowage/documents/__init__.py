"""Reports as documents: charts drawn, PDF, spreadsheet, CSV; configurations as what deploys them. Pure."""
