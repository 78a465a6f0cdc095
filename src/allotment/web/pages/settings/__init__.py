"""Settings: the campaign, groups, places, outlines, sessions. Changes are shown before they are kept."""
