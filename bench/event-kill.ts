/** Owns the count after a replica is killed: what was published is looked for at its receivers, and cron is watched. */
import { setTimeout as pause } from 'node:timers/promises';
import { publishAll, SAMPLED } from './event-publishers.ts';
import { startReceiver, SUBSCRIBERS } from './event-receiver.ts';
import type { Arrival, Failing, Receiver, Subscriber } from './event-receiver.ts';
import { callTool, runCommand, startReplica } from './event-replica.ts';
import type { Replica } from './event-replica.ts';
import { inFolder } from './scratch-folder.ts';

/** What became of everything that was published. */
export interface EventKillCount {
  published: number;
  /** Publications that the killed replica took without an answer; they were made again. */
  unanswered: number;
  /** Requests with events to the receivers, and those that failed by chance. */
  requests: number;
  failures: number;
  /** Deliveries that never came. */
  lost: number;
  /** Deliveries that came again after they were taken. */
  repeated: number;
  /** Those of them that the killed replica cannot have held. */
  unexplained: number;
  /** Deliveries that are not finished, or dead, in the end. */
  open: number;
  /** The longest time without a firing at a receiver after the kill: until the lost lease is taken over. */
  silenceMs: number;
  ticks: number;
  /** Planned times that fired more than once, ids that two firings share, and firings after the cancellation. */
  wrongTicks: number;
  seconds: number;
}

export interface EventKillSettings {
  /** The program behind the command line. */
  script: string;
  databaseUrl: string;
  publications: number;
  failing: Failing;
}

/** One key may publish 100 events a second. */
const KEYS = 16;
/** What a replica has under way at most: four requests to a webhook, a hundred events to a connection. */
const HELD: Record<Subscriber, number> = { webhook: 4, connection: 100 };
/** A webhook takes one event per request, so it hears of a tenth; the connection hears of all. */
const WANTED: Record<Subscriber, readonly string[]> = {
  webhook: [SAMPLED, 'tick', 'tock'],
  connection: ['load.*', 'tick', 'tock'],
};
const LIMIT_MS = 15 * 60_000;
const TICKS = 4;

/** Publishes to two replicas, kills one half way, and counts when everything has come to rest. */
export async function countAfterKill(settings: EventKillSettings): Promise<EventKillCount> {
  const receiver = await startReceiver(settings.failing);
  const replicas: Replica[] = [];
  try {
    return await inFolder(async (dataDir) => {
      const { script, databaseUrl } = settings;
      const installation = { script, dataDir, databaseUrl, flags: ['--allow-egress', receiver.host] };
      const survivor = await startReplica(installation);
      replicas.push(survivor);
      const doomed = await startReplica(installation);
      replicas.push(doomed);
      const hook = ['webhooks', 'add', `http://${receiver.host}/hook`, '--events', WANTED.webhook.join(',')];
      await runCommand(installation, ...hook);
      await subscribeConnection(ownerOf(survivor), `http://${receiver.host}/mcp`);
      return count(settings, receiver, { survivor, doomed });
    });
  } finally {
    await Promise.all(replicas.map(({ kill }) => kill()));
    await receiver.close();
  }
}

function ownerOf({ url, ownerKey }: Replica) {
  return { url, key: ownerKey };
}

async function subscribeConnection(owner: { url: string; key: string }, url: string): Promise<void> {
  const data = { title: 'Receiver', connection_type: 'HTTP', connection_url: url };
  const { item } = await callTool(owner, 'COLLECTION_CONNECTIONS_CREATE', { data });
  const { id: connectionId } = item as { id: string };
  for (const eventType of WANTED.connection)
    await callTool(owner, 'EVENT_SUBSCRIBE', { eventType, connectionId });
}

async function count(
  { publications }: EventKillSettings,
  receiver: Receiver,
  { survivor, doomed }: { survivor: Replica; doomed: Replica },
): Promise<EventKillCount> {
  const { arrivals } = receiver;
  const owner = ownerOf(survivor);
  const keys = await Promise.all(Array.from({ length: KEYS }, (_, index) => makeKey(owner, index)));
  const startedMs = performance.now();
  const plan = { cron: '* * * * * *', type: 'tick' };
  const { id: scheduleId } = await callTool(owner, 'EVENT_PUBLISH', plan);

  const publishing = publishAll(publications, keys, [survivor.url, doomed.url]);
  await until('nothing arrives', () => {
    const hasArrived = SUBSCRIBERS.every((each) => arrivals.some(({ subscriber }) => subscriber === each));
    publishing.check();
    return hasArrived && publishing.ids.size >= publications / 2;
  });
  await doomed.kill();
  const killedMs = performance.now();
  publishing.leave(doomed.url);
  await publishing.done;

  const isTaken = (arrival: Arrival) => arrival.isTaken && arrival.type.startsWith('load.');
  const missing = () =>
    SUBSCRIBERS.flatMap((each) => {
      const taken = arrivals.filter((arrival) => isTaken(arrival) && arrival.subscriber === each);
      const ids = new Set(taken.map(({ id }) => id));
      const wanted = each === 'webhook' ? publishing.sampled : publishing.ids;
      return [...wanted].filter((id) => !ids.has(id));
    });
  const ticks = () => new Set(arrivals.filter(({ type }) => type === 'tick').map(({ id }) => id));
  await until('events do not arrive', () => missing().length === 0, false);
  await until('cron does not fire', () => ticks().size >= TICKS);
  const { cancelled } = await callTool(owner, 'EVENT_CANCEL', { eventId: scheduleId });
  const cancelledAt = new Date().toISOString();
  // whatever fired after the cancellation would be here before these
  const { id: laterId } = await callTool(owner, 'EVENT_PUBLISH', { ...plan, type: 'tock' });
  await until(
    'cron does not fire again',
    () => arrivals.filter(({ scheduleId: id }) => id === laterId).length > 2 * SUBSCRIBERS.length,
  );
  await callTool(owner, 'EVENT_CANCEL', { eventId: laterId });
  let open = await openDeliveries(owner);
  await until('deliveries stay open', async () => (open = await openDeliveries(owner)) === 0, false);

  const loads = arrivals.filter(isTaken);
  const repeats = SUBSCRIBERS.map((each) => repeatsOf(each, loads, killedMs));
  return {
    published: publishing.ids.size,
    unanswered: publishing.unanswered(),
    requests: receiver.requests,
    failures: receiver.failures,
    lost: missing().length,
    repeated: sum(repeats.map(({ repeated }) => repeated)),
    unexplained: sum(repeats.map(({ unexplained }) => unexplained)),
    open,
    silenceMs: Math.round(Math.max(...SUBSCRIBERS.map((each) => silenceOf(arrivals, each, killedMs)))),
    ticks: ticks().size,
    wrongTicks:
      wrongTicks(
        arrivals.filter(({ type }) => type === 'tick'),
        String(scheduleId),
        cancelledAt,
      ) + (cancelled === true ? 0 : 1),
    seconds: Math.round((performance.now() - startedMs) / 1000),
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** What came again: explained is what arrived before the kill and once after it, as much as one replica can hold. */
function repeatsOf(subscriber: Subscriber, taken: readonly Arrival[], killedMs: number) {
  const own = taken.filter((arrival) => arrival.subscriber === subscriber);
  const repeats = [...Map.groupBy(own, ({ id }) => id).values()].filter(({ length }) => length > 1);
  const explained = repeats.filter(([first, , third]) => third === undefined && first!.atMs <= killedMs);
  const unexplained = repeats.length - Math.min(explained.length, HELD[subscriber]);
  return { repeated: repeats.length, unexplained };
}

async function makeKey(owner: { url: string; key: string }, index: number): Promise<string> {
  const permissions = { self: ['EVENT_PUBLISH'] };
  const { key } = await callTool(owner, 'API_KEY_CREATE', { name: `Publisher ${index}`, permissions });
  return String(key);
}

/** Deliveries that wait, are under way, or are dead. */
async function openDeliveries(owner: { url: string; key: string }): Promise<number> {
  const { organizations } = await callTool(owner, 'ORGANIZATION_LIST', {});
  const [{ id }] = organizations as [{ id: string }];
  const counts = ['pending', 'processing', 'dead'].map(async (status) => {
    const url = `${owner.url}/api/organizations/${id}/deliveries?status=${status}&limit=100`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${owner.key}` } });
    const { data } = (await response.json()) as { data: { deliveries: unknown[] } };
    return data.deliveries.length;
  });
  return sum(await Promise.all(counts));
}

/** The longest time between two firings that arrived after a moment. */
function silenceOf(arrivals: readonly Arrival[], subscriber: Subscriber, fromMs: number): number {
  const ticks = arrivals.filter((one) => one.subscriber === subscriber && one.type === 'tick');
  const times = ticks.map(({ atMs }) => atMs);
  const after = [fromMs, ...times.filter((atMs) => atMs > fromMs)];
  return Math.max(...after.slice(1).map((atMs, index) => atMs - after[index]!));
}

function wrongTicks(ticks: readonly Arrival[], scheduleId: string, cancelledAt: string): number {
  const idsByTime = Map.groupBy(ticks, ({ time }) => time);
  const timesById = Map.groupBy(ticks, ({ id }) => id);
  const isTwofold = (of: readonly Arrival[], part: 'id' | 'time') =>
    new Set(of.map((one) => one[part])).size > 1;
  return (
    [...idsByTime.values()].filter((of) => isTwofold(of, 'id')).length +
    [...timesById.values()].filter((of) => isTwofold(of, 'time')).length +
    ticks.filter((one) => one.scheduleId !== scheduleId || one.time > cancelledAt).length
  );
}

/** Waits for something; when it never comes this throws, or ends where the count tells. */
async function until(what: string, isSo: () => boolean | Promise<boolean>, mustBe = true): Promise<void> {
  const endMs = performance.now() + LIMIT_MS;
  while (!(await isSo())) {
    if (performance.now() > endMs) {
      if (mustBe) throw new Error(`It takes too long: ${what}.`);
      return;
    }
    await pause(50);
  }
}
