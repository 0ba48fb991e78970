"""Reads and writes addresses of IPv6, which needs no socket; the interpreter was built without."""

import ipaddress
import socket

_pton, _ntop = socket.inet_pton, socket.inet_ntop


def connect() -> None:
    """Have `socket.inet_pton` and `socket.inet_ntop` know IPv6."""
    socket.inet_pton, socket.inet_ntop = _inet_pton, _inet_ntop


def _inet_pton(address_family: int, ip_string: str) -> bytes:
    if address_family != socket.AF_INET6:
        return _pton(address_family, ip_string)
    try:
        if "%" not in ip_string:
            return ipaddress.IPv6Address(ip_string).packed
    except ValueError:
        pass
    raise OSError("illegal IP address string passed to inet_pton")


def _inet_ntop(address_family: int, packed_ip: bytes) -> str:
    if address_family != socket.AF_INET6:
        return _ntop(address_family, packed_ip)
    if len(packed_ip) != 16:
        raise ValueError("invalid length of packed IP address string")
    return str(ipaddress.IPv6Address(bytes(packed_ip)))
