"""Accuracy and speed of the token-classification models by themselves, and comparisons of ways to train them."""
