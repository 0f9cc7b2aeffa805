/** The process that a plugin runs in: it closes every way out that Node leaves open, and only then loads the plugin. */
import { Console } from 'node:console';
import { EventEmitter } from 'node:events';
import Module, { registerHooks } from 'node:module';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { CallFacts, FromPlugin, ThrownCode, ToPlugin } from './messages.ts';

// Modules that compute. All others reach for something: the machine, other processes, the loader, engine flags,
// or, like SQLite, files that the permissions of Node do not know of.
const OPEN_MODULES = new Set(
  'assert assert/strict buffer crypto events fs fs/promises path path/posix path/win32 perf_hooks punycode querystring stream stream/consumers stream/promises stream/web string_decoder timers timers/promises url util util/types zlib'.split(
    ' ',
  ),
);
// Signals to other processes, other programs, native code, the loader behind the hooks.
const CLOSED_OF_PROCESS =
  '_debugEnd _debugProcess _kill _linkedBinding abort binding dlopen execve getBuiltinModule initgroups kill loadEnvFile mainModule report send setegid seteuid setgid setgroups setuid umask'.split(
    ' ',
  );
const CLOSED_GLOBALS = ['fetch', 'EventSource', 'WebSocket', 'XMLHttpRequest'];
const CLOSED_OF_LOADER = ['register', 'registerHooks', 'findPackageJSON', 'runMain', 'enableCompileCache'];
const MOST_TEXT = 1024 * 1024;
const MOST_MESSAGE = 500;

const input = process.stdin;
const output = process.stdout;
const exit = process.exit.bind(process);
const send = (message: FromPlugin) => output.write(`${JSON.stringify(message)}\n`);

interface Tool {
  readonly name: string;
  readonly inputSchema?: unknown;
  handler(given: unknown, context: object): unknown;
  readonly [field: string]: unknown;
}

interface Plugin {
  readonly manifest: unknown;
  readonly tools: readonly Tool[];
  onLoad?(): unknown;
  onUnload?(): unknown;
}

let plugin: Plugin | undefined;
const running = new Map<number, AbortController>();
const asked = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
let asks = 0;

function closeWaysOut(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      if (found.url.startsWith('node:') && !OPEN_MODULES.has(found.url.slice('node:'.length)))
        throw new Error(`A plugin cannot use the module ${found.url}. Ask the host for what you need.`);
      return found;
    },
  });
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  for (const name of CLOSED_OF_PROCESS) take(process, name);
  for (const name of CLOSED_GLOBALS) take(globalThis, name);
  for (const name of CLOSED_OF_LOADER) take(Module, name);
  for (const name of ['stdout', 'stderr'])
    Object.defineProperty(process, name, { value: nowhere, configurable: false });
  globalThis.console = new Console(nowhere);
}

function take(from: object, name: string): void {
  Object.defineProperty(from, name, { value: undefined, configurable: false, writable: false });
}

async function load(entry: string): Promise<void> {
  // Whatever the package exports is looked at field by field.
  const exported: { plugin?: Plugin; default?: Plugin } = await import(pathToFileURL(entry).href);
  const given = exported.plugin ?? exported.default;
  if (typeof given !== 'object' || given === null || !Array.isArray(given.tools))
    throw new Error('The package exports no plugin: export { manifest, tools } as plugin or as default.');
  plugin = given;
  const tools = given.tools.map(({ name, description, effect, external, unattended, inputSchema }) => ({
    name,
    description,
    effect,
    external,
    unattended,
    inputSchema: isZod(inputSchema) ? inputSchema.toJSONSchema({ io: 'input' }) : inputSchema,
  }));
  send({ type: 'described', plugin: { manifest: given.manifest, tools } });
}

interface ZodLike {
  toJSONSchema(options: object): unknown;
  safeParseAsync(
    given: unknown,
  ): Promise<{ success: boolean; data?: unknown; error?: { issues?: readonly Issue[] } }>;
}

interface Issue {
  readonly path?: readonly PropertyKey[];
  readonly message?: string;
}

/** `field: rule`, like the faults that the server finds. */
function faultsOf(issues: readonly Issue[] = []): string {
  const faults = issues.map(
    ({ path = [], message }) => `${path.map(String).join('.') || 'input'}: ${message ?? 'is not valid'}`,
  );
  return faults.join('; ') || 'The input is not valid.';
}

function isZod(schema: unknown): schema is ZodLike {
  return (
    typeof schema === 'object' && schema !== null && 'toJSONSchema' in schema && 'safeParseAsync' in schema
  );
}

async function call(id: number, name: string, given: unknown, facts: CallFacts): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const tool = plugin?.tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error('The plugin does not have this tool.');
    let parsed = given;
    if (isZod(tool.inputSchema)) {
      const outcome = await tool.inputSchema.safeParseAsync(given);
      if (!outcome.success) return threw(id, 'invalid', faultsOf(outcome.error?.issues));
      parsed = outcome.data;
    }
    const context = { ...facts, host: hostOf(id, facts), signal: controller.signal };
    const result = await tool.handler(parsed, context);
    const { text, data } = typeof result === 'string' ? { text: result } : resultOf(result);
    if (typeof text !== 'string' || (data !== undefined && !isPlain(data)))
      return threw(
        id,
        'invalid_result',
        'It returned neither a text nor {text, data} with an object as data.',
      );
    send({ type: 'done', id, text: text.slice(0, MOST_TEXT), ...(data !== undefined && { data }) });
  } catch (error) {
    threw(id, 'plugin_failed', textOf(error));
  } finally {
    running.delete(id);
  }
}

function resultOf(result: unknown): { text?: unknown; data?: unknown } {
  return typeof result === 'object' && result !== null ? result : {};
}

function isPlain(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function threw(id: number, code: ThrownCode, message: string): void {
  send({ type: 'threw', id, code, message: message.slice(0, MOST_MESSAGE) });
}

function textOf(error: unknown): string {
  return error instanceof Error
    ? error.message.slice(0, MOST_MESSAGE)
    : 'It threw something that is no error.';
}

/** What the plugin may ask for, and nothing else; the server looks at each request again. */
function hostOf(id: number, { grantedCapabilities }: CallFacts): object {
  const ask =
    (what: string) =>
    (...args: unknown[]) =>
      new Promise((resolve, reject) => {
        asks += 1;
        asked.set(asks, { resolve, reject });
        send({ type: 'ask', id, ask: asks, what, args });
      });
  const all: Record<string, object> = {
    'db:read': { db: { read: ask('db.read') } },
    'network:outbound': { fetch: ask('fetch') },
    'fs:project-dir': { project: { read: ask('project.read'), list: ask('project.list') } },
    'agent:read': { agents: { list: ask('agents.list'), get: ask('agents.get') } },
    'session:read': { session: { get: ask('session.get') } },
  };
  const granted = grantedCapabilities.map((name) => all[name] ?? {});
  return Object.freeze(Object.fromEntries(granted.flatMap((part) => Object.entries(part))));
}

function answered(message: Extract<ToPlugin, { type: 'answer' }>): void {
  const waiting = asked.get(message.ask);
  asked.delete(message.ask);
  if (message.ok) waiting?.resolve(message.value);
  else waiting?.reject(Object.assign(new Error(message.message), { code: message.code }));
}

async function unload(): Promise<void> {
  let error: string | undefined;
  try {
    await plugin?.onUnload?.();
  } catch (thrown) {
    error = textOf(thrown);
  }
  output.write(`${JSON.stringify({ type: 'unloaded', ...(error !== undefined && { error }) })}\n`, () =>
    exit(0),
  );
}

async function received(message: ToPlugin): Promise<void> {
  switch (message.type) {
    case 'load':
      return load(message.entry);
    case 'start':
      await plugin?.onLoad?.();
      send({ type: 'started' });
      return;
    case 'call':
      return call(message.id, message.tool, message.input, message.context);
    case 'abort':
      return running.get(message.id)?.abort();
    case 'answer':
      return answered(message);
    case 'unload':
      return unload();
  }
}

closeWaysOut();
// What a listener rejects with comes to it as an error.
const messages = new EventEmitter({ captureRejections: true });
// oxlint-disable-next-line typescript/no-misused-promises -- its rejection is captured
messages.on('message', received);
messages.on('error', (error: unknown) => send({ type: 'failed', message: textOf(error) }));
let text = '';
input.setEncoding('utf8');
input.on('data', (chunk: string) => {
  text += chunk;
  const lines = text.split('\n');
  text = lines.pop() ?? '';
  for (const line of lines) {
    // Only the server writes here, and what it writes fits.
    messages.emit('message', JSON.parse(line) as ToPlugin);
  }
});
input.on('error', () => exit(1));
// Nobody is left to work for.
input.on('end', () => exit(0));
