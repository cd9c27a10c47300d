"""Every mutant there is, by name: importing the themes registers them."""

from __future__ import annotations

import importlib
import pkgutil

from tests.mutants import faults
from tests.mutants.mutant import MUTANTS

THEMES = tuple(sorted(module.name for module in pkgutil.iter_modules(faults.__path__)))

for _theme in THEMES:
    importlib.import_module(f"{faults.__name__}.{_theme}")

__all__ = ["MUTANTS", "THEMES"]
