"""Bytes of connections: segment files, streams, frames, exchanges, and the messages inside frames.

Everything here takes bytes and returns values. No module opens a socket or a file, or imports Java or Spark.
The capture, the corpus, the client judge and the Spark jobs share this package.
"""
