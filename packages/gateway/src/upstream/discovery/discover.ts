/** Everything that an upstream has, read to the end and checked item by item. */
import type { Definition, Discovered, Dropped, ServerSeen } from '@parley/connections';
import { hasHiddenText } from '@parley/connections';
import { unkeepableIn, unkeepableText } from '@parley/kit';
import { keepable } from '../keepable.ts';
import type { Link, ServerFacts } from '../link.ts';
import { UpstreamFault } from '../link.ts';
import { ANSWER_MS, MAX_DROPPED } from '../limits.ts';
import { withoutOwnMeta } from '../own-meta.ts';
import { isShallow, checked, LISTS } from './shapes.ts';
import type { ListKind } from './shapes.ts';
import type { AskPage } from './pages.ts';
import { wholeList } from './pages.ts';
import { uiDocuments } from './ui-documents.ts';

const SKILLS = 'io.modelcontextprotocol/skills';
const METHOD_NOT_FOUND = -32601;
const LONGEST_INSTRUCTIONS = 100_000;

export interface DiscoverOptions {
  /** The time for each request. */
  readonly limitMs?: number;
  /** True: the lists are made here of what a service describes, and say of themselves what is ours to say. */
  readonly isTranslated?: boolean;
}

/** Asks for all lists, one after the other; throws an `UpstreamFault` when one of them is not complete. */
export async function discover(
  link: Link,
  signal: AbortSignal,
  { limitMs = ANSWER_MS.HTTP, isTranslated = false }: DiscoverOptions = {},
): Promise<Discovered> {
  const facts = await link.facts(signal);
  const dropped: Dropped[] = [];
  const ttls: number[] = [];
  let requests: NonNullable<Discovered['requests']> = {};
  const ask: AskPage = async (method, params) => {
    const page = await link.request({ method, params, capabilities: {}, signal, limitMs, isRead: true });
    return isTranslated ? page : withoutOwnMeta(page);
  };
  const list = async <Kind extends ListKind>(kind: Kind) => {
    if (!offers(facts, kind)) return [];
    const { items, ttlMs, leftOut, ...more } = await wholeList(ask, LISTS[kind]).catch((error: unknown) => {
      if (kind !== 'tools' && isUnknownMethod(error)) return NOTHING;
      throw error;
    });
    if (kind === 'tools') requests = more.requests;
    if (ttlMs !== null) ttls.push(ttlMs);
    dropped.push(
      ...leftOut.map(({ what, reason }) => ({ kind, name: keepable(what), reason: keepable(reason) })),
    );
    return kept(kind, items, dropped);
  };
  const found = {
    tools: await list('tools'),
    resources: await list('resources'),
    templates: await list('templates'),
    prompts: await list('prompts'),
    skills: await list('skills'),
  };
  const { tools, documents } = await uiDocuments(ask, found, dropped);
  return {
    ...found,
    tools,
    ...(documents !== undefined && { documents }),
    ...(isTranslated && { requests }),
    server: serverSeen(facts, dropped),
    dropped: dropped.slice(0, MAX_DROPPED),
    ttlMs: ttls.length === 0 ? null : Math.min(...ttls),
  };
}

const NOTHING = { items: [], ttlMs: null, leftOut: [], requests: {} };

/** Many servers say that they have something and know no method for it. */
function isUnknownMethod(error: unknown): boolean {
  return error instanceof UpstreamFault && error.rpc?.code === METHOD_NOT_FOUND;
}

function offers({ capabilities }: ServerFacts, kind: ListKind): boolean {
  if (kind === 'skills') return isObject(capabilities['extensions']) && SKILLS in capabilities['extensions'];
  return isObject(capabilities[kind === 'templates' ? 'resources' : kind]);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

type ItemOf<Kind extends ListKind> = (typeof LISTS)[Kind]['shape']['_output'];

/** The items that are what they should be; the second of a name is left out. */
function kept<Kind extends ListKind>(
  kind: Kind,
  items: readonly unknown[],
  dropped: Dropped[],
): ItemOf<Kind>[] {
  const { shape, key } = LISTS[kind];
  const found = new Map<unknown, ItemOf<Kind>>();
  for (const given of items) {
    const outcome = checked<Definition>(shape, given);
    const reason =
      'reason' in outcome ? outcome.reason : objection(kind, outcome.data, found.has(outcome.data[key]));
    if (reason !== undefined) dropped.push({ kind, name: nameIn(given, key), reason });
    else if ('data' in outcome) {
      const { item, bad } = withFitIcons(outcome.data);
      if (bad > 0) dropped.push({ kind, name: `icons of ${nameIn(given, key)}`, reason: BAD_ICONS });
      // The shape of this very kind made it.
      found.set(item[key], item as ItemOf<Kind>);
    }
  }
  return [...found.values()];
}

const BAD_ICONS = 'They lead to no picture: only https, http and data:image addresses are passed on.';
const ICON_ADDRESS = /^(?:https?:\/\/|data:image\/)/i;

/** The definition without icons that lead where no picture is, and how many those are. */
function withFitIcons(item: Definition): { readonly item: Definition; readonly bad: number } {
  const { icons, ...rest } = item;
  if (icons === undefined) return { item, bad: 0 };
  const all: readonly unknown[] = Array.isArray(icons) ? icons : [icons];
  const fit = Array.isArray(icons) ? all.filter(isFitIcon) : [];
  const bad = all.length - fit.length;
  if (bad === 0) return { item, bad };
  return { item: { ...rest, ...(fit.length > 0 && { icons: fit }) }, bad };
}

function isFitIcon(icon: unknown): boolean {
  if (!isObject(icon) || !('src' in icon)) return false;
  return typeof icon.src === 'string' && ICON_ADDRESS.test(icon.src);
}

function objection(kind: ListKind, item: Definition, isSecond: boolean): string | undefined {
  if (isSecond) return 'Another one has the same name.';
  // A tool is kept and held for somebody to look at; nobody is asked about the others.
  if (kind !== 'tools' && hasHiddenText(item)) return 'hidden_text: it has characters that cannot be seen.';
  return undefined;
}

function nameIn(given: unknown, key: string): string | null {
  const name =
    isObject(given) && key in given ? Object.entries(given).find(([field]) => field === key)?.[1] : null;
  return typeof name === 'string' ? keepable(name.slice(0, 200)) : null;
}

/** What a server says about itself, without what is too much or cannot be seen. */
function serverSeen(facts: ServerFacts, dropped: Dropped[]): ServerSeen {
  const { era, protocolVersion, info } = facts;
  const { instructions } = facts;
  const drop = (name: string, reason: string) => {
    dropped.push({ kind: 'server', name, reason });
    return null;
  };
  const words = () => {
    if (instructions === null) return null;
    if (instructions.length > LONGEST_INSTRUCTIONS)
      return drop('instructions', `They have more than ${LONGEST_INSTRUCTIONS} characters.`);
    const unkeepable = unkeepableText(instructions);
    if (unkeepable !== undefined) return drop('instructions', `They ${unkeepable}.`);
    if (hasHiddenText(instructions))
      return drop('instructions', 'hidden_text: they have characters that cannot be seen.');
    return instructions;
  };
  const said = () => {
    if (!isShallow(facts.capabilities)) return {};
    const unkeepable = unkeepableIn(facts.capabilities);
    if (unkeepable === undefined) return facts.capabilities;
    drop('capabilities', keepable(unkeepable).slice(0, 200));
    return {};
  };
  return { era, protocolVersion, capabilities: said(), info: keepableInfo(info), instructions: words() };
}

function keepableInfo(info: ServerFacts['info']): ServerFacts['info'] {
  if (info === null) return null;
  const { name, version, title } = info;
  const plain = { name: keepable(name), version: keepable(version) };
  return title === undefined ? plain : { ...plain, title: keepable(title) };
}
