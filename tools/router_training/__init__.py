"""How the statistical tier of the router is made. Nothing here is part of the package."""
