"""Content parts that are no text, read once for every style: what kind, which type, which bytes.

Both OpenAI's parts (`image_url`, `input_audio`, `file`) and the neutral ones (`{type, mimeType, data|url, name?}`)
become one `Media` value; each style then says which of its blocks carries it (SPEC section 2, "Text, parts and
blocks").
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from msgspec import Struct

from toolnexus.errors import InvalidRequest

IMAGE_TYPES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
UNKNOWN_TYPE = "application/octet-stream"

NEUTRAL_KINDS = frozenset({"image", "file", "audio"})

_AUDIO_TYPES = {"mp3": "audio/mpeg"}
_SUFFIX_TYPES = {
    "pdf": "application/pdf",
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "txt": "text/plain",
    "csv": "text/csv",
    "md": "text/markdown",
}
_SIGNATURES = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"%PDF-"), "application/pdf"),
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_URL = re.compile(r"data:|[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n\f]+")


class Media(Struct):
    """One part that is no text: `kind` image, audio, file or a type nobody knows; `media_type` `""` when unknown.

    Exactly one of `data` (standard base64, padded, unbroken) and `url` is set where the part holds something a provider
    could read.
    """

    kind: str
    media_type: str = ""
    data: str | None = None
    url: str | None = None
    name: str | None = None
    corrected: bool = False

    @property
    def size(self) -> int:
        """The number of decoded bytes, 0 for a URL or an id."""
        if not self.data:
            return 0
        return len(self.data) // 4 * 3 - self.data[-2:].count("=")

    @property
    def placeholder(self) -> str:
        """The text that names the part where a provider cannot carry it (clause `anthropic.parts-placeholder`)."""
        return f"[unsupported {self.kind} part ({self.media_type or UNKNOWN_TYPE}, {self.size} bytes)]"

    def decoded(self) -> bytes:
        """The bytes themselves."""
        return base64.b64decode(self.data or "")


def is_neutral(part: dict[str, Any]) -> bool:
    """Whether a part is a neutral one: OpenAI's `file` part holds a `file`, Anthropic's blocks a `source`."""
    kind = part["type"]
    return kind in NEUTRAL_KINDS and kind not in part and "source" not in part


def read_media(part: dict[str, Any], pointer: str) -> Media:
    """The `Media` of a part that is no text. Raises `InvalidRequest` at a value that no reading makes sense of."""
    kind = part["type"]
    if is_neutral(part):
        return _neutral(part, pointer)
    reader = _READERS.get(kind)
    return reader(part, pointer) if reader else Media(kind)


def _neutral(part: dict[str, Any], pointer: str) -> Media:
    kind, data, url = part["type"], _text(part, "data", pointer), _text(part, "url", pointer)
    if (data is None) == (url is None):
        raise InvalidRequest(f"a neutral {kind} part holds exactly one of data and url", pointer)
    declared = normal_type(_text(part, "mimeType", pointer) or "")
    name = _text(part, "name", pointer)
    if url is not None:
        media = _from_url(kind, url, f"{pointer}/url")
        return Media(kind, declared or media.media_type, media.data, media.url, name, media.corrected)
    return _signed(Media(kind, declared, _base64(data or "", f"{pointer}/data"), None, name))


def _image_url(part: dict[str, Any], pointer: str) -> Media:
    image = part.get("image_url")
    url, at = image, f"{pointer}/image_url"
    if isinstance(image, dict):
        url, at = image.get("url"), f"{pointer}/image_url/url"
    if not isinstance(url, str) or not url.strip():
        raise InvalidRequest("an image_url part needs a URL", pointer if url is None else at)
    return _from_url("image", url.strip(), at)


def _input_audio(part: dict[str, Any], pointer: str) -> Media:
    audio = part.get("input_audio")
    if not isinstance(audio, dict):
        raise InvalidRequest("an input_audio part needs data and format", pointer)
    form = (_text(audio, "format", f"{pointer}/input_audio") or "").lower()
    data = _text(audio, "data", f"{pointer}/input_audio") or ""
    media_type = _AUDIO_TYPES.get(form, f"audio/{form}") if form else ""
    return Media("audio", media_type, _base64(data, f"{pointer}/input_audio/data"))


def _file(part: dict[str, Any], pointer: str) -> Media:
    at = f"{pointer}/file"
    file = part.get("file")
    if not isinstance(file, dict):
        raise InvalidRequest("a file part needs file_data or file_id", pointer if file is None else at)
    name, data = _text(file, "filename", at), _text(file, "file_data", at)
    if not data:
        if not _text(file, "file_id", at):
            raise InvalidRequest("a file part needs file_data or file_id", pointer)
        return Media("file", name=name)
    if _URL.match(data):
        media = _from_url("file", data, f"{at}/file_data")
        return Media("file", media.media_type, media.data, media.url, name, media.corrected)
    return _signed(Media("file", "", _base64(data, f"{at}/file_data"), None, name))


_READERS = {"image_url": _image_url, "input_audio": _input_audio, "file": _file}


def _text(value: dict[str, Any], key: str, pointer: str) -> str | None:
    text = value.get(key)
    if text is not None and not isinstance(text, str):
        raise InvalidRequest(f"{key} is no string", f"{pointer}/{key}")
    return text


def normal_type(declared: str) -> str:
    """A media type lower-cased, without parameters, `image/jpg` as `image/jpeg` (clause `anthropic.media-type`)."""
    media_type = declared.partition(";")[0].strip().lower()
    return "image/jpeg" if media_type == "image/jpg" else media_type


def suffix_type(name: str) -> str:
    """The media type a file name or URL path promises, `""` when it promises none."""
    return _SUFFIX_TYPES.get(name.rpartition(".")[2].lower(), "") if "." in name else ""


def url_path(url: str) -> str:
    """The path of an http(s) URL, without query and fragment."""
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


def _from_url(kind: str, url: str, pointer: str) -> Media:
    scheme = url.partition(":")[0].lower()
    if scheme == "data":
        return _signed(_data_url(kind, url, pointer))
    if scheme in ("http", "https"):
        return Media(kind, url=url)
    return Media(kind)


def _data_url(kind: str, url: str, pointer: str) -> Media:
    head, comma, payload = url[len("data:") :].partition(",")
    if not comma:
        raise InvalidRequest("a data URL needs a comma before its data", pointer)
    declared, *parameters = head.split(";")
    if any(parameter.strip().lower() == "base64" for parameter in parameters):
        data = _base64(payload, pointer)
    else:
        data = base64.b64encode(unquote_to_bytes(payload)).decode()
    return Media(kind, normal_type(declared), data)


def _base64(data: str, pointer: str) -> str:
    """Standard base64, padded and unbroken. Raises `InvalidRequest` where it is none (B8 49)."""
    if len(data) % 4 or not _BASE64.fullmatch(data):
        data = _SPACE.sub("", data).replace("-", "+").replace("_", "/").rstrip("=")
        data += "=" * (-len(data) % 4)
        if len(data.rstrip("=")) % 4 == 1 or not _BASE64.fullmatch(data):
            raise InvalidRequest("the data is no base64", pointer)
    return data


def _signed(media: Media) -> Media:
    """Reads the real type from the first bytes: the declared one only counts where they say nothing (B8 48)."""
    real = _signature(media.data or "")
    if media.kind == "audio" or (media.kind == "image" and real == "application/pdf"):
        return media
    if not media.media_type:
        return Media(media.kind, real or suffix_type(media.name or ""), media.data, None, media.name)
    if real and real != media.media_type and not media.media_type.startswith("text/"):
        return Media(media.kind, real, media.data, None, media.name, corrected=True)
    return media


def _signature(data: str) -> str:
    try:
        first = binascii.a2b_base64(data[:24])
    except binascii.Error:
        return ""
    for pattern, media_type in _SIGNATURES:
        if pattern.match(first):
            return media_type
    return ""
