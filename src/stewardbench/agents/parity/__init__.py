"""Is the measured agent the agent that people run? The stock program and our driver, request by request.

log          a model server that keeps every request body, and answers as the user's text says
talk         the conversation that both sides hold
terminal     a program in a pseudo-terminal, driven by what it prints
programs     the stock conversations: the agent's own program, as its user starts it
driver       the same conversation through our driver
normal       bodies and files with what may differ by nature taken out: homes, ids, clock
golden       a normalised conversation as a file
pins         which installation of an agent such a file stands for
compare      every place where two normalised conversations differ
declared     which differences are declared, with reasons (``differences.yaml``)
page         the declared differences as a page
"""
