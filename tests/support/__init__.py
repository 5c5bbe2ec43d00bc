"""What several test folders build on: invented people and notes, tiny models, and stand-ins for a site."""
