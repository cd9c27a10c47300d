"""The conformance kit: replays the corpus against a port and says, per clause, what holds."""
