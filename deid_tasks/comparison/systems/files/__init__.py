"""Outputs of another tool."""
