"""How the project's test cluster is made: a real kind cluster, also where no image can be pulled.

Standard library only, so that `make cluster` needs no virtual environment. What to do is decided in
`decide.py` from the facts that `facts.py` gathered; everything else carries it out.
"""
