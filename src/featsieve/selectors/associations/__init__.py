"""Associations of features with the class and with each other, and searches on them."""
