"""Executable deviations of codecs: what a codec does differently from Kafka, and which answers follow.

A *deviation* is a trigger (a string whose length is -1, a tagged field that is not known, ...) with an action
in place of Kafka's, and a scope. A *model* is the reference codec with a set of deviations: it predicts the
answer to a request. `search` finds deviations that predict a codec's answers, and distinguishes known
deviations from other answers.
"""
