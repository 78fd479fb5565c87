"""What other packages of featsieve use of `report`, beside what users import."""

from featsieve.report._plain_pages import comparison_page, reproduction_page
