"""The mutants, a theme a file."""
