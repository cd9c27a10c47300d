"""Tools to write cases: choosing, trying, blessing, recording and serving them; `conformance.cli` has their verbs."""
