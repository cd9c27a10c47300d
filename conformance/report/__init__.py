"""Reports: one event log, and what renders from it."""
