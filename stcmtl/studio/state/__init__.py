"""What a browser session holds, and what links can say of it."""
