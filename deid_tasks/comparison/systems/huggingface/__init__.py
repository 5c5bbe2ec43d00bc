"""Any token classifier of the Hugging Face format."""
