"""The text of definition files, read into definitions and the problems of both."""
