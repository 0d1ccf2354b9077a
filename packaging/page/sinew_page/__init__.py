"""page.html, which sinew.viewer serves: see sinew_page.__path__."""
