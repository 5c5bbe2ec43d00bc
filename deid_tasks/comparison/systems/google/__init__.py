"""Google Sensitive Data Protection."""
