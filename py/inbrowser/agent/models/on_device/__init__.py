"""Models that run in the page: a GGUF file, and the browser's own."""
