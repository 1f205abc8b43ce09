"""Numbers as people read them."""


def about(number: int) -> str:
    """Two digits: of an estimate, more would claim too much."""
    if number < 100:
        return str(number)
    unit: int = 10 ** (len(str(number)) - 2)
    return f"{number // unit * unit:,}"
