"""Check: alarms and warnings about the model's assumptions."""
