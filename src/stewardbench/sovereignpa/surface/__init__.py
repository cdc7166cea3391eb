"""The same scenarios as real web pages: a site with listings, option pages, a checkout form and an account to cancel.

    shop       requests become actions of an ordinary episode, and pages come back; no network here
    server     the shop behind a loopback address, for a person, a browser agent or a test
    browser    hands for an agent that reads and writes text: they read pages and fill forms in a real Chromium

Every form that is sent and every listing that is opened is one action of the text protocol, so platform, user, scorer
and logs are the same ones.
"""
