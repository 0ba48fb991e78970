"""OpenAI's chat completions, and the many servers that speak them."""
