"""The protobuf messages, compiled at run time from Protocol/messages.

Spec: Protocol/00-index.md section 4
"""

import os
from pathlib import Path

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

from .faults import BrokenRule

_folder = Path(__file__).resolve().parents[3] / "Protocol" / "messages"
_cache = Path(os.environ.get("LATCHKEY_PEER_CACHE", "")) / "messages.desc"


def _compile() -> bytes:
    """Return the descriptor set of the schemas, compiled again if a schema is newer than the stored
    one.
    """
    sources = sorted(_folder.glob("*.proto"))
    newest = max(source.stat().st_mtime for source in sources)
    if _cache.is_file() and _cache.stat().st_mtime > newest:
        return _cache.read_bytes()
    from grpc_tools import protoc

    made = _cache.with_suffix(f".{os.getpid()}")
    arguments = ["protoc", f"-I{_folder}", f"--descriptor_set_out={made}", *map(str, sources)]
    if protoc.main(arguments) != 0:
        raise SystemExit("The schemas in Protocol/messages do not compile: mend them, then start again.")
    os.replace(made, _cache)
    return _cache.read_bytes()


_pool = descriptor_pool.DescriptorPool()
for _file in descriptor_pb2.FileDescriptorSet.FromString(_compile()).file:
    _pool.Add(_file)


def __getattr__(name: str):
    """Return the class of a message of the schemas, such as `schema.Command`."""
    try:
        made = message_factory.GetMessageClass(_pool.FindMessageTypeByName(f"latchkey.v1.{name}"))
    except KeyError:
        raise AttributeError(f"no message is called {name}") from None
    globals()[name] = made
    return made


def parse(kind, data: bytes):
    """Parse `data` as a message of `kind`; raise BrokenRule if it is malformed."""
    try:
        return kind.FromString(data)
    except (DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BrokenRule(f"a {kind.DESCRIPTOR.name} that cannot be read") from error
