/** `parley connect import`: the servers that a client knows become connections, with a line on what became of each. */
import { homedir } from 'node:os';
import type { ClientEntry, ClientValues, Connection, Wanted } from '@parley/connections';
import { CLIENT_KINDS, connectionData, wantedOf } from '@parley/connections';
import { ToolError } from '@parley/kit';
import { UsageError, variable } from '../../config.ts';
import { printable } from '../../printable.ts';
import type { Acting, Outcome } from '../actions.ts';
import { requireTool } from '../actions.ts';
import { table } from '../table.ts';
import { toolsText } from './add.ts';
import { askInputs } from './ask-inputs.ts';
import { allConnections } from './found.ts';
import type { Given } from './given.ts';
import { readEntries } from './import-entries.ts';
import type { Place } from './import-places.ts';
import { placeOfFile, placeOfStdin, placesOf } from './import-places.ts';
import { keepConnection } from './keep.ts';
import { isParleyItself } from './own-address.ts';

const USAGE =
  'Usage: parley connect import [FILE | -] [--from claude-desktop|claude-code|cursor|vscode] [--only NAME,...] [--replace] [--dry-run]';

/** What became of an entry. */
interface Line {
  readonly name: string;
  readonly from: string;
  readonly outcome: 'added' | 'replaced' | 'would add' | 'would replace' | 'skipped' | 'failed';
  readonly id?: string;
  readonly tools?: readonly unknown[] | null;
  /** It is stored, and did not answer. */
  readonly isUnasked?: boolean;
  readonly text: string;
}

// Programs that are started for the first time are often fetched first, so that one after the other takes minutes.
const AT_ONCE = 4;

/** Reads the entries, stores what can be stored, and asks what was stored for its tools; nothing else is started. */
export async function importServers(acting: Acting, rest: readonly string[], given: Given): Promise<Outcome> {
  requireTool(acting, 'COLLECTION_CONNECTIONS_CREATE');
  const places = placesIn(rest, given);
  // A file that somebody names has to be there; those of a client may be.
  const entries = chosen(await readEntries(places, { isNamed: rest.length > 0 }), given);
  if (entries.length === 0) throw nothingIn(places);
  const isDry = given.isOn('dry-run');
  const isFromStdin = places.some(({ path }) => path === '-');
  const answers = isDry || isFromStdin ? new Map<string, string>() : await askInputs(entries);
  const plans = planned(entries, {
    acting,
    values: { variable, answers, home: homedir() },
    existing: await allConnections(acting),
    isReplacing: given.isOn('replace'),
  });
  const lines: Line[] = [];
  for (let at = 0; at < plans.length; at += AT_ONCE)
    lines.push(
      ...(await Promise.all(plans.slice(at, at + AT_ONCE).map((plan) => carriedOut(acting, plan, isDry)))),
    );
  const rows = lines.map(({ outcome, name, text }) => [outcome, name, text]);
  return {
    json: lines.map(({ text, tools, isUnasked: _unasked, ...line }) => {
      return { ...line, ...(tools !== undefined && { tools: tools?.length ?? null }), message: text };
    }),
    text: table(['OUTCOME', 'NAME', 'WHAT'], rows),
    isFailure: lines.some(({ outcome, isUnasked }) => outcome === 'failed' || isUnasked === true),
  };
}

function placesIn([file, ...rest]: readonly string[], given: Given): Place[] {
  if (rest.length > 0) throw new UsageError(USAGE);
  const named = given.text('from');
  const client = CLIENT_KINDS.find((each) => each === named);
  if (named !== undefined && client === undefined)
    throw new UsageError(`--from: must be one of ${CLIENT_KINDS.join(', ')}`);
  if (file === '-') return [placeOfStdin(client)];
  if (file !== undefined) return [placeOfFile(file, client)];
  if (client === undefined)
    throw new UsageError(`Say what to import: a file, "-" for standard input, or --from. ${USAGE}`);
  return placesOf(client, process.cwd());
}

function nothingIn(places: readonly Place[]): UsageError {
  const paths = places.map(({ path }) => (path === '-' ? 'standard input' : path));
  return new UsageError(`No servers were found. Looked at: ${paths.map(printable).join(', ')}`);
}

/** Those that --only names, each of which has to be there. */
function chosen(entries: readonly ClientEntry[], given: Given): readonly ClientEntry[] {
  const names = given
    .list('only')
    .flatMap((text) => text.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) return entries;
  const unknown = names.find((name) => !entries.some((entry) => entry.name === name));
  if (unknown !== undefined) {
    const there = [...new Set(entries.map(({ name }) => name))].join(', ') || 'none';
    throw new UsageError(`--only: there is no server "${unknown}". There are: ${there}.`);
  }
  return entries.filter(({ name }) => names.includes(name));
}

/** What is to be done with an entry; with a line where nothing is. */
type Plan = { readonly entry: ClientEntry } & (
  | { readonly line: Line }
  | { readonly wanted: Wanted; readonly replacing: Connection | undefined }
);

interface Planning {
  readonly acting: Acting;
  readonly values: ClientValues;
  readonly existing: readonly Connection[];
  readonly isReplacing: boolean;
}

function planned(entries: readonly ClientEntry[], planning: Planning): Plan[] {
  const taken = new Map<string, string>();
  return entries.map((entry): Plan => {
    const { name, from } = entry;
    const end = (outcome: Line['outcome'], text: string): Plan => ({
      entry,
      line: { name, from, outcome, text },
    });
    if (entry.fields['disabled'] === true) return end('skipped', 'it is switched off in its file');
    const earlier = taken.get(name);
    if (earlier !== undefined) return end('skipped', `the name is taken by the one in ${earlier}`);
    try {
      const wanted = wantedOf(entry, planning.values);
      if (isParleyItself(wanted, planning.acting.config)) return end('skipped', 'it is Parley itself');
      connectionData(wanted);
      const [same, ...others] = planning.existing.filter(({ title }) => title === name);
      taken.set(name, from);
      if (same !== undefined && !planning.isReplacing)
        return end('skipped', `there is a connection of this name (${same.id}); --replace changes it`);
      if (others.length > 0) return end('failed', 'several connections have this name');
      return { entry, wanted, replacing: same };
    } catch (error) {
      return end('failed', reasonOf(error));
    }
  });
}

async function carriedOut(acting: Acting, plan: Plan, isDry: boolean): Promise<Line> {
  if ('line' in plan) return plan.line;
  const { entry, wanted, replacing } = plan;
  const { name, from } = entry;
  if (isDry)
    return {
      name,
      from,
      outcome: replacing === undefined ? 'would add' : 'would replace',
      text: placeOf(wanted),
    };
  try {
    const made = await keepConnection(acting, wanted, replacing?.id);
    const outcome = replacing === undefined ? 'added' : 'replaced';
    const { last_error: fault } = made.catalog;
    const text = fault === null ? toolsText(made) : `${toolsText(made)}; it could not be asked: ${fault}`;
    return { name, from, outcome, id: made.id, tools: made.tools, isUnasked: fault !== null, text };
  } catch (error) {
    return { name, from, outcome: 'failed', text: reasonOf(error) };
  }
}

/** Where it leads, without what may be secret in it. */
function placeOf({ to }: Wanted): string {
  if ('program' in to) return `the program ${to.program.command}`;
  const url = URL.parse(to.url);
  return `${to.type} ${url === null ? 'without an address' : `${url.origin}${url.pathname}`}`;
}

/** What a person has to know; anything else is a fault of this program and ends the command. */
function reasonOf(error: unknown): string {
  if (error instanceof UsageError || error instanceof ToolError) return error.message;
  throw error;
}
