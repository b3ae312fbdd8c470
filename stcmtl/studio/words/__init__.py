"""What pages say: headlines, help, names made safe for markdown."""
