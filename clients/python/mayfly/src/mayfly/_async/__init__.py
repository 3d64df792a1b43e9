"""The client on httpx.AsyncClient. `_sync` is made from this folder by tools/unasync.py."""
