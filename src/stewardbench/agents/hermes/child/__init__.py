"""What runs inside Hermes-Agent's own interpreter: the standard library and Hermes only, nothing of stewardbench."""
