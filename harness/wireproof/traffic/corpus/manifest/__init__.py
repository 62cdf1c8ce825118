"""The version of a corpus, and the content that it was given for."""

from wireproof.traffic.corpus.manifest.corpus_manifest import (
    FIRST_VERSION,
    MANIFEST,
    ContentDifference,
    CorpusManifest,
)

__all__ = ["FIRST_VERSION", "MANIFEST", "ContentDifference", "CorpusManifest"]
