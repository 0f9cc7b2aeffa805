/** Owns the tables about the kit: tool fields, the context, effects, error codes, outbound limits. */
import type { Context, Effect, SharedErrorCode, Tool } from '@parley/kit';
import { hintsOf, httpStatusOf, RPC } from '@parley/kit';
import { DEFAULT_EGRESS_LIMITS } from '@parley/kit/egress';
import type { EgressLimits } from '@parley/kit/egress';
import { code, markdownTable, readable } from './markdown.ts';

// The records below name every key of a type, so a new field without words does not compile.
const toolFields: Record<Exclude<keyof Tool, 'kind' | 'granted'>, [need: 'yes' | '', meaning: string]> = {
  name: ['yes', '1 to 128 letters, digits, `_`, `.` or `-`; unique in its toolset; grants use it'],
  title: ['yes', 'what a person sees'],
  description: ['yes', 'what the model reads before it calls'],
  effect: ['yes', '`read`, `create`, `update`, `delete` or `run`; the four MCP hints follow from it'],
  external: ['', 'true: the tool reaches outside the system; sets `openWorldHint` and the lower rate limit'],
  faults: [
    '',
    '`result`: a fault of the server is a result with a reference to its log, not an error of the protocol',
  ],
  ownRate: ['', 'true: the tool limits how often it is called by itself; that lower rate does not count it'],
  privileged: [
    '',
    "true: a wildcard gives it to owners and administrators only; others need its name in a grant; `'by-name'`: everybody does",
  ],
  unattended: ['', "`'block'`: the tool is gone when nobody is watching, whatever was granted"],
  callers: ['', '`agents`: only callers that act as an agent have the tool'],
  available: ['', 'function of services and caller; false means the tool does not exist right now'],
  task: ['', "`'allowed'` or `'required'`: may, or must, run as a durable task"],
  taskOptions: [
    '',
    'version, time to live, inline limit and handle of the task, and whether only who can follow it gets one',
  ],
  comeBack: ['', 'how a caller who cannot follow tasks gets the result: by the same call once more'],
  prepare: ['', 'asks what must be known before the task exists; its value is `ctx.prepared`'],
  hints: ['', 'corrects a single hint that the effect gets wrong'],
  _meta: ['', 'what clients get as `_meta` of the definition, word for word'],
  input: ['yes', 'Zod object; unknown fields are refused; give every field `.describe()`'],
  output: [
    'yes',
    'Zod object; the answer is checked against it before it leaves. Clients get an outline of it: the fields of two levels with their types',
  ],
  errors: ['', "the tool's own error codes, one sentence each; they become types of `ctx.error`"],
  text: ['', 'output to one sentence; without it the text is compact JSON of the output'],
  content: ['', 'output to content blocks (image, audio, resource links); wins over `text`'],
  run: ['yes', 'the work; gets the parsed input and `ctx`; stands last so that types flow into it'],
};

const contextFields: Record<keyof Context, string> = {
  caller: 'who acts: id, name, organization, roles, grants, source, unattended',
  services: "what the toolset's `services` function built",
  request: 'id, era, client name and trace of the request; for display, never for a decision',
  connection:
    'the 2025 session or stdio process behind the request, with `onEnd`; absent when each request stands for itself',
  signal: 'fires when the call is cancelled or its client goes away',
  error: "`throw ctx.error('not_found', 'No such post.')`; shared codes and the tool's own are allowed",
  addMeta:
    "adds facts about the answer to the result's `_meta`, such as that a list was cut; names get the prefix `dev.parley/`",
  progress: '`await ctx.progress(done, total, message)`; silent when nobody asked for progress',
  log: 'a log line to a client that asked for logs',
  supports: 'true when the client can be asked (`elicitation`), sampled (`sampling`) or listed (`roots`)',
  ask: 'asks the person for a small form; throws `declined` when they refuse',
  sample: "asks the client's model",
  roots: "lists the client's workspace roots",
  releaseStream: "lets go of a 2025 session's stream during long work",
  step: 'runs its function once per call, also when the call is entered again; in a task also after a crash',
  sleep: 'waits for milliseconds or until a date; in a task the wait survives restarts',
  taskId: 'id of the task the call runs as; null when it runs inline',
  isFollowed: 'true in a task that its caller can follow, for days if need be',
  prepared: 'what `prepare` returned before the task was made',
};

const effects: Record<Effect, string> = {
  read: 'looks, changes nothing',
  create: 'adds something new each time',
  update: 'changes what is there; twice is the same as once',
  delete: 'takes something away',
  run: 'does something whose outcome the tool cannot promise',
};

const sharedErrors: Record<SharedErrorCode, string> = {
  not_found: 'what was named does not exist, or belongs to another organization',
  conflict: 'the state does not allow it: taken, already running, last of its kind',
  forbidden: 'the caller may not do this with what it holds',
  invalid: 'the input breaks a rule; the text names the field and the rule',
  declined: 'the person or the client said no, or cannot be asked',
  rate_limited: 'too many calls; `retryAfterMs` is in the data',
  unavailable: 'something it needs does not answer; the same call may work later',
};

const protocolErrors: Record<keyof typeof RPC, [name: string, when: string]> = {
  parseError: ['Parse error', 'the body is not JSON, or not UTF-8'],
  invalidRequest: [
    'Invalid request',
    'not one JSON-RPC message; nested too deep; a header that must appear once came twice',
  ],
  methodNotFound: ['Method not found', 'unknown method, or nothing is served at the URL'],
  invalidParams: [
    'Invalid params',
    'broken envelope, parameters that do not fit the method, unknown or hidden tool, unknown resource or prompt, bad cursor, refused request state',
  ],
  internalError: [
    'Internal error',
    'a fault of the server; the text is fixed, details go to the log. A resource that cannot be read now: the text says why',
  ],
  headerMismatch: [
    'HeaderMismatch',
    'an `Mcp-*` header is missing, malformed, or says something else than the body',
  ],
  missingCapability: [
    'MissingRequiredClientCapability',
    'the tool has to ask and the client declared nothing it could be asked with',
  ],
  unsupportedVersion: [
    'UnsupportedProtocolVersion',
    'the revision is not served; `data.supported` lists those that are',
  ],
};

const egressLimits: Record<keyof EgressLimits, string> = {
  connectTimeoutMs: 'time to resolve the name, and again to open the connection',
  totalTimeoutMs: 'time for the whole request with its redirects',
  maxBytes: 'size of a collected body after decompression',
  maxHeaderBytes: 'size of the response headers',
  maxRedirects: 'redirects that are followed, each one checked again',
  maxCompressionRatio: 'how many times bigger than its transfer a body may become',
  streamIdleMs: 'longest silence of a streamed body',
};

/** The tables by the name in their markers. */
export const kitTables: Record<string, () => string> = {
  'tool-fields': () =>
    markdownTable(
      ['field', 'required', 'meaning'],
      Object.entries(toolFields).map(([name, [need, meaning]]) => [code(name), need, meaning]),
    ),
  context: () =>
    markdownTable(
      ['member', 'what it does'],
      Object.entries(contextFields).map(([name, meaning]) => [code(name), meaning]),
    ),
  effects: () =>
    markdownTable(
      [
        'effect',
        'use it when the tool',
        'readOnlyHint',
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
      ],
      keysOf(effects).map((effect) => {
        const { readOnlyHint, destructiveHint, idempotentHint } = hintsOf(effect, false);
        const hints = [readOnlyHint, destructiveHint, idempotentHint].map(String);
        return [code(effect), effects[effect], ...hints, '`external`'];
      }),
    ),
  'shared-errors': () =>
    markdownTable(
      ['code', 'HTTP status', 'when'],
      keysOf(sharedErrors).map((name) => [code(name), String(httpStatusOf(name)), sharedErrors[name]]),
    ),
  'protocol-errors': () =>
    markdownTable(
      ['code', 'name', 'when'],
      keysOf(RPC).map((key) => [String(RPC[key]), ...protocolErrors[key]]),
    ),
  'egress-limits': () =>
    markdownTable(
      ['limit', 'default', 'meaning'],
      keysOf(egressLimits).map((key) => [
        code(key),
        readable(key, DEFAULT_EGRESS_LIMITS[key]),
        egressLimits[key],
      ]),
    ),
};

function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
  // The records are literals of this file or of the kit, so they have no keys beside those of their type.
  return Object.keys(record) as Key[];
}
