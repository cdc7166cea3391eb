"""Intervals, clustered and paired estimates, agreement: pure functions on arrays, on numpy, scipy and friends.

    interval     Interval, Wilson
    shares       shares whose episodes come in clusters: Wilson on the design effect, sums by MOVER
    clustered    the intervals of tables and changes: shares and differences, said by the caller
    bootstrap    whole clusters drawn with replacement, for joint and simultaneous statements
    simultaneous one level for many intervals that hold together
    paired       effects on the same task or situation
    hypothesis   sign test, McNemar, Holm
    correlation  Spearman
    agreement    Krippendorff's alpha, exact / within one / at threshold
    within       gaps between episodes of the same item
    selection    matched and inverse-probability-weighted gaps, overlap
    power        minimum detectable effect
    coverage     what the intervals hold, by simulation

Arrays go in, small frozen results come out. Rates and gaps are fractions here; percent is a matter of printing.
"""

from stewardbench.statistics.agreement import PairAgreement, ordinal_alpha, ordinal_alpha_interval, pair_agreement
from stewardbench.statistics.bootstrap import Estimand, cluster_means, cluster_sums, resampled_estimates
from stewardbench.statistics.clustered import (
    change_interval,
    clustered_estimates,
    clustered_ratio_interval,
    clustered_ratio_intervals,
)
from stewardbench.statistics.correlation import Correlation, spearman
from stewardbench.statistics.hypothesis import McNemar, SignTest, holm, mcnemar, sign_test
from stewardbench.statistics.interval import Interval, wilson, wilson_bounds
from stewardbench.statistics.paired import PairedEffect, paired_effect
from stewardbench.statistics.power import clusters_needed, minimum_detectable_effect
from stewardbench.statistics.selection import (
    MatchedGap,
    Overlap,
    WeightedGap,
    comparable,
    matched_gap,
    propensities,
    weighted_gap,
)
from stewardbench.statistics.simultaneous import simultaneous_level
from stewardbench.statistics.within import within_gap

__all__ = [
    "Correlation",
    "Estimand",
    "Interval",
    "MatchedGap",
    "McNemar",
    "Overlap",
    "PairAgreement",
    "PairedEffect",
    "SignTest",
    "WeightedGap",
    "change_interval",
    "cluster_means",
    "cluster_sums",
    "clustered_estimates",
    "clustered_ratio_interval",
    "clustered_ratio_intervals",
    "clusters_needed",
    "comparable",
    "holm",
    "matched_gap",
    "mcnemar",
    "minimum_detectable_effect",
    "ordinal_alpha",
    "ordinal_alpha_interval",
    "pair_agreement",
    "paired_effect",
    "propensities",
    "resampled_estimates",
    "sign_test",
    "simultaneous_level",
    "spearman",
    "weighted_gap",
    "wilson",
    "wilson_bounds",
    "within_gap",
]
