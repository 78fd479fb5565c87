"""What other packages of featsieve use of `diversity`, beside what users import."""

from featsieve.diversity._diversity_report import report_of
