"""How this machine reaches package indexes: its proxies, certificates and mirrors, never a password.

Dependencies are installed by code of the repository's choosing, so what it is told of the network is
a list of known names, and of those only values that hold no login.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from iris_harness.config.environment import variables

_NAMES = frozenset(
    """
    all_proxy ftp_proxy http_proxy https_proxy no_proxy
    ssl_cert_file ssl_cert_dir curl_ca_bundle requests_ca_bundle node_extra_ca_certs git_ssl_cainfo
    pip_cert pip_index_url pip_extra_index_url pip_find_links pip_default_timeout pip_trusted_host
    uv_index_url uv_default_index uv_index uv_find_links uv_native_tls
    npm_config_registry npm_config_cafile yarn_npm_registry_server
    goproxy gosumdb gonosumdb cargo_http_cainfo cargo_http_proxy cargo_registries_crates_io_protocol
    bundle_mirror gem_host maven_repo_url composer_repo_packagist hex_mirror hex_cacerts_path
    """.split()  # noqa: SIM905 - a word list is read as words
)
_LOGIN = re.compile(r"://[^/\s@]*@")


def network_variables(given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the variables about the network that a run may see; None takes the process's own."""
    environment = variables() if given is None else given
    return {
        name: value
        for name, value in sorted(environment.items())
        if name.lower() in _NAMES and value and not _LOGIN.search(value)
    }
