"""PASB's tables and figures (paper sections 5, A.7 and C; specification section 12), from per-episode rows.

rows        run folders -> one row per task, the attempt that counts
indicators  each row's contribution to every metric, asked of ``stewardbench.pasb.measure.metrics``
tables      Tables 2, 9, 10, 11, 12, 13
boundary    the commit boundary: pooled, per run, macro, net of control arms, adjusted for selection
panels      Figures 3a, 3c, 3d, 4, 5, 7, 9, 10 and the mitigation table
"""
