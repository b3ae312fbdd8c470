"""What figures are made of: colours, orders, geometry, heatmaps, words on a figure."""
