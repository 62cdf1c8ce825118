"""Deviations of codecs that can be executed: what a codec does otherwise than Kafka, and how it answers then.

A *deviation* is a trigger (a string whose length is -1, a tagged field that is not known, ...) with an action
in place of Kafka's, and a scope. A *model* is the reference codec with a set of deviations: it predicts the
answer to a request. `search` finds deviations that predict what a codec answered, and tells a known deviation
from any other answer.
"""
