"""From the report's tables to what pages show: one module per benchmark, and what both need of a tidy frame."""
