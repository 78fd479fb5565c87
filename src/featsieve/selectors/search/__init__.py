"""Searches for subsets by a criterion, such as the accuracy of a learner."""
