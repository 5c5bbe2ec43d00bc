"""Letter case carried over from an original to its surrogate."""


def match_case(surrogate: str, original: str) -> str:
    """``surrogate`` in capitals, in lower case or as it is, whichever ``original`` shows; one capital alone shows nothing."""
    if original.islower():
        return surrogate.lower()
    if original.isupper() and ((original.isalpha() and len(original) > 1) or sum(map(str.isalpha, original)) > 1):
        return surrogate.upper()
    return surrogate
