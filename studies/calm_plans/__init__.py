"""What calm plans cost over half a year, in five worlds."""
