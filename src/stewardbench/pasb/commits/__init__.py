"""Whether a claim stands in durable state: read by words, read by a model, joined, and corrected by people's labels."""
