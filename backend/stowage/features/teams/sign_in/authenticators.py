"""Web Authentication with py_webauthn: options for browsers, and checks of their responses. No database, no clock.

Import it only where it is used: the import takes 0.1 s, which would delay `stowage up`.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any, TypeVar

from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url, options_to_json_dict, parse_client_data_json
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)
from webauthn.registration.verify_registration_response import VerifiedRegistration

from stowage.features.teams.sign_in.passkeys import InvalidCredential, Site

Credential = Mapping[str, Any]
_Read = TypeVar("_Read")


def registration_options(
    site: Site, challenge: str, user_id: bytes, user_name: str, known: Iterable[bytes], within: timedelta
) -> dict[str, Any]:
    """Return the options with which a browser creates a passkey (PublicKeyCredentialCreationOptions), as JSON.

    Parameters
    ----------
    challenge : str
        In base64url.
    user_id : bytes
        At most 64 bytes, and no personal data.
    user_name : str
        Shown by the authenticator.
    known : iterable of bytes
        Credential IDs of the account: an authenticator that has one of them creates no second passkey.
    within : timedelta
        Time after which the browser stops waiting for the person.
    """
    options = generate_registration_options(
        rp_id=site.domain,
        rp_name="Stowage",
        user_id=user_id,
        user_name=user_name,
        challenge=base64url_to_bytes(challenge),
        timeout=_milliseconds(within),
        authenticator_selection=AuthenticatorSelectionCriteria(resident_key=ResidentKeyRequirement.PREFERRED),
        exclude_credentials=_descriptors(known),
    )
    return options_to_json_dict(options)


def authentication_options(site: Site, challenge: str, known: Iterable[bytes], within: timedelta) -> dict[str, Any]:
    """Return the options with which a browser uses a passkey (PublicKeyCredentialRequestOptions), as JSON.

    The parameters are those of `registration_options`.
    """
    options = generate_authentication_options(
        rp_id=site.domain,
        challenge=base64url_to_bytes(challenge),
        timeout=_milliseconds(within),
        allow_credentials=_descriptors(known),
        # The first factor came before: presence is enough if an authenticator has neither PIN nor fingerprint reader.
        user_verification=UserVerificationRequirement.PREFERRED,
    )
    return options_to_json_dict(options)


def challenge_of(credential: Credential) -> str:
    """Return the challenge that a credential claims to answer, in base64url.

    The claim is not verified.

    Raises
    ------
    InvalidCredential
    """
    return _read(
        lambda: bytes_to_base64url(
            parse_client_data_json(base64url_to_bytes(credential["response"]["clientDataJSON"])).challenge
        )
    )


def credential_id_of(credential: Credential) -> bytes:
    """Return the ID of a credential, without verifying it.

    Raises
    ------
    InvalidCredential
    """
    return _read(lambda: base64url_to_bytes(credential["rawId"]))


def verify_registration(credential: Credential, challenge: str, site: Site) -> VerifiedRegistration:
    """Verify that an authenticator created a passkey for this challenge at this site.

    Raises
    ------
    InvalidCredential
    """
    return _read(
        lambda: verify_registration_response(
            credential=dict(credential),
            expected_challenge=base64url_to_bytes(challenge),
            expected_rp_id=site.domain,
            expected_origin=site.origin,
            require_user_verification=False,
        )
    )


def verify_authentication(
    credential: Credential, challenge: str, site: Site, public_key: bytes, sign_count: int
) -> int:
    """Verify that the private key of a passkey signed this challenge at this site.

    Returns the new signature counter of the passkey.

    Raises
    ------
    InvalidCredential
        The verification failed, or the signature counter has not increased: the authenticator is a clone, or the
        response is a replay.
    """
    return _read(
        lambda: (
            verify_authentication_response(
                credential=dict(credential),
                expected_challenge=base64url_to_bytes(challenge),
                expected_rp_id=site.domain,
                expected_origin=site.origin,
                credential_public_key=public_key,
                credential_current_sign_count=sign_count,
                require_user_verification=False,
            ).new_sign_count
        )
    )


def _read(read: Callable[[], _Read]) -> _Read:
    try:
        return read()
    except Exception as error:
        # On malformed input the library also raises exceptions of its parsers (KeyError, TypeError, CBOR errors).
        raise InvalidCredential from error


def _descriptors(known: Iterable[bytes]) -> list[PublicKeyCredentialDescriptor]:
    return [PublicKeyCredentialDescriptor(each) for each in known]


def _milliseconds(time: timedelta) -> int:
    return time // timedelta(milliseconds=1)
