"""Traces by URI: see resolver and registry."""
