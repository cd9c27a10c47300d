"""Wrong translators: each is the reference port with one thing spoiled, and the corpus has to tell every one of them from it."""
