"""What experiments show and write: files, tables, reports, pictures and progress."""
