"""Settings of the site: tools/make_site.py copies them beside the pages and runs Sphinx."""
project = "Orma"
copyright = "the authors of Orma"  # noqa: A001
extensions = ["myst_parser"]
myst_heading_anchors = 5
html_theme = "furo"
html_title = "Orma"
html_static_path = ["_static"]
html_css_files = ["orma.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f6f5c", "color-brand-content": "#1b6a8a"},
    "dark_css_variables": {"color-brand-primary": "#6fcdb4", "color-brand-content": "#7cc4e4"},
}
# Blocks without a language are what programs print.
highlight_language = "text"
suppress_warnings = ["misc.highlighting_failure"]
