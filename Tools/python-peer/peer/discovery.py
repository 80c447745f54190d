"""Finding inviters and known devices by mDNS; this peer has no listener, so it announces nothing.

Spec: Protocol/02-discovery.md
"""

import hmac
import ipaddress
import queue
import re
from collections.abc import Iterator
from dataclasses import dataclass

import ifaddr
from zeroconf import ServiceBrowser, ServiceInfo, Zeroconf

from .frames import now

_TYPE = "_latchkey._tcp.local."
_LEFT_OUT = ("docker", "br-", "veth", "virbr", "cni")


@dataclass(frozen=True)
class Announcement:
    """The announcement of one instance."""

    addresses: tuple[tuple[str, int], ...]
    nonce: bytes
    hint: bytes
    discriminators: frozenset[int]

    def is_of(self, device: bytes, discovery_keys: list[bytes]) -> bool:
        """Tell whether the hint is that of a device of our household."""
        if len(self.nonce) != 8 or len(self.hint) != 8:
            return False
        return any(hmac.compare_digest(hint(key, self.nonce, device), self.hint) for key in discovery_keys)


def hint(discovery_key: bytes, nonce: bytes, device: bytes) -> bytes:
    """Return the hint that a device of the household announces with `nonce`."""
    return hmac.digest(discovery_key, nonce + device, "sha256")[:8]


def read_text(text: bytes) -> dict[str, bytes]:
    """Read a TXT record, which any host may have written."""
    values: dict[str, bytes] = {}
    entries, at = 0, 0
    while at < len(text) and entries < 16 and at + 1 + text[at] <= min(len(text), 1_300):
        key, _, value = text[at + 1 : at + 1 + text[at]].partition(b"=")
        at, entries = at + 1 + text[at], entries + 1
        if key and all(0x20 <= byte <= 0x7E for byte in key):
            values.setdefault(key.decode("ascii").lower(), value)
    return values


def announcement(text: bytes, addresses: list[str], port: int, on_loopback: bool) -> Announcement | None:
    """Return the announcement of an instance; None if it is unusable."""
    values = read_text(text)
    parsed = {text: ipaddress.ip_address(text) for text in addresses}
    usable = [
        text
        for text, ip in parsed.items()
        if not ip.is_unspecified and not ip.is_multicast and (on_loopback or not ip.is_loopback)
    ]
    usable.sort(key=lambda text: (parsed[text].version, parsed[text].is_link_local, parsed[text].packed))
    if values.get("v") != b"1" or not usable or not port:
        return None
    return Announcement(
        tuple((address, port) for address in usable[:16]),
        values.get("n", b""),
        values.get("h", b""),
        _discriminators(values.get("d", b"")),
    )


def _discriminators(value: bytes) -> frozenset[int]:
    """Read the open codes of an announcement; there are none if any part is malformed."""
    parts = value.split(b",")
    if len(parts) > 16 or not all(re.fullmatch(rb"0|[1-9][0-9]{0,3}", part) and int(part) <= 1023 for part in parts):
        return frozenset()
    return frozenset(map(int, parts))


def _addresses(interfaces: list[str] | None) -> list[str]:
    """Return the IPv4 addresses of the interfaces to look on."""
    found = {
        adapter.name: [ip.ip for ip in adapter.ips if ip.is_IPv4] for adapter in ifaddr.get_adapters() if adapter.ips
    }
    if interfaces is None:
        interfaces = [name for name in found if name != "lo" and not name.startswith(_LEFT_OUT)]
        if not any(found[name] for name in interfaces):
            interfaces = ["lo"]
    return [address for name in interfaces for address in found.get(name, [])][:16]


def search(interfaces: list[str] | None, seconds: float) -> Iterator[Announcement]:
    """Yield announcements as they are seen, until `seconds` have passed."""
    seen: queue.Queue[str] = queue.Queue(4_096)

    def changed(zeroconf, service_type, name, state_change):
        if not seen.full():
            seen.put(name)

    deadline = now() + seconds
    addresses = _addresses(interfaces)
    on_loopback = any(ipaddress.ip_address(address).is_loopback for address in addresses)
    zeroconf = Zeroconf(interfaces=addresses)
    try:
        browser = ServiceBrowser(zeroconf, _TYPE, handlers=[changed])
        while (left := deadline - now()) > 0:
            try:
                name = seen.get(timeout=left)
            except queue.Empty:
                break
            info = ServiceInfo(_TYPE, name)
            if not info.request(zeroconf, min(3_000, max(1, int(1_000 * (deadline - now()))))):
                continue
            told = announcement(info.text or b"", info.parsed_scoped_addresses(), info.port or 0, on_loopback)
            if told is not None:
                yield told
        browser.cancel()
    finally:
        zeroconf.close()
