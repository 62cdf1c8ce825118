"""The files of a testee, watched for changes."""
