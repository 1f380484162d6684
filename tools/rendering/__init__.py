"""Rendering: pictures of parts.

Start reading at ``client.py`` (main process) or ``views.py`` (what is drawn). The main process:
``client``, ``process``, ``wire``. The worker: ``worker``, ``jobs``. Pictures: ``views``,
``section`` with ``clip``, ``overlay``, ``picture_overlay``, laid out by ``layout`` and labelled by
``ink``. What is drawn: ``scene``, ``topology``, ``framing``, ``camera``, ``look``. Backends behind
the interface in ``frame``: ``moderngl_backend`` with ``shaders`` and ``gl_resources``,
``pyrender_backend`` with ``pyrender_offscreen``, ``raycast_backend``; ``lines`` draws edges for
those without a line shader; ``backends`` chooses and probes them.
"""
