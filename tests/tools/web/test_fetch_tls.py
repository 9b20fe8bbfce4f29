"""The connection goes to the checked address, and the certificate has to be the name's."""

from __future__ import annotations

import datetime
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import ToolFailed
from callsheet.tools.web.fetcher import Fetcher
from callsheet.tools.web.guard import read_allow_list
from callsheet.tools.web.options import FetchOptions
from tests.fakes.website import NameService, website
from tests.tools.web.fetching import anything

BEGAN = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)


def certificate(folder: Path, name: str) -> Path:
    """One file with a key and its own certificate for `name`."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(BEGAN)
        .not_valid_after(BEGAN + datetime.timedelta(days=36_500))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / f"{name}.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return file


@pytest.mark.parametrize("issued_for", ["own.example", "other.example"])
async def test_the_name_counts_and_not_the_address(tmp_path: Path, issued_for: str) -> None:
    file = certificate(tmp_path, issued_for)
    names: list[str | None] = []
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(file)
    server.sni_callback = lambda _, name, __: names.append(name)
    trusted = ssl.create_default_context(cafile=str(file))
    async with website(server) as site:
        here = f"own.example:{site.port}"
        site.page("/", "secure", "text/plain")
        service = NameService({"own.example": ["127.0.0.1"]})
        fetcher = Fetcher(service, read_allow_list([here]), FetchOptions(), trusted)
        got = fetcher.fetch(f"https://{here}/", {}, Deadline.after(10), anything)
        if issued_for == "own.example":
            assert (await got).body == b"secure"
            assert site.requests[0].headers["Host"] == here
        else:
            with pytest.raises(ToolFailed, match="no certificate that is trusted"):
                await got
            assert site.requests == []
    assert names == ["own.example"]
    assert service.asked == ["own.example"]


async def test_a_certificate_that_nobody_trusts_is_refused(tmp_path: Path) -> None:
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate(tmp_path, "own.example"))
    async with website(server) as site:
        here = f"own.example:{site.port}"
        service = NameService({"own.example": ["127.0.0.1"]})
        fetcher = Fetcher(service, read_allow_list([here]), FetchOptions())
        with pytest.raises(ToolFailed, match="no certificate that is trusted"):
            await fetcher.fetch(f"https://{here}/", {}, Deadline.after(10), anything)
