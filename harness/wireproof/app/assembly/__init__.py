"""Object composition: releases, oracles, codecs, ledgers and corpora put together for a run.

The command line, the library, worker processes and Spark jobs begin here. Nothing here imports click.
"""
