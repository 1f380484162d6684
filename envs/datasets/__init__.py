"""Public data sets as suites; start at ``registry``."""
