"""Why a plan grants what it grants."""
