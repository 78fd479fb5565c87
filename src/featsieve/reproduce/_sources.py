"""Where the data sets of the works are found: OpenML, and scikit-learn's own fetchers.

A mark is a digest of the rows that our numbers were checked with: values of numeric
columns, and which rows of a nominal one are alike, whatever the names of its levels.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["NOT_THERE", "SOURCES", "Source"]

# Folder; number and name at OpenML; kinds of columns in turn, c nominal, n numeric;
# rows, and of a test file that OpenML joins to them; classes; mark of the rows.
TEXT = """
abalone                    183 abalone          cn7                  4177   0 28
    ffe41be0edd1f57e
australian               40981 Australian       cn2c3nc2nc2n2         690   0  2
    64d245c9d64cf44b
breast-cancer-wisconsin     15 breast-w         n9                    699   0  2
    629cfb38f0360557
cleveland-2class            49 heart-c          nc2n2c2ncncnc         303   0  2
    472129eed9174401
covertype                    - fetch_covtype    n10c44             581012   0  7
    9f6300479d1facc6
credit-a                    29 credit-approval  cn2c4nc2nc2n2         690   0  2
    23623cd87c9719a1
credit-g                    31 credit-g         cnc2nc2nc2ncnc2ncnc2 1000   0  2
    f94b39c51d27774f
eye_movements             1044 eye_movements    n4c2n13cn7          10936   0  3
    2b589fb88d1612e2
glass                       41 glass            n9                    214   0  6
    b10fa648ee632f8b
heart-statlog               53 heart-statlog    nc2n2c2ncncnc         270   0  2
    347ed5ed548aafe4
hepatitis                   55 hepatitis        nc12n5c               155   0  2
    90664f89145f6615
horse-colic                 27 colic            c2n3c9nc2n2cnc        300  68  2
    36f07710cd1aa5fc
house-votes-84              56 vote             c16                   435   0  2
    db3bad30b2d07963
hypothyroid                 57 hypothyroid      nc16ncncncncncnc     3772   0  4
    4232e5825f50dd00
ionosphere                  59 ionosphere       n34                   351   0  2
    bb9b2190af60120f
kddcup99-10pct               - fetch_kddcup99   nc3n2cn4cn8c2n19   494021   0 23
    50e260b3ab06cffc
kr-vs-kp                     3 kr-vs-kp         c36                  3196   0  2
    abf00b146bcfbbf2
labor                        4 labor            n4cncn2cnc5            57   0  2
    70aa46ff7a6b1aef
madelon                   1485 madelon          n500                 2000 600  2
    51514ede50894b8a
monks-1                    333 monks-problems-1 c6                    124 432  2
    a2398892151cf59e
monks-2                    334 monks-problems-2 c6                    169 432  2
    c15bc21d8cf73dbe
monks-3                    335 monks-problems-3 c6                    122 432  2
    233666df8b0bc433
mushroom                    24 mushroom         c22                  8124   0  2
    623076be0a04dd17
pima-diabetes               37 diabetes         n8                    768   0  2
    5f86d3dfa437061d
sick                        38 sick             nc16ncncncncncnc     3772   0  2
    d7c7293c013ab6d6
sonar                       40 sonar            n60                   208   0  2
    75fea69ba454ff16
soybean-large               42 soybean          c35                   307 376 19
    23b1ad71f5e5e3df
spect                      336 SPECT            c22                    80 187  2
    964855614516c1bd
vehicle                     54 vehicle          n18                   846   0  4
    4fbd97a8f2eb738b
zoo                         62 zoo              c12nc3                101   0  7
    6ed7f114579ccebf
"""
#: What cannot be fetched, and why.
NOT_THERE = {
    "echocardiogram": "OpenML has it only with months of survival as the target.",
}
#: Names that printed tables call columns by, where the source may have others.
NAMES = {
    "abalone": (
        *("Sex", "Length", "Diameter", "Height", "Whole_weight"),
        *("Shucked_weight", "Viscera_weight", "Shell_weight"),
    ),
    "covertype": (
        *("Elevation", "Aspect", "Slope", "Horizontal_Distance_To_Hydrology"),
        *("Vertical_Distance_To_Hydrology", "Horizontal_Distance_To_Roadways"),
        *("Hillshade_9am", "Hillshade_Noon", "Hillshade_3pm"),
        "Horizontal_Distance_To_Fire_Points",
        *(f"Wilderness_Area{k}" for k in range(1, 5)),
        *(f"Soil_Type{k}" for k in range(1, 41)),
    ),
}


@dataclass(frozen=True, slots=True)
class Source:
    """A data set as its source has it, and what it must be.

    Parameters
    ----------
    folder : str
        Our name.
    data_id : int or None
        Its number at OpenML; None if scikit-learn has a fetcher of its own.
    name : str
        Its name at OpenML, or of the fetcher.
    nominal : tuple of bool
        Whether each column is nominal.
    n_rows, n_test, n_classes : int
        Rows of the training file, rows of the test file that are joined to them, and
        classes that occur in training rows.
    mark : str
        Digest of the training rows.
    names : tuple of str, default=()
        Names for the columns; those of the source if there are none.
    """

    folder: str
    data_id: int | None
    name: str
    nominal: tuple[bool, ...]
    n_rows: int
    n_test: int
    n_classes: int
    mark: str
    names: tuple[str, ...] = ()


def _read(line: str) -> Source:
    folder, number, name, kinds, rows, test, classes, mark = line.split()
    nominal = tuple(
        kind == "c"
        for kind, count in re.findall(r"([cn])(\d*)", kinds)
        for _ in range(int(count or 1))
    )
    data_id = None if number == "-" else int(number)
    counts = int(rows), int(test), int(classes)
    return Source(folder, data_id, name, nominal, *counts, mark, NAMES.get(folder, ()))


_LINES = TEXT.strip().replace("\n    ", " ").splitlines()
SOURCES = {source.folder: source for source in map(_read, _LINES)}
