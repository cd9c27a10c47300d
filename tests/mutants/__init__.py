"""Wrong translators: each is the reference port with one thing spoiled.

The corpus has to tell every one of them from the reference, and every case has to tell one at least (MATRIX.md).
"""
