"""Recorded replies are not part of the repository: without a folder of them there is nothing to collect."""

from __future__ import annotations

import os

collect_ignore = [] if os.environ.get("TOOLNEXUS_RECORDINGS") else ["test_recordings.py"]
