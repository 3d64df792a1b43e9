# Made from ../_async/__init__.py by tools/unasync.py: change that file instead.
"""The client on httpx.Client."""
