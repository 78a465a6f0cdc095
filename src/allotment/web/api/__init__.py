"""The HTTP API, `/api/v1`: a thin room of routes that each check rights and call one method of `Campaign`.

- `application.py` puts the routes together; `door.py` in front of them asks for a token.
- `calls.py` is what routes ask for: `Reads`, `Reports` and `Plans` are a campaign and whoever calls.
- `bodies.py` has what requests hold, `answers.py` how answers become JSON, `schemas.py` their OpenAPI.
- The routes: `campaigns.py`, `plans.py`, `places.py`, `situations.py`, `questions.py`, `records.py`.
"""
