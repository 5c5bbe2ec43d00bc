"""A large language model behind an endpoint."""
