from __future__ import annotations

import ipaddress

__all__ = ["is_this_machine"]


def is_this_machine(host: str) -> bool:
    """Whether only programs of this machine reach an address.

    Examples
    --------

    >>> from river_oa3.service.addresses import is_this_machine

    >>> is_this_machine('127.0.0.2'), is_this_machine('0.0.0.0')
    (True, False)

    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
