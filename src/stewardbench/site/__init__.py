"""The static site: leaderboard, figures and episode explorer in one folder."""
