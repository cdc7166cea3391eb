"""The tasks of PASB: base items in their source format, their layout into variants, loading, sampling, importing."""
