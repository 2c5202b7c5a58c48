"""The `headrace` command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from socket import gethostname

from headrace import __version__
from headrace.cli import demo
from headrace.world.jars import FetchFailed
from headrace.world.java import NoJava
from headrace.world.local import BrokerFailed
from headrace.world.ports import NoFreePort


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0 if it did what was asked."""
    args = _parser().parse_args(argv)
    try:
        match args.command:
            case "operator":
                from headrace.cli import operator  # noqa: PLC0415  # what it needs takes a second to import

                return operator.run(args)
            case _:
                return demo.run(os.environ, args.records, args.rate)
    except (BrokerFailed, FetchFailed, NoFreePort, NoJava, demo.DemoFailed) as why:
        print(f"headrace {args.command}: {why}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130  # what a shell says of a program that a Ctrl-C ended


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="headrace", description="Event streams: brokers, topics and stream jobs.")
    parser.add_argument("--version", action="version", version=f"headrace {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    what = "a Kafka broker on this machine, killed while records come in; then every record is counted"
    show = commands.add_parser("demo", help=what, description=f"Show {what}. Needs Java 17 and Maven, no Kubernetes.")
    show.add_argument("--records", type=_positive, default=20_000, help="how many (default: %(default)s)")
    show.add_argument("--rate", type=_positive, default=2_500, help="how many a second (default: %(default)s)")
    what = "the operator itself, as its pod does"
    run = commands.add_parser("operator", help=f"run {what}", description=f"Run {what}.")
    env = os.environ
    run.add_argument("--broker-image", default=env.get("HEADRACE_BROKER_IMAGE"), help="image of Kafka nodes")
    run.add_argument(
        "--kafka-version", default=env.get("HEADRACE_KAFKA_VERSION", "4.3.1"), help="what that image holds"
    )
    run.add_argument(
        "--watch", default=env.get("HEADRACE_WATCH", ""), help="namespaces, separated by commas (default: all of them)"
    )
    run.add_argument("--namespace", default=env.get("POD_NAMESPACE", "default"), help="where its Lease is")
    run.add_argument("--lease", default="headrace-operator", help="name of the Lease (default: %(default)s)")
    run.add_argument("--identity", default=env.get("POD_NAME", gethostname()), help="who holds the Lease")
    run.add_argument("--first", type=Path, help="a directory with Brokers to make, once, if they are not there")
    run.add_argument(
        "--port", type=_positive, default=8080, help="of /healthz, /readyz, /metrics (default: %(default)s)"
    )
    run.add_argument("--log-format", choices=["json", "plain"], default="json", help="default: %(default)s")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not a positive number")
    return number


if __name__ == "__main__":
    sys.exit(main())
