/** Which names are no code: those everybody leaves out, and those that `.gitignore` names. */
import ignore from 'ignore';
import type { Ignore } from 'ignore';

const SKIPPED: ReadonlySet<string> = new Set([
  'node_modules',
  'dist',
  'build',
  'out',
  'coverage',
  'vendor',
  '__pycache__',
]);

/** True for what is left out wherever it stands; hidden names are. */
export function isSkippedName(name: string): boolean {
  return name.startsWith('.') || SKIPPED.has(name);
}

/** The rules of one `.gitignore`, for the folder that it stands in. */
interface FolderRules {
  /** With a `/` at its end; empty for the root. */
  readonly base: string;
  readonly rules: Ignore;
}

/** The rules of a folder and of those above it, the nearest first. */
export type Rules = readonly FolderRules[];

export const MAX_RULES_BYTES = 64 * 1024;
const MAX_LINES = 1000;
const MAX_LINE = 500;
const MAX_WILDCARDS = 4;

/** The rules below a folder whose `.gitignore` has this text. */
export function rulesBelow(above: Rules, base: string, text: string): Rules {
  // Rules become expressions that try every way to match, so one with many wildcards could take for ever.
  const lines = text
    .split('\n', MAX_LINES)
    .filter((line) => line.length <= MAX_LINE && line.split('*').length - 1 <= MAX_WILDCARDS);
  return [{ base, rules: ignore().add(lines.join('\n')) }, ...above];
}

/** True for a path that the nearest rule about it leaves out; a folder ends with `/`. */
export function isIgnored(rules: Rules, path: string): boolean {
  for (const { base, rules: own } of rules) {
    const { ignored, unignored } = own.test(path.slice(base.length));
    if (ignored || unignored) return ignored;
  }
  return false;
}
