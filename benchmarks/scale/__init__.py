"""What the whole platform costs as notes grow in number, stage by stage."""
