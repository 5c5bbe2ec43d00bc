"""This platform's engine with its public resources."""
