"""Amazon Comprehend Medical."""
