"""Network addresses: others that are routed nowhere in public."""

import ipaddress
import re

from deid_tasks.engine.obfuscate.keyed_choices import KeyedChoices
from deid_tasks.engine.obfuscate.note_context import NoteContext

_WRITTEN = re.compile(r"(?P<address>[\d.]+|[\da-f:.]+)(?P<rest>[:/]\d+)?", re.IGNORECASE | re.ASCII)
_DOCUMENTATION_NETWORKS = ("192.0.2", "198.51.100", "203.0.113")
"""Reserved for documentation by RFC 5737."""
_DOCUMENTATION_V6 = 0x20010DB8 << 96
_LINK_LOCAL_V6 = 0xFE80 << 112
_UNIQUE_LOCAL_V6 = 0xFD << 120


def replace_ip(value: str, context: NoteContext) -> str:
    """Return another network address; a port or a mask gets other digits.

    A private address stays private. A public one falls into the range that carriers share (RFC 6598), which does not
    look invented.
    """
    match = _WRITTEN.fullmatch(value)
    try:
        address = ipaddress.ip_address(match["address"] if match else value)
    except ValueError:
        return context.keyed.like(value, "ip")
    rest = context.keyed.like(match["rest"], "ip", "port") if match and match["rest"] else ""
    is_reserved = context.options.reserved_ranges
    if isinstance(address, ipaddress.IPv6Address):
        return _replace_v6(address, context.keyed, is_reserved=is_reserved) + rest
    return _replace_v4(address, context.keyed, is_reserved=is_reserved) + rest


def _replace_v6(address: ipaddress.IPv6Address, keyed: KeyedChoices, *, is_reserved: bool) -> str:
    if is_reserved:
        base, bits = _DOCUMENTATION_V6, 64
    elif address.is_link_local:
        base, bits = _LINK_LOCAL_V6, 64
    else:
        base, bits = _UNIQUE_LOCAL_V6, 120
    return str(ipaddress.ip_address(base + keyed.number(1 << bits, "ip", str(address))))


def _replace_v4(address: ipaddress.IPv4Address, keyed: KeyedChoices, *, is_reserved: bool) -> str:
    written = str(address)
    host = 1 + keyed.number(254, "ip", written, "host")
    if is_reserved:
        return f"{keyed.choice(_DOCUMENTATION_NETWORKS, 'ip', written)}.{host}"
    first, second, third, _ = written.split(".")
    other = keyed.number(254, "ip", written, "third")
    if first == "10":
        return f"10.{keyed.number(254, 'ip', written, 'second')}.{other}.{host}"
    if first == "192" and second == "168":
        return f"192.168.{other if str(other) != third else (other + 1) % 255}.{host}"
    if address.is_private:
        return f"172.{16 + keyed.number(16, 'ip', written, 'second')}.{other}.{host}"
    return f"100.{64 + keyed.number(64, 'ip', written, 'second')}.{other}.{host}"
