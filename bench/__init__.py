"""Speed, as ratios and CPU-seconds measured in one run. ``make bench`` runs every part; ``python -m bench NAME`` one."""
