"""Figures that the documentation quotes, each from a command that can be run again; README.md lists them."""
