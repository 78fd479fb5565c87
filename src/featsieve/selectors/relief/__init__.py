"""What ReliefF and MultiSURF share."""
