"""The pictures of README and of the documentation, made from real runs: ``python -m docs.pictures``.

`recipes` lists them. A cast is a terminal session as an animated SVG: `terminal` records it, `screens` turns
the bytes into screens, and `svg` draws them. A screenshot is a page in headless Chromium: `screenshots` takes
it. `manifest` keeps, for each picture, the hash of the recipe that made it; `upkeep` has the rules by which a
picture is current.
"""
