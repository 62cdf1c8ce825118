"""The data types of the harness, and its three interfaces: Adapter, Oracle, CaseSource."""
