"""What a matched line means where a name, the context or the other lines have to be asked.

Every function takes a `Match` and returns the verdict, or None where the line means nothing after
all. `DECISIONS` names them as rules.toml does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from iris_harness.daemon.failures import libraries, modules, outside, programs, runtimes
from iris_harness.daemon.failures.match import Match
from iris_harness.daemon.failures.model import Verdict

Decide = Callable[[Match], Verdict | None]

DECISIONS: Mapping[str, Decide] = {
    decide.__name__: decide
    for decide in (
        libraries.errno_permission,
        libraries.header,
        libraries.link_library,
        libraries.permission_below,
        libraries.php_class_extension,
        libraries.php_extension,
        libraries.php_function,
        libraries.python_extension,
        libraries.shared_library,
        libraries.submodule,
        libraries.system_package,
        libraries.tool_header,
        modules.crystal_file,
        modules.declared,
        modules.eslint_config,
        modules.go_module,
        modules.go_package,
        modules.haskell_module,
        modules.jest_part,
        modules.julia_package,
        modules.lua_module,
        modules.nim_file,
        modules.node_module,
        modules.node_types,
        modules.opam_library,
        modules.perl_module,
        modules.php_file,
        modules.pytest_arguments,
        modules.python_distribution,
        modules.python_module,
        modules.python_name,
        modules.quoted_names,
        modules.ruby_file,
        outside.api_key,
        outside.disk,
        outside.display,
        outside.dns,
        outside.docker,
        outside.environ_key,
        outside.git_credentials,
        outside.import_host,
        outside.memory,
        outside.missing_env,
        outside.no_network,
        outside.open_files,
        outside.pip_retry,
        outside.port_in_use,
        outside.port_service,
        outside.proxy,
        outside.ruby_env,
        outside.settings_field,
        outside.tls,
        outside.unauthorized,
        outside.unreachable,
        programs.argument_file,
        programs.bad_format,
        programs.build_program,
        programs.cargo_subcommand,
        programs.executable,
        programs.go_no_tests,
        programs.known_program,
        programs.make_missing,
        programs.make_target,
        programs.no_tests,
        programs.none_selected,
        programs.not_executable,
        programs.pytest_path,
        programs.rake_task,
        programs.script_file,
        programs.script_or_executable,
        programs.spawned,
        programs.unknown_option,
        runtimes.asdf_version,
        runtimes.cabal_program,
        runtimes.cargo_feature,
        runtimes.class_file,
        runtimes.class_file_too_new,
        runtimes.dart_sdk,
        runtimes.go_directive,
        runtimes.java_source,
        runtimes.libc,
        runtimes.node_global,
        runtimes.node_option,
        runtimes.pnpm_engine,
        runtimes.python_attribute,
        runtimes.python_env,
    )
}
