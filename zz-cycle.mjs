// src/http/listen.ts
import { ServerResponse } from "node:http";
import {
  constants,
  createSecureServer
} from "node:http2";

// src/http/adapt-request.ts
function adaptRequest(message, signal, webSocket) {
  const headers = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (!name.startsWith(":")) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  const isHttp2 = message.httpVersionMajor === 2;
  const authority = message.headers[":authority"];
  if (headers.host === void 0 && typeof authority === "string") headers.host = authority;
  return {
    method: message.method ?? "GET",
    url: pathAndQuery(message.url ?? "/"),
    headers,
    body: { [Symbol.asyncIterator]: () => bytesOf(message) },
    // The address is gone once the socket is; it is read while it is there.
    remoteAddress: message.socket?.remoteAddress ?? "",
    httpVersion: isHttp2 ? "2" : "1.1",
    webSocket,
    signal
  };
}
function bytesOf(message) {
  return message.iterator({ destroyOnReturn: false });
}
function pathAndQuery(target) {
  if (target.startsWith("/")) return target;
  const authorityEnd = /^https?:\/\/[^/?#]*/i.exec(target)?.[0].length;
  if (authorityEnd === void 0) return `/${target}`;
  const rest = target.slice(authorityEnd);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

// src/lib/json-value.ts
function setMember(target, key, value) {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

// src/api/status.ts
var StatusError = class extends Error {
  status;
  constructor(status) {
    super(status.message ?? status.reason ?? "error");
    this.name = "StatusError";
    this.status = status;
  }
  get code() {
    return this.status.code ?? 500;
  }
};
function failure(code, reason, message, details, metadata = {}) {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata,
    status: "Failure",
    message,
    ...reason === void 0 ? {} : { reason },
    ...details === void 0 ? {} : { details },
    code
  });
}
function internalError(message) {
  return failure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
}

// src/http/client-error.ts
var malformed = {
  line: "400 Bad Request",
  code: 400,
  reason: "BadRequest",
  message: "the request could not be read as HTTP"
};
var overflow = {
  line: "431 Request Header Fields Too Large",
  code: 431,
  reason: "RequestEntityTooLarge",
  message: "the headers of the request are too large"
};
var refusals = {
  HPE_HEADER_OVERFLOW: overflow,
  ERR_HTTP_REQUEST_TIMEOUT: {
    line: "408 Request Timeout",
    code: 408,
    reason: "Timeout",
    message: "the request did not arrive in time"
  }
};
function refuseConnection(error, socket) {
  socket.on("error", () => socket.destroy());
  const cause = error.code ?? "";
  const isHttp = cause.startsWith("HPE_") || cause === "ERR_HTTP_REQUEST_TIMEOUT";
  if (!isHttp || !socket.writable || answerBegan(socket)) {
    socket.destroy();
    return;
  }
  const refusal = refusals[cause] ?? malformed;
  const body = `${JSON.stringify(statusOf(refusal))}
`;
  const headers = `Connection: close\r
Content-Type: application/json\r
Content-Length: ${Buffer.byteLength(body)}`;
  socket.end(`HTTP/1.1 ${refusal.line}\r
${headers}\r
\r
${body}`, () => socket.destroy());
}
function statusOf({ reason, message, code }) {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
}
function refuseLargeHeaders(rawHeaders, limit) {
  const bytes = rawHeaders.reduce((sum, text) => sum + text.length, rawHeaders.length * 16);
  if (bytes > limit) throw new StatusError(statusOf(overflow));
}
function answerBegan(socket) {
  const { _httpMessage: response } = socket;
  return response?.headersSent === true;
}

// src/http/media-type.ts
function parseMediaRange(text) {
  const [essence = "", ...rest] = splitOutsideQuotes(text, ";");
  const match = /^\s*([^\s/;,]+)\/([^\s/;,]+)\s*$/.exec(essence);
  const bare = essence.trim() === "*" ? "*" : void 0;
  const type = match?.[1] ?? bare;
  const subtype = match?.[2] ?? bare;
  if (type === void 0 || subtype === void 0) return void 0;
  const parameters = /* @__PURE__ */ new Map();
  for (const parameter of rest) {
    const equals = parameter.indexOf("=");
    const name = (equals < 0 ? parameter : parameter.slice(0, equals)).trim().toLowerCase();
    if (name !== "") parameters.set(name, unquote(equals < 0 ? "" : parameter.slice(equals + 1).trim()));
  }
  return { type: type.toLowerCase(), subtype: subtype.toLowerCase(), parameters };
}
function parseAccept(header) {
  const clauses = splitOutsideQuotes(header, ",").flatMap((text) => {
    const range = parseMediaRange(text);
    if (range === void 0) return [];
    const quality = Number(range.parameters.get("q") ?? 1);
    return [{ range, quality: Number.isFinite(quality) ? Math.min(Math.max(quality, 0), 1) : 1 }];
  });
  const exactness = (range) => range.type === "*" ? 0 : range.subtype === "*" ? 1 : 2;
  return clauses.filter((clause) => clause.quality > 0).sort((a, b) => b.quality - a.quality || exactness(b.range) - exactness(a.range)).map((clause) => clause.range);
}
function splitOutsideQuotes(text, separator) {
  if (!text.includes('"')) return text.split(separator);
  const parts = [];
  let quoted = false;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (quoted && text[at] === "\\") at++;
    else if (text[at] === '"') quoted = !quoted;
    else if (text[at] === separator && !quoted) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
function unquote(text) {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, "$1") : text;
}

// src/http/negotiate.ts
var mediaTypes = {
  json: "application/json",
  yaml: "application/yaml",
  protobuf: "application/vnd.kubernetes.protobuf"
};
function negotiateError(request, query) {
  const found = bestOf(request.headers.accept ?? "", { formats: ["json", "yaml"], transforms: false });
  if (found === void 0) return { format: "json", pretty: true };
  return { format: found.form.format, pretty: found.pretty || isPretty(request, query) };
}
function bestOf(header, options) {
  const [favourite = "json"] = options.formats;
  if (header.trim() === "") return { form: { format: favourite }, pretty: false };
  for (const clause of parseAccept(header)) {
    for (const format of options.formats) {
      if (!names(clause, format)) continue;
      const found = served(clause, format, options);
      if (found !== void 0) return found;
    }
  }
  return void 0;
}
function names(clause, format) {
  if (clause.type === "*") return clause.subtype === "*";
  if (clause.type !== "application") return false;
  return clause.subtype === "*" || `application/${clause.subtype}` === mediaTypes[format];
}
function served(clause, format, options) {
  const { parameters } = clause;
  const stream = parameters.get("stream") ?? "";
  if (stream !== "" && (stream !== "watch" || options.stream !== true)) return void 0;
  const serverVersion = parameters.get("sv") ?? "";
  if (serverVersion !== "" && serverVersion !== "v1") return void 0;
  const pretty = parameters.get("pretty") === "1";
  if (options.transforms === false) return { form: { format }, pretty };
  const wants = ["as", "g", "v"].some((name) => (parameters.get(name) ?? "") !== "");
  if (!wants) return { form: { format }, pretty };
  const transform = transformOf(parameters);
  return transform === void 0 || format === "protobuf" ? void 0 : { form: { format, transform }, pretty };
}
function transformOf(parameters) {
  const kind = parameters.get("as");
  const version = parameters.get("v");
  if (parameters.get("g") !== "meta.k8s.io" || version !== "v1" && version !== "v1beta1") return void 0;
  if (kind !== "Table" && kind !== "PartialObjectMetadata" && kind !== "PartialObjectMetadataList") return void 0;
  return { kind, version };
}
var readByPeople = /^(curl|Wget|Mozilla\/5\.0)/;
function isPretty(request, query) {
  const asked = query.get("pretty");
  if (asked !== null) return ["1", "t", "T", "true", "TRUE", "True"].includes(asked);
  return readByPeople.test(request.headers["user-agent"] ?? "");
}

// src/http/path-segments.ts
function rawQuery(url) {
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start + 1);
}

// src/lib/json-syntax-error.ts
var JsonSyntaxError = class extends Error {
  constructor(message) {
    super(message);
    this.name = "JsonSyntaxError";
  }
};
function invalidCharacter(text, at, context) {
  if (at >= text.length) return new JsonSyntaxError("unexpected end of JSON input");
  return new JsonSyntaxError(`invalid character ${quoteCharacter(text, at)} ${context}`);
}
var named = {
  "'": "\\'",
  '"': '"',
  "\\": "\\\\",
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "	": "\\t",
  "\v": "\\v"
};
function quoteCharacter(text, at) {
  const character = String.fromCharCode(firstByte(text.codePointAt(at) ?? 0));
  const escaped = named[character];
  if (escaped !== void 0) return `'${escaped}'`;
  const code = character.charCodeAt(0);
  if (code < 32 || code === 127) return `'\\x${code.toString(16).padStart(2, "0")}'`;
  return `'${character}'`;
}
function firstByte(codePoint) {
  if (codePoint < 128) return codePoint;
  if (codePoint < 2048) return 192 | codePoint >> 6;
  if (codePoint < 65536) return 224 | codePoint >> 12;
  return 240 | codePoint >> 18;
}

// src/lib/json-reader.ts
var maxDepth = 1e4;
var maxDuplicates = 100;
var largestInt64 = 9223372036854775807n;
var smallestInt64 = -9223372036854775808n;
var loneSurrogate = /\p{Surrogate}/gu;
var JsonReader = class {
  #text;
  #at = 0;
  #stack = [];
  duplicates = [];
  #seen = /* @__PURE__ */ new Set();
  constructor(text) {
    this.#text = text;
  }
  read() {
    let value = this.#beginValue();
    for (; ; ) {
      const frame = this.#stack.at(-1);
      if (frame === void 0) break;
      if (value === void 0) {
        value = this.#beginMember(frame, true);
      } else {
        this.#store(frame, value);
        value = this.#beginMember(frame, false);
      }
    }
    this.#skipSpace();
    if (this.#at < this.#text.length) throw invalidCharacter(this.#text, this.#at, "after top-level value");
    return value;
  }
  /** A scalar, or undefined after a container was opened. */
  #beginValue() {
    this.#skipSpace();
    const code = this.#text.charCodeAt(this.#at);
    switch (code) {
      case 34:
        return this.#string();
      case 123:
        this.#open({});
        return void 0;
      case 91:
        this.#open([]);
        return void 0;
      case 116:
        return this.#word("true", true);
      case 102:
        return this.#word("false", false);
      case 110:
        return this.#word("null", null);
      default:
        if (code === 45 || code >= 48 && code <= 57) return this.#number();
        throw invalidCharacter(this.#text, this.#at, "looking for beginning of value");
    }
  }
  #open(container) {
    if (this.#stack.length >= maxDepth) throw invalidCharacter(this.#text, this.#at, "exceeded max depth");
    this.#at++;
    this.#stack.push({ container, key: "" });
  }
  /** The next member's value if it is a scalar, undefined if it opened a container, or the container itself at its end. */
  #beginMember(frame, first) {
    this.#skipSpace();
    const code = this.#text.charCodeAt(this.#at);
    const isArray = Array.isArray(frame.container);
    if (code === (isArray ? 93 : 125)) {
      this.#at++;
      this.#stack.pop();
      return frame.container;
    }
    if (!first) {
      if (code !== 44) {
        const context = isArray ? "after array element" : "after object key:value pair";
        throw invalidCharacter(this.#text, this.#at, context);
      }
      this.#at++;
    }
    if (!Array.isArray(frame.container)) {
      frame.key = this.#key();
      if (Object.hasOwn(frame.container, frame.key)) this.#reportDuplicate();
    }
    return this.#beginValue();
  }
  #key() {
    this.#skipSpace();
    if (this.#text.charCodeAt(this.#at) !== 34) {
      throw invalidCharacter(this.#text, this.#at, "looking for beginning of object key string");
    }
    const key = this.#string();
    this.#skipSpace();
    if (this.#text.charCodeAt(this.#at) !== 58) throw invalidCharacter(this.#text, this.#at, "after object key");
    this.#at++;
    return key;
  }
  #store(frame, value) {
    if (Array.isArray(frame.container)) frame.container.push(value);
    else setMember(frame.container, frame.key, value);
  }
  #reportDuplicate() {
    if (this.duplicates.length >= maxDuplicates) return;
    const path = this.#stack.map(({ container, key }) => Array.isArray(container) ? `[${container.length}]` : `.${key}`).join("");
    const field = path.startsWith(".") ? path.slice(1) : path;
    if (this.#seen.has(field)) return;
    this.#seen.add(field);
    this.duplicates.push(field);
  }
  #skipSpace() {
    for (; ; ) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.#at++;
    }
  }
  #word(word, value) {
    for (let index = 1; index < word.length; index++) {
      if (this.#text[this.#at + index] !== word[index]) {
        const context = `in literal ${word} (expecting '${word[index]}')`;
        throw invalidCharacter(this.#text, this.#at + index, context);
      }
    }
    this.#at += word.length;
    return value;
  }
  #digits(context) {
    const start = this.#at;
    for (; ; ) {
      const code = this.#text.charCodeAt(this.#at);
      if (!(code >= 48 && code <= 57)) break;
      this.#at++;
    }
    if (this.#at === start) throw invalidCharacter(this.#text, this.#at, context);
  }
  #number() {
    const start = this.#at;
    let whole = true;
    if (this.#text[this.#at] === "-") this.#at++;
    if (this.#text[this.#at] === "0") this.#at++;
    else this.#digits("in numeric literal");
    if (this.#text[this.#at] === ".") {
      whole = false;
      this.#at++;
      this.#digits("after decimal point in numeric literal");
    }
    if (this.#text[this.#at] === "e" || this.#text[this.#at] === "E") {
      whole = false;
      this.#at++;
      if (this.#text[this.#at] === "+" || this.#text[this.#at] === "-") this.#at++;
      this.#digits("in exponent of numeric literal");
    }
    const digits = this.#text.slice(start, this.#at);
    return whole ? exactInteger(digits) : finite(digits);
  }
  #string() {
    const start = this.#at + 1;
    let at = start;
    for (; ; ) {
      const code = this.#text.charCodeAt(at);
      if (code === 34) {
        this.#at = at + 1;
        return this.#text.slice(start, at);
      }
      if (code === 92) return this.#stringWithEscapes(start, at);
      if (!(code >= 32)) throw invalidCharacter(this.#text, at, "in string literal");
      at++;
    }
  }
  /** Finds the end and checks the escapes; JSON.parse then unescapes, and halves of surrogate pairs become U+FFFD. */
  #stringWithEscapes(start, firstEscape) {
    let at = firstEscape;
    for (; ; ) {
      const code = this.#text.charCodeAt(at);
      if (code === 34) break;
      if (code === 92) at = this.#escape(at + 1);
      else if (code >= 32) at++;
      else throw invalidCharacter(this.#text, at, "in string literal");
    }
    this.#at = at + 1;
    return JSON.parse(this.#text.slice(start - 1, at + 1)).replace(loneSurrogate, "\uFFFD");
  }
  #escape(at) {
    const letter = this.#text[at] ?? "";
    if (letter === "" || !'"\\/bfnrtu'.includes(letter)) {
      throw invalidCharacter(this.#text, at, "in string escape code");
    }
    if (letter !== "u") return at + 1;
    for (let index = at + 1; index <= at + 4; index++) {
      if (!/^[0-9a-fA-F]$/.test(this.#text[index] ?? "")) {
        throw invalidCharacter(this.#text, index, "in \\u hexadecimal character escape");
      }
    }
    return at + 5;
  }
};
function exactInteger(digits) {
  const rounded = Number(digits);
  if (Number.isSafeInteger(rounded)) return rounded + 0;
  if (digits.length > 20) return finite(digits);
  const exact = BigInt(digits);
  return exact > largestInt64 || exact < smallestInt64 ? rounded : exact;
}
function finite(digits) {
  const value = Number(digits);
  if (Number.isFinite(value)) return value;
  throw new JsonSyntaxError(`json: cannot unmarshal number ${digits} into Go value of type float64`);
}

// src/lib/json-parse.ts
var longDigits = /\d{16}/;
function parseTrustedJson(text) {
  return longDigits.test(text) ? new JsonReader(text).read() : JSON.parse(text);
}

// src/http/indent-json.ts
function indentJson(compact) {
  const parts = [];
  let depth = 0;
  let at = 0;
  while (at < compact.length) {
    const character = compact[at];
    if (character === '"') {
      const end = endOfString(compact, at);
      parts.push(compact.slice(at, end));
      at = end;
      continue;
    }
    at++;
    if (character === "{" || character === "[") {
      const closing = compact[at];
      if (closing === "}" || closing === "]") {
        parts.push(character, closing);
        at++;
      } else {
        depth++;
        parts.push(character, newLine(depth));
      }
    } else if (character === "}" || character === "]") {
      depth--;
      parts.push(newLine(depth), character);
    } else if (character === ",") {
      parts.push(",", newLine(depth));
    } else {
      parts.push(character === ":" ? ": " : character);
    }
  }
  return parts.join("");
}
function endOfString(text, start) {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}
function newLine(depth) {
  return `
${"  ".repeat(depth)}`;
}

// src/http/yaml-text.ts
import { DUMP_SCHEMA, defineScalarTag, dump, intYaml11Tag, Schema } from "js-yaml";
var octal = /^[-+]?0o[0-7_]+$/;
var exactInt = defineScalarTag(intYaml11Tag.tagName, {
  implicit: true,
  implicitFirstChars: intYaml11Tag.implicitFirstChars,
  resolve: (source, isExplicit, tagName) => octal.test(source) ? 0 : intYaml11Tag.resolve(source, isExplicit, tagName),
  identify: (value) => typeof value === "bigint" || intYaml11Tag.identify(value),
  represent: (value) => typeof value === "bigint" ? value.toString() : intYaml11Tag.represent(value)
});
var schema = new Schema(DUMP_SCHEMA.tags.map((tag) => tag.tagName === exactInt.tagName ? exactInt : tag));
function yamlText(value) {
  return dump(value, { schema, lineWidth: -1, noRefs: true, sortKeys: true });
}

// src/http/render.ts
function render(json, status, form) {
  if (form.format === "yaml") {
    return { status, headers: { "content-type": mediaTypes.yaml }, body: yamlText(parseTrustedJson(json)) };
  }
  return {
    status,
    headers: { "content-type": mediaTypes.json },
    body: form.pretty ? indentJson(json) : `${json}
`
  };
}

// src/http/error-reply.ts
function errorReply(request, error, log, auditId) {
  const { status, code } = statusErrorOf(request, error, log, auditId);
  const form = negotiateError(request, new URLSearchParams(rawQuery(request.url)));
  const reply = render(JSON.stringify(status), code, form);
  reply.headers["x-content-type-options"] = "nosniff";
  const seconds = status.details?.retryAfterSeconds ?? 0;
  if (seconds > 0) reply.headers["retry-after"] = String(seconds);
  return reply;
}
function statusErrorOf(request, error, log, auditId) {
  if (error instanceof StatusError) return error;
  if (request.signal.aborted) return internalError("the request was given up");
  log.error({ err: error, auditId, method: request.method }, "request failed");
  return internalError("the server could not complete this request");
}

// src/http/exchange.ts
function isStream(reply) {
  return typeof reply.body === "object" && !(reply.body instanceof Uint8Array);
}

// src/http/listen-limits.ts
var defaultListenLimits = {
  headerBytes: 64 * 1024,
  headersMilliseconds: 1e4,
  requestMilliseconds: 6e4,
  checkMilliseconds: 2e3,
  handshakeMilliseconds: 1e4,
  idleMilliseconds: 12e4,
  stallMilliseconds: 6e4,
  streamsPerSession: 1e3,
  connections: 2e4
};

// src/http/live-connections.ts
var LiveConnections = class {
  /** HTTP/1.1 connections with the number of requests at work on them. */
  #sockets = /* @__PURE__ */ new Map();
  /** HTTP/2 sessions, likewise. */
  #sessions = /* @__PURE__ */ new Map();
  /** Every connection, also those whose handshake is still under way. */
  #raw = /* @__PURE__ */ new Set();
  #streams = /* @__PURE__ */ new Set();
  #requests = 0;
  #draining = false;
  #onIdle;
  get draining() {
    return this.#draining;
  }
  connectionOpened(socket) {
    this.#raw.add(socket);
    socket.once("close", () => this.#raw.delete(socket));
  }
  socketOpened(socket) {
    this.#sockets.set(socket, 0);
    socket.once("close", () => this.#sockets.delete(socket));
  }
  sessionOpened(session) {
    this.#sessions.set(session, 0);
    session.once("close", () => this.#sessions.delete(session));
    if (this.#draining) session.close();
  }
  isIdle(session) {
    return (this.#sessions.get(session) ?? 0) === 0;
  }
  /** A request came in on an HTTP/1.1 connection. Returns how it ends. */
  requestBegan(socket) {
    return this.#began(this.#sockets, socket, () => {
      if (this.#draining && (this.#sockets.get(socket) ?? 0) === 0) socket.end();
    });
  }
  /** The same on an HTTP/2 session, which closes by itself once its GOAWAY is out and its last stream is done. */
  streamRequestBegan(session) {
    return this.#began(this.#sessions, session, () => {
    });
  }
  #began(counts, connection, after) {
    const count = (change) => {
      const active = connection === void 0 ? void 0 : counts.get(connection);
      if (connection !== void 0 && active !== void 0) counts.set(connection, active + change);
    };
    this.#requests++;
    count(1);
    let ended2 = false;
    return () => {
      if (ended2) return;
      ended2 = true;
      this.#requests--;
      count(-1);
      after();
      if (this.#requests === 0) this.#onIdle?.();
    };
  }
  /** An answer goes out as a stream; a drain ends it through its request's signal. Returns how it ends by itself. */
  streamBegan(controller) {
    if (this.#draining) controller.abort(drainReason);
    this.#streams.add(controller);
    return () => this.#streams.delete(controller);
  }
  /** Ends streams, sends GOAWAY, closes what is idle; resolves once no request is at work any more. */
  drain() {
    this.#draining = true;
    for (const session of this.#sessions.keys()) session.close();
    for (const [socket, active] of this.#sockets) if (active === 0) socket.destroy();
    for (const controller of this.#streams) controller.abort(drainReason);
    return this.#requests === 0 ? Promise.resolve() : new Promise((resolve) => this.#onIdle = resolve);
  }
  destroyAll() {
    for (const session of this.#sessions.keys()) session.destroy();
    for (const socket of this.#raw) socket.destroy();
  }
};
var drainReason = new Error("the server is shutting down");

// src/http/web-socket.ts
import { WebSocket, WebSocketServer } from "ws";
var bearerProtocolPrefix = "base64url.bearer.authorization.k8s.io.";
var longestClientFrame = 64 * 1024;
var WebSocketStreams = class {
  #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: longestClientFrame,
    handleProtocols: (offered) => [...offered].find((name) => !name.startsWith(bearerProtocolPrefix)) ?? false
  });
  /** Resolves when the stream or the connection has ended. Throws if the stream does. */
  async send(message, socket, head, reply) {
    if (!isStream(reply)) return;
    const extra = Object.entries(reply.headers).filter(([name]) => name === "audit-id" || name === "warning");
    const addHeaders = (lines) => {
      for (const [name, value] of extra) for (const one of [value].flat()) lines.push(`${name}: ${one}`);
    };
    this.#server.once("headers", addHeaders);
    const webSocket = await new Promise((resolve, reject) => {
      socket.once("close", () => reject(new Error("closed")));
      this.#server.handleUpgrade(message, socket, head, resolve);
    }).catch(() => void 0);
    this.#server.off("headers", addHeaders);
    if (webSocket === void 0) return;
    webSocket.on("error", () => webSocket.terminate());
    try {
      for await (const chunk of reply.body) {
        for (const line of chunk.split("\n")) if (line !== "") await sent(webSocket, line);
        if (webSocket.readyState !== WebSocket.OPEN) break;
      }
      await closed(webSocket, 1e3);
    } catch (error) {
      await closed(webSocket, 1011);
      throw error;
    }
  }
};
function sent(webSocket, line) {
  return new Promise((resolve) => {
    if (webSocket.readyState !== WebSocket.OPEN) resolve();
    else webSocket.send(line, () => resolve());
  });
}
function closed(webSocket, code) {
  return new Promise((resolve) => {
    if (webSocket.readyState === WebSocket.CLOSED) resolve();
    else {
      webSocket.once("close", () => resolve());
      webSocket.close(code);
    }
  });
}

// src/http/write-reply.ts
import { promisify } from "node:util";
import { gzip } from "node:zlib";
var gzipThreshold = 128 * 1024;
var pieceLength = 256 * 1024;
var gzipAsync = promisify(gzip);
var connectionHeaders = /* @__PURE__ */ new Set(["connection", "keep-alive", "transfer-encoding"]);
async function writeReply(request, response, reply, options) {
  const headers = { ...reply.headers };
  if (request.httpVersion === "2") for (const name of connectionHeaders) delete headers[name];
  else if (options.closing) headers.connection = "close";
  const stopWatching = destroyWhenStalled(response, options.stallMilliseconds);
  try {
    if (isStream(reply)) await writeStream(request, response, { ...reply, headers }, reply.body, options.isGone);
    else await writeWhole(request, response, { ...reply, headers }, options.isGone);
  } finally {
    stopWatching();
  }
}
async function writeWhole(request, response, reply, isGone) {
  const { headers, body } = reply;
  let bytes = typeof body === "string" ? Buffer.from(body) : new Uint8Array();
  if (body instanceof Uint8Array) bytes = body;
  if (isHeadless(reply.status)) bytes = new Uint8Array();
  else if (takesGzip(request, headers, bytes)) {
    bytes = await gzipAsync(bytes, { level: 1 });
    headers["content-encoding"] = "gzip";
    headers.vary = "Accept-Encoding";
  }
  if (!isHeadless(reply.status)) headers["content-length"] = String(bytes.byteLength);
  if (isGone()) return;
  response.writeHead(reply.status, headers);
  if (request.method === "HEAD") bytes = new Uint8Array();
  let start = 0;
  for (; bytes.byteLength - start > pieceLength; start += pieceLength) {
    if (!response.write(bytes.subarray(start, start + pieceLength))) await drained(response, isGone);
    if (isGone()) return;
  }
  await ended(response, start === bytes.byteLength ? void 0 : bytes.subarray(start), isGone);
}
async function writeStream(request, response, reply, body, isGone) {
  if (isGone()) return;
  response.writeHead(reply.status, reply.headers);
  if (request.method !== "HEAD") {
    response.flushHeaders();
    for await (const chunk of body) {
      if (isGone()) return;
      if (!response.write(chunk)) await drained(response, isGone);
    }
  }
  await ended(response, void 0, isGone);
}
function isHeadless(status) {
  return status === 204 || status === 304;
}
function takesGzip(request, headers, bytes) {
  if (bytes.byteLength <= gzipThreshold || request.method === "HEAD") return false;
  if (headers["content-encoding"] !== void 0) return false;
  const accepted = (request.headers["accept-encoding"] ?? "").split(",");
  return accepted.some((clause) => /^\s*gzip\s*(;\s*q\s*=\s*(?!0(\.0*)?\s*$).*)?$/i.test(clause));
}
function ended(response, chunk, isGone) {
  return new Promise((resolve) => {
    response.once("finish", resolve);
    response.once("close", resolve);
    if (isGone()) resolve();
    else if (chunk === void 0) response.end();
    else response.end(chunk);
  });
}
function drained(response, isGone) {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
    if (isGone()) done();
  });
}
function destroyWhenStalled(response, milliseconds) {
  let waiting = 0;
  const timer = setInterval(() => {
    if (response.writableLength > 0 && response.writableLength === waiting) response.destroy();
    waiting = response.writableLength;
  }, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
}

// src/http/listen.ts
var overReason = new Error("the request is over");
async function listen(options) {
  const limits = { ...defaultListenLimits, ...options.limits };
  const { log } = options;
  const live = new LiveConnections();
  const webSockets = new WebSocketStreams();
  const server = createSecureServer({
    allowHTTP1: true,
    cert: options.tls.cert,
    key: options.tls.key,
    minVersion: "TLSv1.2",
    handshakeTimeout: limits.handshakeMilliseconds,
    settings: { maxConcurrentStreams: limits.streamsPerSession, maxHeaderListSize: limits.headerBytes },
    maxSessionInvalidFrames: 100,
    // Megabytes. Node's own 10 are soon reached by a few hundred streams, and a session beyond it refuses new ones.
    maxSessionMemory: 128
  });
  Object.assign(server, {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMilliseconds,
    requestTimeout: limits.requestMilliseconds,
    connectionsCheckingInterval: limits.checkMilliseconds,
    keepAliveTimeout: limits.idleMilliseconds,
    requireHostHeader: true
  });
  server.maxConnections = limits.connections;
  const answer = async (request, controller, run, write) => {
    const reply = await run(request).catch((error) => errorReply(request, error, log));
    const streamEnded = isStream(reply) ? live.streamBegan(controller) : void 0;
    try {
      await write(reply);
    } finally {
      streamEnded?.();
    }
  };
  const onRequest = async (message, response) => {
    const stream = "stream" in message ? message.stream : void 0;
    const requestEnded = stream === void 0 ? live.requestBegan(message.socket) : live.streamRequestBegan(stream.session);
    const controller = new AbortController();
    let gone = false;
    response.once("close", () => {
      gone = true;
      controller.abort(overReason);
    });
    stream?.once("aborted", () => stream.destroy());
    response.on("error", () => controller.abort(overReason));
    message.on("error", () => controller.abort(overReason));
    const request = adaptRequest(message, controller.signal, false);
    try {
      const run = async () => {
        if (stream !== void 0) refuseLargeHeaders(message.rawHeaders, limits.headerBytes);
        return await options.handler(request);
      };
      await answer(
        request,
        controller,
        run,
        (reply) => writeReply(request, response, reply, {
          stallMilliseconds: limits.stallMilliseconds,
          closing: live.draining,
          isGone: () => gone
        })
      );
      if (!message.complete) stream?.close(constants.NGHTTP2_NO_ERROR);
    } catch (error) {
      log.error({ err: error }, "an answer could not be written to its end");
      response.destroy();
    } finally {
      requestEnded();
    }
  };
  const onUpgrade = async (message, socket, head) => {
    const requestEnded = live.requestBegan(socket);
    const controller = new AbortController();
    socket.once("close", () => controller.abort(overReason));
    socket.on("error", () => socket.destroy());
    const wantsWebSocket = message.headers.upgrade?.toLowerCase() === "websocket";
    const request = adaptRequest(message, controller.signal, wantsWebSocket);
    try {
      await answer(request, controller, options.handler, async (reply) => {
        if (wantsWebSocket && reply.status === 200 && isStream(reply)) {
          const stopWatching = destroyWhenStalled(socket, limits.stallMilliseconds);
          await webSockets.send(message, socket, head, reply).finally(stopWatching);
          return;
        }
        const response = new ServerResponse(message);
        response.assignSocket(socket);
        await writeReply(request, response, reply, {
          stallMilliseconds: limits.stallMilliseconds,
          closing: true,
          isGone: () => socket.destroyed
        });
        response.detachSocket(socket);
        socket.end();
      });
    } catch (error) {
      log.error({ err: error }, "an answer could not be written to its end");
      socket.destroy();
    } finally {
      requestEnded();
    }
  };
  server.on("request", (message, response) => void onRequest(message, response));
  server.on(
    "upgrade",
    (message, socket, head) => void onUpgrade(message, socket, head)
  );
  server.on("session", (session) => {
    live.sessionOpened(session);
    session.setTimeout(limits.idleMilliseconds, () => {
      if (live.isIdle(session)) session.close();
    });
    session.on("error", (error) => log.debug({ err: error }, "session ended"));
  });
  server.on("connection", (socket) => live.connectionOpened(socket));
  server.on("secureConnection", (socket) => {
    socket.setKeepAlive(true, 3e4);
    socket.on("error", (error) => log.debug({ err: error }, "connection ended"));
    if (socket.alpnProtocol !== "h2") live.socketOpened(socket);
  });
  server.on("clientError", (error, socket) => refuseConnection(error, socket));
  server.on("sessionError", (error) => log.debug({ err: error }, "session ended"));
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  server.on("error", (error) => log.error({ err: error }, "the listener failed"));
  const { address, port } = server.address();
  return {
    address,
    port,
    updateTls: (cert2, key) => server.setSecureContext({ cert: cert2, key, minVersion: "TLSv1.2" }),
    async drain(timeoutMilliseconds) {
      const closed2 = new Promise((resolve) => server.close(() => resolve()));
      const over = new Promise((resolve) => setTimeout(resolve, timeoutMilliseconds).unref());
      await Promise.race([live.drain().then(() => closed2), over]);
      live.destroyAll();
      await closed2;
    }
  };
}

// test/harness/self-signed.ts
import { webcrypto } from "node:crypto";
import "reflect-metadata";
import { BasicConstraintsExtension, SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";
async function selfSigned(commonName = "localhost") {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=${commonName}`,
      notBefore: new Date(Date.now() - 36e5),
      notAfter: new Date(Date.now() + 864e5),
      keys,
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(true, void 0, true),
        new SubjectAlternativeNameExtension([
          { type: "dns", value: "localhost" },
          { type: "ip", value: "127.0.0.1" }
        ])
      ]
    },
    webcrypto
  );
  const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  const lines = der.toString("base64").replace(/.{64}/g, "$&\n");
  return {
    cert: certificate.toString("pem"),
    key: `-----BEGIN PRIVATE KEY-----
${lines}
-----END PRIVATE KEY-----
`
  };
}

// ../../tmp/stress/cycle.ts
import { connect } from "node:http2";
import { once } from "node:events";
import { fork } from "node:child_process";
var cert = await selfSigned();
var big = "x".repeat(4e7);
var inChild = process.env.CHILD === "1";
for (let i = 0; i < 15; i++) {
  const l = await listen({ host: "127.0.0.1", port: 0, tls: cert, log: { debug() {
  }, info() {
  }, warn() {
  }, error(m) {
    console.error(m);
  } }, handler: async ({ url }) => ({ status: 200, headers: {}, body: url === "/big" ? big : "small" }) });
  if (inChild) {
    const c = fork("/tmp/stress/big-client.mjs", [String(l.port)], { env: { ...process.env, CERT: cert.cert } });
    const [code, sig] = await once(c, "exit");
    if (code !== 0) console.log("CHILD", code, sig);
  } else {
    const session = connect(`https://127.0.0.1:${l.port}`, { ca: cert.cert });
    const unread = Array.from({ length: 3 }, () => session.request({ ":path": "/big" }));
    await Promise.all(unread.map((s) => once(s, "response")));
    const stream = session.request({ ":path": "/small" });
    stream.setEncoding("utf8");
    let text = "";
    for await (const c of stream) text += c;
    let length = 0;
    for await (const c of unread[0]) length += c.length;
    session.destroy();
  }
  await l.drain(500);
}
console.log("done");
