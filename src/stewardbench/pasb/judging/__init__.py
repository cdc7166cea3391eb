"""What a judge is asked, what it may see, and how its answer is read."""
