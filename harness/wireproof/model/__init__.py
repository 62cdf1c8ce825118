"""The nouns, and the three faces: Adapter, Oracle, CaseSource."""
