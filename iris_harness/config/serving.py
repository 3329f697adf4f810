"""Settings of the server: where it listens, who may reach it, and how often."""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, StrictBool, StrictStr, model_validator

from iris_harness.config.sections import Section, problem
from iris_harness.config.shapes import as_list

_HOST_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")


def _file(value: object) -> object:
    if isinstance(value, str) and value.strip():
        return Path(value).expanduser()
    return value


def _networks(values: tuple[str, ...]) -> tuple[str, ...]:
    for index, value in enumerate(values):
        try:
            ipaddress.ip_network(value, strict=False)
        except ValueError:
            raise problem(f"{value!r} is no address", at=(index,)) from None
    return values


def _host_names(values: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(value.lower() for value in values)
    for index, name in enumerate(names):
        if not _HOST_NAME.fullmatch(name):
            raise problem(f"{name!r} is no host name; leave scheme and port out", at=(index,))
    return names


Networks = Annotated[tuple[StrictStr, ...], BeforeValidator(as_list), AfterValidator(_networks)]
_NETWORKS_FORM = "a list of addresses or networks, as 192.168.1.20 or 192.168.1.0/24"
Port = Annotated[int, Field(strict=True, ge=0, le=65_535)]
_PORT_FORM = "a whole number, 0 to 65535; 0 takes one that is free"
PemFile = Annotated[Path, BeforeValidator(_file)]


class Server(Section):
    """How `iris serve` is reached."""

    host: StrictStr = Field(
        default="127.0.0.1",
        description="Address to listen on; one that others reach needs TLS or a proxy.",
        json_schema_extra={"expected": "an address of this machine, or a name of it"},
    )
    port: Port = Field(
        default=7474, description="Port to listen on.", json_schema_extra={"expected": _PORT_FORM}
    )
    socket: StrictBool = Field(
        default=True,
        description="Whether `iris ask` is answered by a running server.",
        json_schema_extra={"expected": "true or false"},
    )
    names: Annotated[
        tuple[StrictStr, ...], BeforeValidator(as_list), AfterValidator(_host_names)
    ] = Field(
        default=(),
        description="Names the server goes by besides this machine's own.",
        json_schema_extra={"expected": "a list of host names, as iris.example.org"},
    )
    tls_certificate: PemFile | None = Field(
        default=None,
        description="File of the certificate and its chain (PEM).",
        json_schema_extra={"expected": "the path of a file"},
    )
    tls_key: PemFile | None = Field(
        default=None,
        description="File of the certificate's key (PEM).",
        json_schema_extra={"expected": "the path of a file"},
    )
    proxies: Networks = Field(
        default=(),
        description="Reverse proxies that are believed about who asks, and whether over TLS.",
        json_schema_extra={"expected": _NETWORKS_FORM},
    )
    requests_per_minute: Annotated[int, Field(strict=True, ge=1, le=1_000_000)] = Field(
        default=600,
        description="Requests that one token may make in a minute.",
        json_schema_extra={"expected": "a whole number, 1 to 1000000"},
    )
    feed_days: Annotated[int, Field(strict=True, ge=1, le=31)] = Field(
        default=7,
        description="Days that a subscribed calendar shows, today among them.",
        json_schema_extra={"expected": "a whole number of days, 1 to 31"},
    )
    grace_seconds: Annotated[int, Field(strict=True, ge=0, le=30)] = Field(
        default=20,
        description="How long running questions may go on once the server is told to stop.",
        json_schema_extra={"expected": "a whole number of seconds, 0 to 30"},
    )
    log: Literal["text", "json"] = Field(
        default="text",
        description="Form of the log on the error stream.",
        json_schema_extra={"expected": "text or json"},
    )

    @model_validator(mode="after")
    def _certificate_has_its_key(self) -> Self:
        if (self.tls_certificate is None) != (self.tls_key is None):
            missing = "tls_key" if self.tls_key is None else "tls_certificate"
            raise problem("tls_certificate and tls_key go together", at=(missing,))
        return self


class Voice(Section):
    """How voice assistants reach `iris serve`."""

    port: Port | None = Field(
        default=None,
        description="Port for the Wyoming protocol; None: voice is off.",
        json_schema_extra={"expected": _PORT_FORM},
    )
    host: StrictStr = Field(
        default="127.0.0.1",
        description="Address to listen on; one that others reach needs `allow`.",
        json_schema_extra={"expected": "an address of this machine, or a name of it"},
    )
    allow: Networks = Field(
        default=(),
        description="Who may ask besides this machine: Wyoming has no login.",
        json_schema_extra={"expected": _NETWORKS_FORM},
    )
    zeroconf: StrictBool = Field(
        default=False,
        description="Whether Home Assistant is told by itself where Iris listens.",
        json_schema_extra={"expected": "true or false"},
    )
