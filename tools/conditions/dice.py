"""The random numbers of the generator. The same seed always gives the same corpus, whereas the numbers of a library may
change with its version."""

MASK = (1 << 64) - 1
GOLDEN = 0x9E37_79B9_7F4A_7C15


class Dice:
    """A stream of random numbers (SplitMix64)."""

    def __init__(self, seed, purpose):
        """A stream depends on a seed and a purpose, so that more numbers for one purpose change none of another."""
        state = 0xCBF2_9CE4_8422_2325 ^ (seed * GOLDEN & MASK)
        for byte in purpose.encode():
            state = (state ^ byte) * 0x100_0000_01B3 & MASK
        self.state = state

    def next(self):
        self.state = z = (self.state + GOLDEN) & MASK
        z = (z ^ (z >> 30)) * 0xBF58_476D_1CE4_E5B9 & MASK
        z = (z ^ (z >> 27)) * 0x94D0_49BB_1331_11EB & MASK
        return z ^ (z >> 31)

    def below(self, end):
        """A number from 0 up to `end`, without it."""
        return self.next() % end

    def within(self, first, last):
        """A number of a range, with both ends."""
        return first + self.below(last - first + 1)

    def share(self):
        """From 0 to 1."""
        return (self.next() >> 11) / (1 << 53)

    def permille(self, n):
        """True in so many of a thousand cases."""
        return self.below(1000) < n

    def pick(self, items):
        """One of a list."""
        return items[self.below(len(items))]

    def weighted(self, weights):
        """An index, drawn by weights."""
        left = self.below(sum(weights))
        for at, weight in enumerate(weights):
            if left < weight:
                return at
            left -= weight
        raise AssertionError("what is left is below the sum")

    def shuffle(self, items):
        """Shuffles a list in place."""
        for at in range(len(items) - 1, 0, -1):
            other = self.below(at + 1)
            items[at], items[other] = items[other], items[at]
