"""What other packages of featsieve use of `tallies`, beside what users import."""

from featsieve.tallies._tally import (
    MOST_VALUES,
    equal_frequency_cuts,
    equal_width_cuts,
    tally_codes,
    tally_numbers,
)
