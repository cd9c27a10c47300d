import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;

/**
 * A port adapter without a translator: the whole protocol, and a skip where your code goes.
 * Run it with `java Adapter.java`, then type: {"op":"hello","protocol":1,"corpus":"1.0"}
 * Copy this file beside your translator and do the TODOs in order. stdout belongs to the protocol: System.err is free.
 */
public class Adapter {
    static final String HELLO = "{\"op\":\"hello\",\"protocol\":1,"
        // TODO 1: your port's name and version.
        + "\"port\":{\"name\":\"my-port\",\"language\":\"java\",\"version\":\"0.0.0\"},"
        // TODO 4: what it can do. A case that needs more is n/a, not wrong. Further words: openai, warnings, pointers,
        // toolkit, hooks, request_params, body_transform, declare, stream, and options of a client: retries, headers, …
        + "\"capabilities\":[\"anthropic\"]}";

    /** One call of your translator. Make the client anew each time: nothing may stay from one message to the next. */
    static String translate(Map<String, String> message) {
        String client = message.get("client"); // style, base_url, model, api_key, retries, …: honour them all
        // The request as JSON; or request_text, a JSON string holding its exact text, where tokens are the subject.
        String request = message.getOrDefault("request", message.get("request_text"));
        // TODO 2: read both with your JSON library, call your translator (`repeat` times, if that is there), and give back what it gave:
        // return "\"result\":" + {"text":"…","tool_calls":[{"id":"…","name":"…","arguments":"{…}"}],
        //     "finish_reason":"stop","usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}};
        // TODO 3: where it fails: kind is invalid-request (before any call), provider, transport or invalid-response.
        // return "\"error\":" + {"kind":"provider","status":429,"type":"rate_limit_error","message":"…"};
        return skip("no translator yet for " + client.length() + " and " + request.length() + " characters");
    }

    /** The reason may be any text; non-ASCII and control characters are escaped. */
    static String skip(String reason) {
        StringBuilder out = new StringBuilder("\"skip\":{\"reason\":\"");
        for (char c : reason.toCharArray())
            out.append(c == '"' || c == '\\' ? "\\" + c : c < ' ' || c > '~' ? String.format("\\u%04x", (int) c) : c);
        return out.append("\"}").toString();
    }

    /** The fields of a JSON object, each as its JSON text: all that the protocol itself needs to be read. */
    static Map<String, String> fields(String json) {
        Map<String, String> found = new LinkedHashMap<>();
        int depth = 0, start = json.indexOf('{') + 1;
        String name = null;
        for (int at = start; at < json.length(); at++) {
            char c = json.charAt(at);
            if (c == '"') {
                while (json.charAt(++at) != '"') if (json.charAt(at) == '\\') at++;
            } else if (depth == 0 && c == ':' && name == null) {
                name = json.substring(start, at).trim();
                start = at + 1;
            } else if (depth == 0 && (c == ',' || c == '}') && name != null) {
                found.put(name.substring(1, name.length() - 1), json.substring(start, at).trim());
                name = null;
                start = at + 1;
            } else depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        }
        return found;
    }

    public static void main(String[] args) throws IOException {
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = lines.readLine()) != null; ) { // the end of input means bye
            Map<String, String> message = fields(line);
            String op = message.get("op"), reply;
            if (op.equals("\"bye\"")) return;
            try {
                reply = op.equals("\"translate\"") ? translate(message) : skip("the port has no " + op);
            } catch (RuntimeException wrong) { // no outcome of the contract, yet no reason to die: the next case waits
                reply = skip("the port threw " + wrong);
            }
            System.out.println(op.equals("\"hello\"") ? HELLO : "{\"id\":" + message.get("id") + "," + reply + "}");
            System.out.flush();
        }
    }
}
