/** The annotation services alone as a bench process: watches for notes and makes them when told to. */
import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { annotationMigrations, createAnnotationServices } from '@parley/annotations';
import { openStore } from '@parley/store';
import { announce } from './serving.ts';
import { clockMs } from './task-kind.ts';

const { values } = parseArgs({
  options: { data: { type: 'string', default: '' }, 'database-url': { type: 'string' } },
});
const databaseUrl = values['database-url'];
const ORGANIZATION_ID = 'bench';
const ORIGIN = 'http://localhost:5173';
const WATCH_LIMIT_MS = 10_000;
const viewport = { width: 1280, height: 720, pixelRatio: 2 };
const place = { url: `${ORIGIN}/cart`, title: 'Cart', viewport };

const store = await openStore({ dataDir: values.data, ...(databaseUrl !== undefined && { databaseUrl }) });
await store.migrate([annotationMigrations]);
const services = createAnnotationServices({
  store,
  onFault: (error) => process.stderr.write(`${String(error)}\n`),
});

interface Answer {
  answeredMs: number;
  ids: string[];
}
let answers: Promise<Answer>[] = [];
let opening: ReturnType<typeof openPage> | undefined;

async function openPage() {
  const token = await services.pageTokens.find(await services.pageTokens.show(ORGANIZATION_ID), ORIGIN);
  if (!token) throw new Error('The page token of the bench is not valid.');
  const hello = { ...place, userAgent: 'Bench', framework: 'react' as const };
  return (await services.sessions.open(token, ORIGIN, hello)).row;
}

function page(): ReturnType<typeof openPage> {
  opening ??= openPage();
  return opening;
}

/** Starts watches, and returns once all of them wait. */
async function arm(count: number): Promise<object> {
  const { signal } = new AbortController();
  answers = Array.from({ length: count }, async () => {
    const options = { timeoutMs: WATCH_LIMIT_MS, batchWindowMs: 0, signal };
    const found = await services.watches.watch({ organizationId: ORGANIZATION_ID }, options);
    return { answeredMs: clockMs(), ids: found?.annotations.map(({ id }) => id) ?? [] };
  });
  while (services.watches.waiting < count) await turn();
  return {};
}

/** Makes one note, and tells when that was asked for and when it was committed. */
async function change(): Promise<object> {
  const session = await page();
  const note = {
    ...place,
    clientId: randomUUID(),
    annotationText: 'Make it blue',
    intent: 'change' as const,
    severity: 'important' as const,
    kind: 'element' as const,
    scroll: { x: 0, y: 120 },
    selector: '#pay',
    elementPath: 'body > main > button:nth-of-type(2)',
    element: 'button "Pay now"',
    domSnapshot: '<button id="pay">Pay now</button>',
    boundingBox: { x: 10, y: 20, width: 120, height: 32, fixed: false },
  };
  const askedMs = clockMs();
  const { annotation } = await services.person.create(session, note);
  return { id: annotation.id, askedMs, committedMs: clockMs() };
}

/** When each watch answered; an answer without the note, or with another one, ends the bench. */
async function answered(id: string): Promise<object> {
  const all = await Promise.all(answers);
  const wrong = all.find(({ ids }) => ids.length !== 1 || ids[0] !== id);
  if (wrong) throw new Error(`A watch answered [${wrong.ids.join(', ')}] where ${id} was made.`);
  return { answeredMs: all.map(({ answeredMs }) => answeredMs) };
}

// no port is open: the bench talks to this process through its control lines alone
announce(
  { url: '', key: '' },
  {
    async close() {
      await services.close();
      await store.close();
    },
    commands: {
      open: async () => ({ sessionId: (await page()).id }),
      arm: (count) => arm(Number(count)),
      change,
      answered,
      clear: async () => ({ cleared: await services.person.clear(await page()) }),
    },
  },
);
