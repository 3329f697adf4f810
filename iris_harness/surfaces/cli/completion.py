"""`iris completion`: the shell's own completion script, made by click."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

_PROGRAM = "iris"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    bash: add `eval "$(iris completion bash)"` to ~/.bashrc; zsh likewise in ~/.zshrc;
    fish: iris completion fish > ~/.config/fish/completions/iris.fish
    """
    maker = get_completion_class(shell)
    if maker is None:  # click knows all three names above
        raise click.UsageError(f"no completion for {shell}")
    root = ctx.find_root().command
    click.echo(maker(root, {}, _PROGRAM, "_IRIS_COMPLETE").source())
