"""How Sphinx builds the site; `make docs` writes it to build/site."""

import re
import shutil
import sys
from pathlib import Path

from pygments.lexers.special import TextLexer

import allotment

HERE = Path(__file__).parent
sys.path.append(str(HERE / "extensions"))

project = "allotment"
author = "The allotment developers"
copyright = author  # noqa: A001 - Sphinx's name for it
version = release = allotment.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "command_reference",
]
default_role = "code"  # docstrings write `name` as Markdown does

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 4

autodoc_default_options = {"members": True, "inherited-members": False}
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the sections on parameters have the types
numpydoc_show_class_members = False  # autodoc shows members in full
toc_object_entries_show_parents = "hide"  # long names of methods fit the sidebar without their class

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "image_scrapers": ["gallery_figures.save_figure"],
    "filename_pattern": r"\.py$",
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,  # build times say nothing to a reader
    "show_signature": False,
    "capture_repr": (),  # figures are shown, not what drawing them returns
}

html_theme = "pydata_sphinx_theme"
html_title = "allotment"
html_favicon = html_logo = "../src/allotment/web/static/icon.svg"
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system has it
html_static_path = ["static"]
html_css_files = ["site.css"]
html_sidebars = {"planner": [], "researcher": []}  # pages without a section
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_persistent": ["search-button"],  # the button with a field needs a second row at 1200 px
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "logo": {"text": "allotment"},
    "header_links_before_dropdown": 5,
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
}


def setup(app):
    """Register what Sphinx does not know by itself."""
    app.add_lexer("csv", TextLexer)
    app.add_lexer("slurm", TextLexer)
    app.connect("autodoc-skip-member", _skip_plain_fields)
    app.connect("autodoc-skip-member", _skip_contract_of_policies)
    app.connect("autodoc-process-signature", _hide_borrowed_signature)
    app.connect("autodoc-process-docstring", _link_pages)
    app.connect("build-finished", _copy_figures)


def _skip_plain_fields(app, what, name, member, skip, options):
    """Leave out fields of named tuples, whose sections on attributes say more than Python does."""
    return True if (member.__doc__ or "").startswith("Alias for field number") else None


def _skip_contract_of_policies(app, what, name, member, skip, options):
    """Leave out methods that policies have in common: `Policy` describes them once. Users call `plain`."""
    function = getattr(member, "fget", member)
    module = sys.modules.get(getattr(function, "__module__", None))
    owner = getattr(module, getattr(function, "__qualname__", "").rpartition(".")[0], None)
    if not (isinstance(owner, type) and issubclass(owner, allotment.Policy)):
        return None
    return True if name != "plain" and any(hasattr(base, name) for base in owner.__bases__) else None


def _hide_borrowed_signature(app, what, name, thing, options, signature, returned):
    """Hide signatures that come from `float` or `Protocol`, which say nothing about the class."""
    return ("", None) if signature in {"(x=0, /)", "(*args, **kwargs)"} else None


def _link_pages(app, what, name, thing, options, lines):
    """Link pages of this site that a docstring names by their path in the repository."""
    lines[:] = [re.sub(r"docs/([\w/-]+)\.md", r":doc:`/\1`", line) for line in lines]


def _copy_figures(app, error):
    """Copy figures that pages show with an HTML tag, which Sphinx does not follow."""
    if error is None:
        shutil.copytree(HERE / "figures", Path(app.outdir, "figures"), dirs_exist_ok=True)
