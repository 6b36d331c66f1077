"""Bounds on regions and prices of launches and transfers, which targets set and fusions keep to."""
