/** `parley webhooks`: who outside hears of what happens, for events of every kind. */
import type { Webhook } from '@parley/events';
import type { Caller } from '@parley/kit';
import { isGranted, mayAdminister } from '@parley/kit';
import { loadConfig, UsageError } from '../config.ts';
import { printable } from '../printable.ts';
import type { Host } from '../start/host.ts';
import type { Command } from './main.ts';
import { withCaller } from './session.ts';
import { table } from './table.ts';

const USAGE = 'Usage: parley webhooks add URL --events TYPE[,TYPE...] | list | test ID | remove ID';

interface Acting {
  readonly host: Host;
  readonly caller: Caller;
  readonly events: readonly string[];
}

type WebhooksCommand = (acting: Acting, given: string) => Promise<Outcome>;

interface Outcome {
  readonly json: unknown;
  readonly text: string;
  /** What was asked for did not come about: exit code 1. */
  readonly isFailure?: boolean;
}

/** Runs one of the webhook commands. */
export const webhooks: Command = async (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, { extra: { events: 'list' }, toolsets });
  const [action = '', given = '', ...rest] = positionals;
  const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (run === undefined || rest.length > 0 || (given === '') !== (action === 'list'))
    throw new UsageError(USAGE);
  const events = Array.isArray(extras.events) ? extras.events.flatMap((text) => text.split(',')) : [];
  return withCaller(config, toolsets, async (host, caller) => {
    // A webhook hears of everything that happens here.
    if (!mayAdminister(caller) || !isGranted(caller.grants, '*', '*'))
      throw new Error('Only an owner or admin, with a key for everything, may manage webhooks.');
    const { json, text, isFailure = false } = await run({ host, caller, events }, given);
    process.stdout.write(`${config.json ? JSON.stringify(json) : text}\n`);
    return isFailure ? 1 : 0;
  });
};

const add: WebhooksCommand = async ({ host, caller, events }, url) => {
  if (events.length === 0) throw new UsageError(USAGE);
  const { organizationId, userId } = caller;
  const made = await host.events.webhooks.create(organizationId, {
    url,
    events,
    ...(userId !== null && { createdBy: userId }),
  });
  const { webhook, secret } = made;
  const lines = [
    `Webhook ${webhook.id} hears of ${printable(webhook.events.join(', '))}`,
    'This is the only time its signing secret is shown:',
    '',
    secret,
  ];
  return { json: { ...show(webhook), secret }, text: lines.join('\n') };
};

const list: WebhooksCommand = async ({ host, caller }) => {
  const found = await host.events.webhooks.list(caller.organizationId);
  const rows = found.map(({ id, state, url, events }) => [
    id,
    state,
    printable(url),
    printable(events.join(',')),
  ]);
  return { json: found.map(show), text: table(['ID', 'STATE', 'URL', 'EVENTS'], rows) };
};

const test: WebhooksCommand = async ({ host, caller }, id) => {
  const answer = await host.events.webhooks.test(caller.organizationId, id);
  const { status, durationMs, error } = answer;
  const text =
    error === undefined
      ? `The receiver took the test event (${status}, ${durationMs} ms).`
      : `The receiver did not take it: ${printable(error)}`;
  return { json: answer, text, isFailure: error !== undefined };
};

const remove: WebhooksCommand = async ({ host, caller }, id) => {
  await host.events.webhooks.remove(caller.organizationId, id);
  return { json: { id }, text: `Webhook ${id} is removed, with its deliveries.` };
};

const ACTIONS: Readonly<Record<string, WebhooksCommand>> = { add, list, test, remove };

function show({ id, url, events, state, disabledReason }: Webhook): object {
  return { id, url, events, state, disabledReason };
}
