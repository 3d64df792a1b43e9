"""Fixtures for tests of applications that send mail."""
