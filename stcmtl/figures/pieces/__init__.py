"""What figures are made of: colours, orders, the simplex, heatmaps, picking, words on a figure."""
