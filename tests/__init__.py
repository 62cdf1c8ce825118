"""The tests, and in `support` what several of them share."""
