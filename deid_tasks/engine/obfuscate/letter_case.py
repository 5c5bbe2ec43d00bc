"""Letter case carried over from an original to its surrogate."""


def match_case(surrogate: str, original: str) -> str:
    """Return ``surrogate`` in the letter case of ``original``.

    An original in capitals gives capitals, one in lower case gives lower case; in any other case the surrogate stays as
    it is. A single capital letter decides nothing.
    """
    if original.islower():
        return surrogate.lower()
    if original.isupper() and ((original.isalpha() and len(original) > 1) or sum(map(str.isalpha, original)) > 1):
        return surrogate.upper()
    return surrogate
