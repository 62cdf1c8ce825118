"""The files of a ledger: its TOML file read, edited and migrated, and event files read for their causes."""
