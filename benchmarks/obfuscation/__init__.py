"""Speed of the obfuscator, and what surrogates give away."""
