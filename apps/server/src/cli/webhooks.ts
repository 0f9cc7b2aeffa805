/** `parley webhooks`: who outside hears of what happens, for events of every kind. */
import type { Webhook, WebhookOutcome } from '@parley/events';
import type { Caller } from '@parley/kit';
import { isGranted, mayAdminister } from '@parley/kit';
import { loadConfig, UsageError } from '../config.ts';
import { printable } from '../printable.ts';
import type { Host } from '../start/host.ts';
import type { Command } from './main.ts';
import { nearTypes } from './near-types.ts';
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
  for (const pattern of webhook.events) noteUnknown(pattern, host.events.ownTypes);
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
  const all = await Promise.all(
    found.map(async (webhook) => {
      const last = await host.events.webhooks.lastOutcome(caller.organizationId, webhook.id);
      return { webhook, last };
    }),
  );
  const rows = all.map(({ webhook: { id, state, url, events }, last }) => [
    id,
    state,
    url,
    events.join(','),
    outcomeText(last),
  ]);
  return {
    json: all.map(({ webhook, last }) => ({ ...show(webhook), last })),
    text: table(['ID', 'STATE', 'URL', 'EVENTS', 'LAST OUTCOME'], rows),
  };
};

const OUTCOME_LENGTH = 60;

function outcomeText({ outcome, error }: WebhookOutcome): string {
  if (error === null) return outcome === 'none' ? 'none yet' : outcome;
  return `${outcome}: ${error.length > OUTCOME_LENGTH ? `${error.slice(0, OUTCOME_LENGTH)}...` : error}`;
}

/** Programs publish types of their own, so one that nobody knows is made all the same. */
function noteUnknown(pattern: string, types: ReadonlySet<string>): void {
  const near = nearTypes(pattern, types);
  if (near === undefined) return;
  const meant = near.length === 0 ? '' : ` Near: ${near.join(', ')}.`;
  const text = `Parley itself publishes nothing that fits ${pattern}; it is for types of your own.${meant}`;
  process.stderr.write(`Note: ${printable(text)}\n`);
}

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
