"""Our own port with one thing changed: what somebody does who changes a mapping, or gets one wrong."""

from __future__ import annotations

from typing import Any

from conformance.drivers import reference

Message = dict[str, Any]


class Finish(reference.Port):
    """A cut answer finishes as stop, and is warned about."""

    def handle(self, message: Message) -> Message:
        reply = super().handle(message)
        if reply.get("result", {}).get("finish_reason") == "length":
            reply["result"]["finish_reason"] = "stop"
            reply["warnings"].append({"code": "finish-reason-unmapped", "pointer": "/stop_reason"})
        return reply


class Refused(reference.Port):
    """Sends what the provider refuses."""

    def handle(self, message: Message) -> Message:
        return super().handle({**message, "body_transform": {"temperature": 7}})


class Unknown(reference.Port):
    """Sends a field that the vendor's types do not know."""

    def handle(self, message: Message) -> Message:
        return super().handle({**message, "body_transform": {"temprature": 1}})


class Early(reference.Port):
    """Takes every request for the caller's fault, and makes no call."""

    def handle(self, message: Message) -> Message:
        return {"id": message["id"], "error": {"kind": "invalid-request", "message": "no", "pointer": "/messages/0"}}


class Twice(reference.Port):
    """Makes every call two times."""

    def handle(self, message: Message) -> Message:
        super().handle(message)
        return super().handle(message)


class Raises(reference.Port):
    """Is broken."""

    def handle(self, message: Message) -> Message:
        raise RuntimeError("broken on purpose")
