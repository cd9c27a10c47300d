"""The stub as a plain HTTP service, for test suites in other languages."""
