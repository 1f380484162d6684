"""Local vision-language models: loading, checking, generating with a cache that outlives a turn.

Nothing here imports torch or transformers at import time; both come with ``cadwright[agent]``.
"""
