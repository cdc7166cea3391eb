"""One episode of PASB: the protocol on one page, and what it is made of."""
