"""Telephone, fax and pager numbers, e-mail, web and network addresses."""

from deid_tasks.engine.detect.patterns.contacts import network_addresses, phones
from deid_tasks.engine.detect.patterns.rule import Rule

__all__ = ["RULES"]

RULES = (
    Rule("telephone", phones.PHONE_TRIGGER, phones.read_phone),
    Rule("labelled telephone", phones.LABELLED_PHONE_TRIGGER, phones.read_labelled_phone),
    Rule("partly spelled telephone", phones.SPELLED_TRIGGER, phones.read_spelled_phone),
    Rule("pager", phones.PAGER_TRIGGER, phones.read_pager),
    Rule("extension", phones.EXTENSION_TRIGGER, phones.read_extension),
    Rule("e-mail", network_addresses.EMAIL_TRIGGER, network_addresses.read_email),
    Rule("spoken e-mail", network_addresses.SPOKEN_EMAIL_TRIGGER, network_addresses.read_spoken_email),
    Rule("web address", network_addresses.URL_TRIGGER, network_addresses.read_url),
    Rule("network share", network_addresses.SHARE_TRIGGER, network_addresses.read_network_share),
    Rule("network address", network_addresses.NETWORK_TRIGGER, network_addresses.read_network_address),
)
"""The rules of this room."""
