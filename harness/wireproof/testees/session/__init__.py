"""A session with a testee: requests out, answers in, offending requests isolated."""
