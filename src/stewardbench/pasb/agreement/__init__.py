"""How good the judge is: against human gold, against other judges, against itself, and on answers with known scores.

gold        human labels, read and brought to one score per unit
scores      every score of every rater, one row each
tables      agreement, confusion, repeats, drift, thresholds, probes
findings    what the tables say, in sentences
report      all of it for some run folders
"""
