"""The scikit-learn estimators, and how they are saved and loaded."""
