/** `parley pages`: the tokens that annotated pages connect with are listed, bound and revoked here. */
import { annotationsToolset, overlayTag } from '@parley/annotations';
import type { Caller } from '@parley/kit';
import { isGranted, isToolResult, mayAdminister } from '@parley/kit';
import type { Config } from '../config.ts';
import { commandWord, loadConfig, UsageError } from '../config.ts';
import type { Host } from '../start/host.ts';
import { addressOf } from './address.ts';
import type { Command } from './main.ts';
import { withCaller, withExtendedTools } from './session.ts';
import { table } from './table.ts';

const USAGE = 'Usage: parley pages list | allow ORIGIN... | revoke ID | create';

/** A token as the tools show it. */
interface PageToken {
  readonly id: string;
  readonly state: 'valid' | 'revoked';
  readonly origins: readonly string[];
  readonly pages: number;
  readonly createdAt: string;
}

interface Acting {
  readonly host: Host;
  readonly caller: Caller;
  readonly config: Config;
}

type PagesCommand = (acting: Acting, rest: readonly string[]) => Promise<{ json: unknown; text: string }>;

/** Runs one of the page commands. */
export const pages: Command = async (args, toolsets) => {
  const { config, positionals } = loadConfig(args, { toolsets });
  const [action = '', ...rest] = positionals;
  const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (run === undefined) throw new UsageError(USAGE);
  return withCaller(config, toolsets, async (host, caller) => {
    const { json, text } = await run({ host, caller, config }, rest);
    process.stdout.write(`${config.json ? JSON.stringify(json) : text}\n`);
    return 0;
  });
};

const list: PagesCommand = async (acting, rest) => {
  if (rest.length > 0) throw new UsageError(USAGE);
  const found = await listed(acting);
  const rows = found.map(({ id, state, pages: connected, createdAt, origins }) => [
    id,
    state,
    String(connected),
    createdAt.slice(0, 16).replace('T', ' '),
    origins.length === 0 ? 'any that the server allows' : origins.join(' '),
  ]);
  return { json: found, text: table(['ID', 'STATE', 'PAGES', 'CREATED', 'ORIGINS'], rows) };
};

const allow: PagesCommand = async (acting, rest) => {
  if (rest.length === 0) throw new UsageError(USAGE);
  const valid = (await listed(acting)).find(({ state }) => state === 'valid');
  if (valid === undefined) {
    throw new Error(
      `There is no valid page token. "${commandWord()} start" and "${commandWord()} pages create" make one.`,
    );
  }
  const origins = rest.length === 1 && rest[0] === 'any' ? [] : rest;
  const token = await callAs<PageToken>(acting, 'update_page_token', { id: valid.id, origins });
  const text =
    token.origins.length === 0
      ? `Page token ${token.id} is bound to no origin: loopback pages and those of --allow-origin may use it.`
      : `Only pages of ${token.origins.join(', ')} may use page token ${token.id}.`;
  return { json: token, text };
};

const revoke: PagesCommand = async (acting, [id, ...rest]) => {
  if (id === undefined || rest.length > 0) throw new UsageError(USAGE);
  const token = await callAs<PageToken>(acting, 'revoke_page_token', { id });
  const text = `Page token ${token.id} is revoked. The next "${commandWord()} start" makes a new one and prints its script tag.`;
  return { json: token, text };
};

const create: PagesCommand = async ({ host, caller, config }, rest) => {
  if (rest.length > 0) throw new UsageError(USAGE);
  requireRight(caller, 'update_page_token');
  const { id, text: token } = await host
    .servicesOf(annotationsToolset)
    .pageTokens.create(caller.organizationId);
  const tag = overlayTag(addressOf(config), token);
  const text = `Page token ${id} is made. Its script tag, for a server on the same port:\n\n  ${tag}`;
  return { json: { id, token, overlayTag: tag }, text };
};

const ACTIONS: Readonly<Record<string, PagesCommand>> = { list, allow, revoke, create };

async function listed(acting: Acting): Promise<readonly PageToken[]> {
  return (await callAs<{ pageTokens: readonly PageToken[] }>(acting, 'list_page_tokens', {})).pageTokens;
}

/** Calls a tool as the caller, so that rights, texts and records are those of every other way. */
async function callAs<Result>({ host, caller }: Acting, name: string, input: object): Promise<Result> {
  requireRight(caller, name);
  const engine = host.engine();
  const answer = await engine.call(withExtendedTools(caller, engine.common.tools), name, input, {
    info: { id: null, era: 'local', client: 'parley-cli' },
    signal: () => new AbortController().signal,
  });
  if (!isToolResult(answer)) throw new Error(`${name} asks for input that the command line cannot give.`);
  if (answer.isError === true) {
    const texts = answer.content.map((block) => (block.type === 'text' ? block.text : ''));
    throw new Error(texts.join(' ').replace(/^Error: /, ''));
  }
  // Each tool's output is validated against the schema that says this.
  return answer.structuredContent as Result;
}

function requireRight(caller: Caller, tool: string): void {
  if (mayAdminister(caller) && isGranted(caller.grants, annotationsToolset.name, tool)) return;
  throw new Error(
    'This key may not manage page tokens. Use the owner key, or a key that an administrator made.',
  );
}
