/** Owns the tables about the server: commands, options, limits, roles, its own tools. */
import { DEFAULT_LIMITS } from '@parley/gateway';
import type { Limits } from '@parley/gateway';
import { builtInRoles, roleDefaultsOf } from '@parley/identity';
import { helpFor } from '../../apps/server/src/cli/help.ts';
import { OPTIONS, variableOf } from '../../apps/server/src/options.ts';
import { loadOwnToolsets } from '../../apps/server/src/toolsets.ts';
import { parleyToolset } from '../../apps/server/src/parley/index.ts';
import { code, markdownTable, readable } from './markdown.ts';

// Names every limit, so a new one without words does not compile.
const limits: Record<keyof Limits, [meaning: string, answer: string]> = {
  bodyBytes: ['largest request body, counted while it is read; `--body-limit`', '413'],
  urlBytes: ['longest URL', '414'],
  headerFields: ['header fields of a request', '431'],
  jsonDepth: ['nesting of the JSON', '400, -32600'],
  jsonValues: ['values in the JSON', '400, -32600'],
  bodyTimeoutMs: ['time for the body to arrive', '408, then closed'],
  sessionsPerCaller: [
    'open 2025 sessions of one caller; one more ends the one that was idle longest',
    '429 with Retry-After, only when all are busy',
  ],
  sessionIdleMs: ['idle time after which a 2025 session ends', '404 on its next use'],
  watchesPerSession: ['resources that one 2025 session watches', '-32602'],
  watchedUriBytes: ['URI of a resource that a 2025 session watches', '-32602'],
  batchMessages: ['messages in one JSON-RPC batch, each of which counts as a request', '400, -32600'],
  connections: ['open connections of the process; `--connections`', 'closed at once'],
  streamsPerCaller: [
    'open `subscriptions/listen` streams of one caller; as many `GET` streams of its sessions',
    '-32603; 429',
  ],
  streamsPerOrganization: ['the same of one organization', '-32603; 429'],
  streamsPerProcess: ['the same of the process', '-32603; 429'],
  ratePerSecond: ['requests per second of one caller, counted by messages; `--rate`', '429 with Retry-After'],
  rateBurst: ['requests of one caller that may come at once; `--rate-burst`', '429 with Retry-After'],
  heavyRatePerSecond: [
    'calls per second of tools that are `external` or have the effect `run`, unless they count for themselves; a fifth of `--rate`',
    '`rate_limited`',
  ],
  heavyRateBurst: ['such calls that may come at once; a fifth of `--rate-burst`', '`rate_limited`'],
  failedCredentialsPerMinute: [
    'wrong credentials from one address; a request without any is not counted',
    '429 with Retry-After',
  ],
};

const documented = await loadOwnToolsets();

/** The tables by the name in their markers. */
export const serverTables: Record<string, () => string> = {
  commands: () =>
    markdownTable(
      ['command', 'what it does'],
      commandNames().map((name) => [code(usageOf(name)), summaryOf(name)]),
    ),
  options: () =>
    markdownTable(
      ['flag', 'variable', 'default', 'meaning'],
      Object.entries(OPTIONS).map(([name, option]) => [
        code(`--${name}${option.value === '' ? '' : ` ${option.value}`}`),
        code(variableOf(name)),
        code(option.fallback ?? ''),
        option.help,
      ]),
    ),
  limits: () =>
    markdownTable(
      ['limit', 'default', 'meaning', 'answer beyond it'],
      Object.entries(limits).map(([name, words]) => [code(name), readable(name, limitOf(name)), ...words]),
    ),
  roles: () =>
    markdownTable(
      ['role', 'grants'],
      Object.entries(builtInRoles(roleDefaultsOf(documented))).map(([role, grants]) => [
        code(role),
        code(JSON.stringify(grants)),
      ]),
    ),
  'grant-names': () =>
    markdownTable(
      ['toolset', 'resources', 'prompts'],
      documented
        .filter(({ resources = [], prompts = [] }) => resources.length + prompts.length > 0)
        .map(({ name, resources, prompts }) => [code(name), namesOf(resources), namesOf(prompts)]),
    ),
  tools: () =>
    markdownTable(
      ['tool', 'effect', 'what it does'],
      parleyToolset.tools.map((tool) => [code(tool.name), code(tool.effect), tool.description]),
    ),
};

function namesOf(items: readonly { readonly name: string }[] = []): string {
  return items.map(({ name }) => code(name)).join(', ');
}

function limitOf(name: string): number {
  // The record above has exactly the keys of the limits.
  return DEFAULT_LIMITS[name as keyof Limits];
}

function commandNames(): string[] {
  const list = /^Commands:\n([\s\S]*?)\n\n/m.exec(helpFor())?.[1] ?? '';
  return list.split('\n').map((line) => line.trim().split(' ')[0] ?? '');
}

function summaryOf(name: string): string {
  return helpFor(name).split('.\n')[0] ?? '';
}

function usageOf(name: string): string {
  return /^Usage: (.*)$/m.exec(helpFor(name))?.[1] ?? name;
}
