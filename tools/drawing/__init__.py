"""Dimensioned drawings of parts: orthographic views with everything one needs to make the part.

Start reading at ``draw.py``. What a drawing says: ``callout``. What it is made of: ``paper`` with
``lettering``. Where things go: ``sheet`` (frame, title block, scales), ``grid`` (views on the
sheet), ``plan`` (one view with its callouts, ``origin`` and ``rounds``), ``linear``, ``leaders``
and ``angles`` (places for one callout), ``crowd`` (what is taken). What comes out: ``record``,
``raster``, ``svg``. ``read_back`` reads a finished drawing like a stranger.

Lengths on paper are mm of an A4 sheet, x right and y down; larger sheets are shrunk to it, so
that text and lines look alike on all of them. Nothing here imports a CAD kernel.
"""
