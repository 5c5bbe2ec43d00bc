"""Letter case carried over from an original to its surrogate."""


def match_case(surrogate: str, original: str) -> str:
    """``surrogate`` in capitals, in lower case or as it is, whichever ``original`` shows."""
    letters = [char for char in original if char.isalpha()]
    if len(letters) > 1 and all(char.isupper() for char in letters):
        return surrogate.upper()
    if letters and all(char.islower() for char in letters):
        return surrogate.lower()
    return surrogate
