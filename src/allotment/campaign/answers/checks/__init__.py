"""Does the world still look as the model assumes? A calendar alarm, and warnings of drift and of bad fit."""
