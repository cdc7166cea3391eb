"""SovereignPA-Bench in the report: rows from run folders, the paper's tables and figures from rows."""
