"""Tables and figures from stored records."""
