/** Every option of the command line, once: its flag, its variable, its default and its help; toolsets add theirs. */
import type { Settings } from '@parley/kit';
import { OWN_TOOLSETS } from './toolsets.ts';

/** How an option's text is read. */
export type OptionKind = 'text' | 'number' | 'list' | 'switch';

export interface Option {
  readonly kind: OptionKind;
  readonly value: string;
  readonly help: string;
  readonly fallback?: string;
  /** The other commands that read it, besides `parley start`, which reads all; absent: none. */
  readonly also?: 'folder' | 'address' | 'init' | 'key' | 'egress' | 'programs' | 'commands' | 'every';
}

const TRAFFIC = {
  port: {
    also: 'address',
    kind: 'number',
    value: 'N',
    fallback: '4680',
    help: 'Port to listen on; 0 picks a free one',
  },
  host: {
    also: 'address',
    kind: 'text',
    value: 'ADDRESS',
    fallback: '127.0.0.1',
    help: 'Address to listen on',
  },
  data: {
    also: 'folder',
    kind: 'text',
    value: 'FOLDER',
    fallback: './.parley',
    help: 'Data folder: database, keys, records',
  },
  'database-url': {
    also: 'folder',
    kind: 'text',
    value: 'URL',
    help: 'PostgreSQL instead of SQLite in the data folder',
  },
  'database-direct-url': {
    also: 'folder',
    kind: 'text',
    value: 'URL',
    help: 'PostgreSQL itself, where the URL above is that of a pooler',
  },
  'prepared-statements': {
    also: 'folder',
    kind: 'text',
    value: 'on|off',
    fallback: 'on',
    help: 'off: behind a pooler that shares connections between transactions',
  },
  'allow-host': {
    kind: 'list',
    value: 'NAME',
    help: 'Another Host name to answer to (repeat, or separate by commas)',
  },
  'allow-origin': {
    kind: 'list',
    value: 'ORIGIN',
    help: 'Another Origin whose pages may call (repeat, or commas)',
  },
  rate: { kind: 'number', value: 'N', fallback: '100', help: 'Requests per second of one key' },
  'rate-burst': {
    kind: 'number',
    value: 'N',
    fallback: '200',
    help: 'Requests of one key that may come at once',
  },
} as const satisfies Record<string, Option>;

const REACH = {
  'trusted-proxy': {
    kind: 'list',
    value: 'ADDRESS',
    help: 'Proxy whose X-Forwarded-For counts, e.g. 10.0.0.0/8 (repeat, or commas)',
  },
  'public-url': {
    also: 'address',
    kind: 'text',
    value: 'URL',
    help: 'Address of the public pages, when a proxy stands before Parley',
  },
  'no-console': {
    kind: 'switch',
    value: '',
    help: 'Serve no console: no pages at /console, and nobody signs in with a browser',
  },
  'allow-egress': {
    also: 'egress',
    kind: 'list',
    value: 'HOST',
    help: 'Private host, host:port or range (10.1.0.0/16) that webhooks and connections may reach (repeat, or commas)',
  },
  'allow-stdio': {
    also: 'programs',
    kind: 'switch',
    value: '',
    help: 'Let administrators store connections that start a program on this machine',
  },
  'allow-command': {
    also: 'commands',
    kind: 'list',
    value: 'COMMAND',
    help: 'Only program that connections may start, word for word; default: any (repeat, or commas)',
  },
  'replica-address': {
    kind: 'text',
    value: 'URL',
    help: 'Where other servers on the same database reach this one; default: where it listens',
  },
  drain: {
    kind: 'number',
    value: 'SECONDS',
    help: 'How long to answer on after /ready says no; default: on PostgreSQL twice the time between two questions, from 1 to 10',
  },
  connections: {
    kind: 'number',
    value: 'N',
    fallback: '10000',
    help: 'Connections that may be open at once',
  },
} as const satisfies Record<string, Option>;

const UPKEEP = {
  'body-limit': { kind: 'number', value: 'BYTES', fallback: '4194304', help: 'Largest request body' },
  'record-days': { kind: 'number', value: 'N', fallback: '30', help: 'Keep call records for N days' },
  'record-rows': { kind: 'number', value: 'N', fallback: '10000000', help: 'Keep at most N call records' },
  'record-bytes': {
    kind: 'number',
    value: 'BYTES',
    fallback: '5368709120',
    help: 'Keep about this much of call records at most',
  },
  'event-days': {
    kind: 'number',
    value: 'N',
    fallback: '30',
    help: 'Keep events and finished deliveries for N days',
  },
  'audit-days': {
    kind: 'number',
    value: 'N',
    fallback: '0',
    help: 'Keep the audit log for N days; 0 keeps all of it',
  },
  'slow-call': {
    kind: 'number',
    value: 'MS',
    fallback: '1000',
    help: 'Write a line to the log for each call that takes as long; 0 writes none',
  },
  'otlp-endpoint': { kind: 'text', value: 'URL', help: 'Send OpenTelemetry traces and metrics there' },
  'log-level': {
    kind: 'text',
    value: 'LEVEL',
    fallback: 'info',
    help: 'fatal, error, warn, info, debug or silent',
  },
  key: {
    also: 'key',
    kind: 'text',
    value: 'KEY',
    help: 'API key to act with; default: the owner key in the data folder',
  },
} as const satisfies Record<string, Option>;

const COMMAND = {
  init: {
    also: 'init',
    kind: 'switch',
    value: '',
    help: 'Make an installation where --data has none; "start" and "migrate" do it unasked',
  },
  json: { also: 'every', kind: 'switch', value: '', help: 'Print JSON' },
} as const satisfies Record<string, Option>;

type BaseOptions = typeof TRAFFIC & typeof REACH & typeof UPKEEP & typeof COMMAND;

/** The name of an option of the server itself. */
export type OptionName = keyof BaseOptions;

/** An option that a toolset declares. */
export type Setting = Settings[string];

/** The settings of Parley's own toolsets and of those that a program brings. */
export function settingsWith(toolsets: readonly { readonly settings?: Settings }[] = []): Setting[] {
  return [...OWN_TOOLSETS, ...toolsets].flatMap(({ settings = {} }) => Object.values(settings));
}

/** All options by flag name, in the order of the help; the variable of `allow-host` is `PARLEY_ALLOW_HOST`. */
export function optionsWith(settings: readonly Setting[]): Readonly<Record<string, Option>> {
  const all = new Map<string, Option>();
  const add = (name: string, option: Option) => {
    if (all.has(name))
      throw new Error(`Two options have the flag --${name}. Rename the setting of one toolset.`);
    all.set(name, option);
  };
  for (const [section, own] of Object.entries({ traffic: TRAFFIC, reach: REACH, upkeep: UPKEEP, COMMAND })) {
    for (const [name, option] of Object.entries(own)) add(name, option);
    for (const setting of settings) if (setting.section === section) add(setting.flag, setting);
  }
  return Object.fromEntries(all);
}

/** The options of a Parley with its own toolsets alone. */
export const OPTIONS = optionsWith(settingsWith());

/** The variable that stands for an option. */
export function variableOf(name: string): string {
  return `PARLEY_${name.toUpperCase().replaceAll('-', '_')}`;
}
