/** Configuration: flags, then PARLEY_* variables, then defaults. The only file that reads the environment. */
import { delimiter, resolve } from 'node:path';
import { DEFAULT_LIMITS } from '@parley/gateway';
import type { Limits } from '@parley/gateway';
import type { Settings, SettingsOf } from '@parley/kit';
import type { Option, OptionName, Setting } from './options.ts';
import { optionsWith, settingsWith, variableOf } from './options.ts';

/** Everything that can be set. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** How PostgreSQL is reached where a pooler is before it. */
  readonly pooler: { readonly directUrl: string | undefined; readonly preparedStatements: boolean };
  readonly secretKey: string | undefined;
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  readonly limits: Limits;
  /** Private hosts that outbound requests may reach. */
  readonly allowEgress: readonly string[];
  /** May connections start programs, and the variables that those get. */
  readonly programs: {
    readonly isAllowed: boolean;
    /** The only ones; undefined: any. */
    readonly commands: readonly string[] | undefined;
    readonly environment: Readonly<Record<string, string>>;
  };
  /** How the world reaches the server, where a proxy stands before it. */
  readonly web: { readonly trustedProxies: readonly string[]; readonly publicUrl: string | undefined };
  /** False: nobody signs in with a browser, and no page is served for it. */
  readonly hasConsole: boolean;
  /** Other servers on the same database. */
  readonly replicas: {
    /** False: this one has its data for itself. */
    readonly areMany: boolean;
    /** Where they reach this one; undefined: where it listens. */
    readonly address: string | undefined;
    /** How long this one answers on after `/ready` has said no; undefined: by how often it is asked. */
    readonly drainMs: number | undefined;
  };
  /** What toolsets declare, by flag. */
  readonly settings: SettingsOf<Settings>;
  readonly recordRetention: {
    readonly maxAgeMs: number;
    readonly maxRows: number;
    readonly maxBytes: number;
  };
  /** How long events and finished deliveries are kept. */
  readonly eventKeepMs: number;
  /** How long the audit log is kept; 0 means for ever. */
  readonly auditKeepMs: number;
  readonly otlpEndpoint: string | undefined;
  /** A call that takes as long leaves a line in the log; 0 means that none does. */
  readonly slowCallMs: number;
  readonly logLevel: string;
  readonly key: string | undefined;
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

/** What a command line is read with. */
export interface LoadOptions<Extra extends string> {
  /** The switches of one command. */
  readonly extra?: Readonly<Record<Extra, 'text' | 'switch' | 'list'>>;
  /** Toolsets besides Parley's own, whose settings count too. */
  readonly toolsets?: readonly { readonly settings?: Settings }[];
  readonly env?: Environment;
}

/** Reads flags and variables. */
export function loadConfig<Extra extends string = never>(
  args: readonly string[],
  { extra, toolsets, env = process.env }: LoadOptions<Extra> = {},
): { config: Config; positionals: string[]; extras: Partial<Record<Extra, string | boolean | string[]>> } {
  const settings = settingsWith(toolsets);
  const options = optionsWith(settings);
  const { values, positionals } = parse(args, options, extra);
  const readAny = (name: string): string | undefined => {
    const given = values[name];
    return typeof given === 'string' ? given : (env[variableOf(name)] ?? options[name]?.fallback);
  };
  const read = (name: OptionName) => readAny(name);
  const list = (name: string): string[] => {
    const given = values[name];
    const parts = Array.isArray(given) ? given : [env[variableOf(name)] ?? ''];
    return parts
      .flatMap((part) => String(part).split(','))
      .map((part) => part.trim())
      .filter((part) => part !== '');
  };
  const isOn = (name: string) => values[name] === true || ['1', 'true'].includes(env[variableOf(name)] ?? '');
  const count = (name: OptionName, low: number, high: number) => wholeNumber(name, read(name), low, high);
  const valueOf = (setting: Setting): SettingsOf<Settings>[string] => {
    const { flag } = setting;
    if (setting.kind === 'list') return list(flag);
    if (setting.kind === 'switch') return isOn(flag);
    const text = readAny(flag);
    if (setting.kind === 'text' || text === undefined) return text;
    return wholeNumber(flag, text, setting.low, setting.high);
  };
  const commands = list('allow-command');
  const logLevel = read('log-level') ?? 'info';
  if (!LOG_LEVELS.includes(logLevel))
    throw new UsageError(`--log-level: must be one of ${LOG_LEVELS.join(', ')}`);
  const drainMs = read('drain') === undefined ? undefined : count('drain', 0, 3600) * 1000;
  const areMany = read('database-url') !== undefined || read('replica-address') !== undefined;
  const config: Config = {
    port: count('port', 0, 65_535),
    host: read('host') ?? '127.0.0.1',
    dataDir: resolve(read('data') ?? '.parley'),
    databaseUrl: read('database-url'),
    pooler: {
      directUrl: read('database-direct-url'),
      preparedStatements: isNotOff('prepared-statements', read('prepared-statements')),
    },
    secretKey: env.PARLEY_SECRET_KEY,
    allowHosts: list('allow-host'),
    allowOrigins: list('allow-origin'),
    limits: {
      ...DEFAULT_LIMITS,
      bodyBytes: count('body-limit', 1024, 1024 ** 3),
      ...ratesOf(count('rate', 1, 10_000_000), count('rate-burst', 1, 10_000_000)),
      connections: count('connections', 1, 10_000_000),
    },
    allowEgress: list('allow-egress'),
    programs: {
      isAllowed: isOn('allow-stdio'),
      commands: commands.length === 0 ? undefined : commands,
      environment: programEnvironment(env),
    },
    web: {
      trustedProxies: list('trusted-proxy'),
      publicUrl: webAddress('public-url', read('public-url')),
    },
    hasConsole: !isOn('no-console'),
    replicas: {
      areMany,
      address: webAddress('replica-address', read('replica-address')),
      drainMs,
    },
    settings: Object.fromEntries(settings.map((setting) => [setting.flag, valueOf(setting)])),
    recordRetention: {
      maxAgeMs: count('record-days', 1, 3650) * DAY_MS,
      maxRows: count('record-rows', 1000, 1_000_000_000),
      maxBytes: count('record-bytes', 1024 ** 2, 1024 ** 5),
    },
    eventKeepMs: count('event-days', 1, 3650) * DAY_MS,
    auditKeepMs: count('audit-days', 0, 36_500) * DAY_MS,
    otlpEndpoint: read('otlp-endpoint') ?? env.OTEL_EXPORTER_OTLP_ENDPOINT,
    slowCallMs: count('slow-call', 0, 3_600_000),
    logLevel,
    key: read('key'),
    init: isOn('init'),
    json: isOn('json'),
  };
  // parseArgs knows each switch by the kind given above.
  return { config, positionals, extras: values as Partial<Record<Extra, string | boolean | string[]>> };
}

/** What a program needs to run at all; nothing else of this process's own environment is passed on. */
function programEnvironment(env: Environment): Record<string, string> {
  const own = isUnderNpm(env) && env['PATH'] !== undefined ? { ...env, PATH: withoutNpm(env['PATH']) } : env;
  const names = ['PATH', 'HOME', 'LANG', 'TMPDIR'];
  return Object.fromEntries(names.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])));
}

// What npm puts before the PATH of whoever started it.
const NPM_FOLDER = /[\\/](?:node_modules[\\/]\.bin|node-gyp-bin)[\\/]?$/;

/** The PATH as it was before npm: programs run with the tools of the machine, not with those of this checkout. */
function withoutNpm(path: string): string {
  const folders = path.split(delimiter);
  const first = folders.findIndex((folder) => !NPM_FOLDER.test(folder));
  return folders.slice(first === -1 ? folders.length : first).join(delimiter);
}

function isNotOff(name: string, text: string | undefined): boolean {
  if (text !== 'on' && text !== 'off') throw new UsageError(`--${name}: must be on or off`);
  return text === 'on';
}

function webAddress(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.pathname !== '/')
    throw new UsageError(`--${name}: must be an address like https://feedback.example.com`);
  return url.origin;
}

/** A variable that is no option, such as one that a client's file names; its value is never printed. */
export function variable(name: string, env: Environment = process.env): string | undefined {
  return env[name];
}

/** True when npm started this process, with a shell between that may keep signals to itself. */
export function isUnderNpm(env: Environment = process.env): boolean {
  return env['npm_lifecycle_event'] !== undefined;
}

/** The scripts of the checkout that start Parley, where there is no command of its name on the path. */
const OWN_SCRIPTS = new Set(['parley', 'start', 'dev']);

/** What stands before the words of a command where this process was started. */
export function commandWord(env: Environment = process.env): string {
  return OWN_SCRIPTS.has(env['npm_lifecycle_event'] ?? '') ? 'npm run -s parley --' : 'parley';
}

function parse(
  args: readonly string[],
  known: Readonly<Record<string, Option>>,
  extra: Readonly<Record<string, 'text' | 'switch' | 'list'>> = {},
) {
  const kinds: Record<string, string> = { ...extra };
  for (const [name, { kind }] of Object.entries(known)) kinds[name] = kind;
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
    throw new UsageError(parseFault(error));
  }
}

/** What Node says of a wrong command line, on one line; of an unknown option it tells things that help nobody here. */
function parseFault(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).replaceAll('\n', ' ');
  const unknown = /^Unknown option '([^']{1,100})'/.exec(text)?.[1];
  if (unknown !== undefined) return `Unknown option ${unknown}. --help lists those that there are.`;
  const [, option, fault] = /^Option '(--[^ ']{1,100})[^']{0,20}' (argument|does not take)/.exec(text) ?? [];
  if (option === undefined) return text;
  if (fault === 'does not take') return `${option}: takes no value.`;
  return `${option}: needs a value after it. Write one that begins with a dash as ${option}=VALUE.`;
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

/** Calls of tools that reach outside or run things keep their share of what a key may ask for. */
function ratesOf(ratePerSecond: number, rateBurst: number): Partial<Limits> {
  const share = DEFAULT_LIMITS.heavyRatePerSecond / DEFAULT_LIMITS.ratePerSecond;
  return {
    ratePerSecond,
    rateBurst,
    heavyRatePerSecond: ratePerSecond * share,
    heavyRateBurst: Math.max(1, rateBurst * share),
  };
}
