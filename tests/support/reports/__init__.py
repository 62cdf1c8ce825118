"""Events of runs, for the tests of reports."""
