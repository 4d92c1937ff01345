import hashlib
import hmac
import os
import pickle
import random
import ssl
import subprocess
import uuid

import requests


def fits(secret, given, session, request, secrets_table):
    # ruleid: secret-compared-by-value
    if secret == given:
        return True
    # ruleid: secret-compared-by-value
    if session.csrf != request.headers["x-csrf-token"]:
        return False
    # ok: secret-compared-by-value
    if secrets_table.c.secret_hash == given:
        return True
    # ok: secret-compared-by-value
    return hmac.compare_digest(secret, given)


def digests(content):
    # ruleid: weak-hash
    hashlib.md5(content)
    # ruleid: weak-hash
    hashlib.sha1(content)
    # ruleid: weak-hash
    hashlib.new("md5", content)
    # ok: weak-hash
    hashlib.sha256(content)


def make():
    # ruleid: guessable
    random.choice("abc")
    # ruleid: guessable
    uuid.uuid1()
    # ok: guessable
    uuid.uuid4()


def ask(address, context):
    # ruleid: unchecked-line
    requests.get(address, verify=False)
    # ruleid: unchecked-line
    context.check_hostname = False
    # ruleid: unchecked-line
    context.verify_mode = ssl.CERT_NONE
    # ok: unchecked-line
    requests.get(address, timeout=5)


def run(name):
    # ruleid: through-a-shell
    subprocess.run(f"ls {name}", shell=True)
    # ruleid: through-a-shell
    os.system(f"ls {name}")
    # ok: through-a-shell
    subprocess.run(["ls", name], check=True)


def read(content):
    # ruleid: code-from-data
    eval(content)
    # ruleid: code-from-data
    pickle.loads(content)
    # ok: code-from-data
    int(content)
