"""Azure AI Language."""
