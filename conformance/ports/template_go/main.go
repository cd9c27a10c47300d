// A port adapter without a translator: the whole protocol, and a skip where your code goes.
//
//	go run .        then type: {"op":"hello","protocol":1,"corpus":"1.0"}
//
// Copy this folder beside your translator and do the TODOs in order. stdout belongs to the protocol; log to stderr.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
)

type object = map[string]any

// What comes in. Raw pieces keep number tokens and the order of keys; encoding/json into `any` keeps neither.
type message struct {
	Op          string          `json:"op"`
	ID          string          `json:"id"`
	Client      json.RawMessage `json:"client"`       // style, base_url, model, api_key, retries, …: honour them all
	Request     json.RawMessage `json:"request"`      // the request as JSON, or
	RequestText string          `json:"request_text"` // its exact text, where tokens or duplicate keys are the subject
}

var hello = object{
	"op":       "hello",
	"protocol": 1,
	// TODO 1: your port's name and version.
	"port": object{"name": "my-port", "language": "go", "version": "0.0.0"},
	// TODO 4: what it can do. A case that needs more is n/a, not wrong. Further words: openai, warnings, pointers,
	// toolkit, hooks, request_params, body_transform, declare, stream, and options of a client: retries, headers, …
	"capabilities": []string{"anthropic"},
}

// One call of your translator. Make the client anew each time: nothing may stay from one message to the next.
func translate(m message) object {
	// TODO 2: build a client from m.Client, hand it the request (`repeat` times, if that is there), and give back what it gave:
	// return object{"result": object{"text": "…", "finish_reason": "stop",
	// 	"tool_calls": []object{{"id": "…", "name": "…", "arguments": "{…}"}},
	// 	"usage":      object{"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}}}
	// TODO 3: where it fails: kind is invalid-request (before any call), provider, transport or invalid-response.
	// return object{"error": object{"kind": "provider", "status": 429, "type": "rate_limit_error", "message": "…"}}
	return object{"skip": object{"reason": fmt.Sprintf("no translator yet for %d bytes", len(m.Request))}}
}

// A panic is no outcome of the contract, yet no reason to die: the next case is waiting.
func answer(m message) (reply object) {
	defer func() {
		if wrong := recover(); wrong != nil {
			reply = object{"skip": object{"reason": fmt.Sprintf("the port panicked: %v", wrong)}}
		}
		reply["id"] = m.ID
	}()
	if m.Op != "translate" { // also: declare, stream
		return object{"skip": object{"reason": "the port has no " + m.Op}}
	}
	return translate(m)
}

func main() {
	lines, out := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout) // a Scanner would stop at 64 KiB
	for {
		line, err := lines.ReadBytes('\n')
		var m message
		if err == io.EOF || json.Unmarshal(line, &m) == nil && m.Op == "bye" {
			return
		}
		reply := hello
		if m.Op != "hello" {
			reply = answer(m)
		}
		if err := out.Encode(reply); err != nil {
			log.Fatal(err)
		}
	}
}
