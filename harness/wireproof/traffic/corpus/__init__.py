"""The golden corpus: entries about the bytes of one cell each, as text that diffs and greps.

`corpus/FORMAT.md` describes the files. Kafka's classes, captures and Spark jobs make entries; codecs are
compared with them. The package needs no Java; only `candidates` and `collection` use a codec.
"""
