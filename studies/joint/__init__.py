"""How Joint should decide: the study of its decision rule."""
