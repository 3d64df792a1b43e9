"""What the service returns, one module a noun."""
