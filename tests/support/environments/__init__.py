"""Worker environments of small releases, with their corpora and ledgers."""
