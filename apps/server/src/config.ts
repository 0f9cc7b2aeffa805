/** Configuration: flags, then PARLEY_* variables, then defaults. The only file that reads the environment. */
import { resolve } from 'node:path';
import { DEFAULT_LIMITS } from '@parley/gateway';
import type { Limits } from '@parley/gateway';
import type { Option, OptionName } from './options.ts';
import { OPTIONS, variableOf } from './options.ts';

/** Everything that can be set. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly secretKey: string | undefined;
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  readonly limits: Limits;
  /** Private hosts that outbound requests may reach. */
  readonly allowEgress: readonly string[];
  /** The feedback API and the public pages. */
  readonly web: {
    readonly ratePerMinute: number;
    readonly ratePerKeyPerMinute: number | undefined;
    readonly trustedProxies: readonly string[];
    readonly publicUrl: string | undefined;
    readonly visitorsPerHour: number;
  };
  /** How long a silent agent keeps an annotation. */
  readonly noteLeaseMs: number;
  readonly recordRetention: {
    readonly maxAgeMs: number;
    readonly maxRows: number;
    readonly maxBytes: number;
  };
  readonly otlpEndpoint: string | undefined;
  readonly logLevel: string;
  readonly key: string | undefined;
  /** Example data for an empty feedback; `parley start` only. */
  readonly demo: boolean;
  /** May a command other than `start` and `migrate` make an installation. */
  readonly init: boolean;
  readonly json: boolean;
}

/** A wrong option or command; its message is all that the user needs. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

type Environment = Readonly<Record<string, string | undefined>>;

// Imported, this module would load everything that Node puts behind it, before the first answer.
const { parseArgs } = process.getBuiltinModule('node:util');

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'];
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Reads flags and variables; `extra` are the switches of one command. */
export function loadConfig<Extra extends string = never>(
  args: readonly string[],
  extra: Readonly<Record<Extra, 'text' | 'switch' | 'list'>> = {} as Record<Extra, never>,
  env: Environment = process.env,
): { config: Config; positionals: string[]; extras: Partial<Record<Extra, string | boolean | string[]>> } {
  const { values, positionals } = parse(args, extra);
  const read = (name: OptionName): string | undefined => {
    const option: Option = OPTIONS[name];
    const given = values[name];
    return typeof given === 'string' ? given : (env[variableOf(name)] ?? option.fallback);
  };
  const list = (name: OptionName): string[] => {
    const given = values[name];
    const parts = Array.isArray(given) ? given : [env[variableOf(name)] ?? ''];
    return parts
      .flatMap((part) => String(part).split(','))
      .map((part) => part.trim())
      .filter((part) => part !== '');
  };
  const isOn = (name: OptionName) =>
    values[name] === true || ['1', 'true'].includes(env[variableOf(name)] ?? '');
  const count = (name: OptionName, low: number, high: number) => wholeNumber(name, read(name), low, high);
  const logLevel = read('log-level') ?? 'info';
  if (!LOG_LEVELS.includes(logLevel))
    throw new UsageError(`--log-level: must be one of ${LOG_LEVELS.join(', ')}`);
  const config: Config = {
    port: count('port', 0, 65_535),
    host: read('host') ?? '127.0.0.1',
    dataDir: resolve(read('data') ?? '.parley'),
    databaseUrl: read('database-url'),
    secretKey: env.PARLEY_SECRET_KEY,
    allowHosts: list('allow-host'),
    allowOrigins: list('allow-origin'),
    limits: {
      ...DEFAULT_LIMITS,
      bodyBytes: count('body-limit', 1024, 1024 ** 3),
      ratePerSecond: count('rate', 1, 10_000_000),
      rateBurst: count('rate-burst', 1, 10_000_000),
      connections: count('connections', 1, 10_000_000),
    },
    allowEgress: list('allow-egress'),
    web: {
      ratePerMinute: count('api-rate', 1, 10_000_000),
      ratePerKeyPerMinute:
        read('api-key-rate') === undefined ? undefined : count('api-key-rate', 1, 10_000_000),
      trustedProxies: list('trusted-proxy'),
      publicUrl: webAddress('public-url', read('public-url')),
      visitorsPerHour: count('visitor-rate', 1, 10_000_000),
    },
    noteLeaseMs: count('note-lease', 1, 10_080) * MINUTE_MS,
    recordRetention: {
      maxAgeMs: count('record-days', 1, 3650) * DAY_MS,
      maxRows: count('record-rows', 1000, 1_000_000_000),
      maxBytes: count('record-bytes', 1024 ** 2, 1024 ** 5),
    },
    otlpEndpoint: read('otlp-endpoint') ?? env.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel,
    key: read('key'),
    demo: isOn('demo'),
    init: isOn('init'),
    json: isOn('json'),
  };
  // parseArgs knows each switch by the kind given above.
  return { config, positionals, extras: values as Partial<Record<Extra, string | boolean | string[]>> };
}

function webAddress(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.pathname !== '/')
    throw new UsageError(`--${name}: must be an address like https://feedback.example.com`);
  return url.origin;
}

/** A variable that a client's file names; its value is for checks and is never printed. */
export function variable(name: string, env: Environment = process.env): string | undefined {
  return env[name];
}

/** True when npm started this process, with a shell between that may keep signals to itself. */
export function isUnderNpm(env: Environment = process.env): boolean {
  return env['npm_lifecycle_event'] !== undefined;
}

/** The flags of `parley mcp` for a feedback server elsewhere. */
export const REMOTE_FLAGS = {
  url: 'text',
  'api-key': 'text',
  remote: 'switch',
  extended: 'switch',
} as const;

/** Where the feedback of `parley mcp feedback` is, when it is not in the data folder. */
export interface RemoteChoice {
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  readonly isExtended: boolean;
}

/** Reads the choice of a feedback server elsewhere; undefined when the data folder is meant. */
export function remoteChoice(
  toolsets: readonly string[],
  flags: Partial<Record<keyof typeof REMOTE_FLAGS, unknown>>,
  env: Environment = process.env,
): RemoteChoice | undefined {
  // The tools that have to be named are in the data folder too.
  const flag = Object.keys(flags).find((name) => name !== 'extended' && Object.hasOwn(REMOTE_FLAGS, name));
  const isFeedback = toolsets.length === 1 && toolsets[0] === 'feedback';
  if (!isFeedback) {
    if (flag !== undefined) throw new UsageError(`--${flag}: works with "parley mcp feedback" only`);
    return undefined;
  }
  const read = (name: 'url' | 'api-key', variable: string) => {
    const given = flags[name];
    return typeof given === 'string' ? given : env[variable];
  };
  const url = read('url', 'QUACKBACK_URL');
  const apiKey = read('api-key', 'QUACKBACK_API_KEY');
  if (url === undefined && apiKey === undefined && flags.remote !== true) return undefined;
  return { url, apiKey, isExtended: flags.extended === true };
}

function parse(args: readonly string[], extra: Readonly<Record<string, 'text' | 'switch' | 'list'>>) {
  const kinds: Record<string, string> = { ...extra };
  for (const [name, { kind }] of Object.entries(OPTIONS)) kinds[name] = kind;
  const options = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [
      name,
      kind === 'switch'
        ? ({ type: 'boolean' } as const)
        : ({ type: 'string', multiple: kind === 'list' } as const),
    ]),
  );
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error instanceof Error ? error.message : String(error)).replaceAll('\n', ' '));
  }
}

function wholeNumber(name: string, text: string | undefined, low: number, high: number): number {
  const value = Number(text);
  if (text === undefined || text.trim() === '' || !Number.isInteger(value) || value < low || value > high) {
    throw new UsageError(
      `--${name}: must be a whole number from ${low} to ${high} (got ${JSON.stringify(text ?? '')})`,
    );
  }
  return value;
}
