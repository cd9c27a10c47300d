"""What lint checks: each check is a small function over one case or over the whole corpus."""
