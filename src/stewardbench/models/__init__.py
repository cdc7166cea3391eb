"""Model access: the loopback gateway, its upstreams, and scripted models with known answers."""
