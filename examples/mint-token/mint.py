"""Makes tokens for Holdfast in a Python back end, with nothing but the standard library (3.8 and newer).

    python3 mint.py <file> <workspace> <role> <seconds>

The file holds the relay's secret (RELAY_SECRET). Call mint_token() after your own login has said who somebody is and
which workspace is theirs. For an Ed25519 key instead of the secret, sign the same text with the package `cryptography`
and say "EdDSA" in the header.
"""

import base64
import hashlib
import hmac
import json
import secrets
import sys
import time


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def mint_token(secret: str, workspace: str, role: str, seconds: int) -> str:
    now = int(time.time())
    header = {"alg": "HS256", "typ": "JWT"}
    claims = {"ws": workspace, "role": role, "iat": now, "exp": now + seconds, "jti": secrets.token_urlsafe(12)}
    signed = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
    signature = hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64url(signature)}"


if __name__ == "__main__":
    file, workspace, role, seconds = sys.argv[1:]
    with open(file, encoding="utf-8") as opened:
        print(mint_token(opened.read().strip(), workspace, role, int(seconds)))
