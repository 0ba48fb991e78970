"""OpenAI's Responses, stateless."""
