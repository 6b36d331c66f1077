"""What every room may use: errors, files, dtypes, tolerances, outside programs, the text of pipelines."""
