"""Server-sent events from bytes, whatever the cuts (clause `stream.framing`, wire-facts F2). No IO.

Bytes are framed first and decoded after, so that no character is torn. The official SDKs' own parsers lose the first
event behind a BOM and raise on bytes that are no UTF-8, which is why this one exists (F2, measured).
"""

from __future__ import annotations

_BOM = b"\xef\xbb\xbf"


class SSE:
    """`feed` bytes, get the data of each complete event; `rest` is what an ended body left unfinished.

    Memory: the bytes of the event that is not complete yet, nothing more.
    """

    __slots__ = ("_buffer", "_held_cr", "_searched", "_started")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0
        self._started = False
        self._held_cr = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of the events that `chunk` completes, in order; an event without data is none."""
        if not chunk:
            return []
        if not self._started:
            chunk = self._begin(chunk)
            if not self._started:
                return []
        if self._held_cr or b"\r" in chunk:
            chunk = self._line_feeds(chunk)
        buffer = self._buffer
        buffer += chunk
        # An end of event is two line feeds: the first may be the last byte that was searched before.
        end = buffer.rfind(b"\n\n", max(self._searched - 1, 0))
        if end < 0:
            self._searched = len(buffer)
            return []
        complete = bytes(buffer[:end])
        del buffer[: end + 2]
        self._searched = len(buffer)
        return [data for block in complete.split(b"\n\n") if (data := event_data(block)) is not None]

    def rest(self) -> bytes | None:
        """The data of a last event whose blank line never came, None where there is none."""
        return event_data(bytes(self._buffer).rstrip(b"\n")) if self._buffer else None

    def _begin(self, chunk: bytes) -> bytes:
        """Cuts one leading byte order mark, also one that comes in pieces."""
        chunk = bytes(self._buffer) + chunk
        self._buffer.clear()
        if len(chunk) < len(_BOM) and _BOM.startswith(chunk):
            self._buffer += chunk
            return b""
        self._started = True
        return chunk.removeprefix(_BOM)

    def _line_feeds(self, chunk: bytes) -> bytes:
        """CRLF and lone CR as LF; a CR that ends a chunk is already a line end, and an LF that begins the next
        belongs to it.
        """
        if self._held_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        self._held_cr = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def event_data(block: bytes) -> bytes | None:
    """The data of one event's lines, joined with line feeds; None for an event without data."""
    # Almost every event is one `data: …` line, or an `event:` line and one.
    if block.startswith(b"event:"):
        _, _, line = block.partition(b"\n")
    else:
        line = block
    if line.startswith(b"data: ") and b"\n" not in line:
        return line[6:]
    lines = [value for line in block.split(b"\n") if (value := _data_line(line)) is not None]
    return b"\n".join(lines) if lines and lines != [b""] else None


def _data_line(line: bytes) -> bytes | None:
    name, colon, value = line.partition(b":")
    if name != b"data":
        return None
    return value.removeprefix(b" ") if colon else b""
