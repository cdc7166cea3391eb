"""Speed, as ratios and CPU-seconds of one run. ``make bench`` runs every part, ``python -m bench NAME`` one."""
