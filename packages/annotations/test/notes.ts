/** Services over a real store with a page that annotates, for tests. */
import { randomUUID } from 'node:crypto';
import type { Caller, ChangeBus } from '@parley/kit';
import { createChangeBus } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import type { Store } from '@parley/store';
import type { Publisher } from '../src/events.ts';
import type { AnnotationLimits } from '../src/limits.ts';
import type { ClientPayload } from '../src/link/messages.ts';
import { annotationMigrations } from '../src/migrations/index.ts';
import type { AnnotationTables, SessionRow } from '../src/schema.ts';
import type { AnnotationServices } from '../src/services/index.ts';
import { createAnnotationServices } from '../src/services/index.ts';
import type { Annotation, PageAnnotation } from '../src/shapes.ts';

/** The organization of the tests, and a stranger's. */
export const ORGANIZATION = 'org_test';
export const STRANGER: Caller = testCaller({ id: 'caller_stranger', organizationId: 'org_stranger' });
export const AGENT: Caller = testCaller({ name: 'Agent' });
export const ORIGIN = 'http://localhost:5173';

/** A unified diff. */
export const DIFF = '--- a/src/app.css\n+++ b/src/app.css\n@@ -1,1 +1,1 @@\n-color: red;\n+color: blue;\n';

/** What a page says of itself. */
export const PAGE = {
  url: `${ORIGIN}/cart?step=2`,
  title: 'Cart',
  viewport: { width: 1280, height: 720, pixelRatio: 2 },
  userAgent: 'Test browser',
  framework: 'react',
} as const;

/** A note as a page sends it. */
export function note(
  changes: Partial<ClientPayload<'annotation:create'>> = {},
): ClientPayload<'annotation:create'> {
  return {
    clientId: randomUUID(),
    annotationText: 'Make it blue',
    intent: 'change',
    severity: 'important',
    kind: 'element',
    url: PAGE.url,
    title: PAGE.title,
    viewport: PAGE.viewport,
    scroll: { x: 0, y: 120 },
    selector: '#pay',
    elementPath: 'body > main > button:nth-of-type(2)',
    element: 'button "Pay now"',
    domSnapshot: '<button id="pay">Pay now</button>',
    boundingBox: { x: 10, y: 20, width: 120, height: 32, fixed: false },
    ...changes,
  };
}

/** A note of a page without what only the page gets. */
export function asAgentsSee(given: Annotation | PageAnnotation): Annotation {
  const { clientId: _own, ...shown } = { clientId: '', ...given };
  return shown;
}

/** What a test may change. */
export interface DeskOptions {
  readonly limits?: Partial<AnnotationLimits>;
  readonly now?: () => number;
  readonly events?: Publisher;
}

/** Services with one page token and pages made on demand. */
export interface Desk {
  readonly services: AnnotationServices;
  readonly bus: ChangeBus;
  readonly faults: unknown[];
  readonly token: string;
  page(organizationId?: string): Promise<SessionRow>;
  /** A note of a page, made on demand. */
  note(page?: SessionRow, changes?: Partial<ClientPayload<'annotation:create'>>): Promise<Annotation>;
}

/** Opens the services over a store that is migrated first. */
export async function openDesk(store: Store, options: DeskOptions = {}): Promise<Desk> {
  await store.migrate([annotationMigrations]);
  const bus = createChangeBus();
  const faults: unknown[] = [];
  const services = createAnnotationServices({
    store,
    changes: bus,
    onFault: (error) => faults.push(error),
    ...options,
  });
  const page = async (organizationId = ORGANIZATION) => {
    const token = await services.pageTokens.find(await services.pageTokens.show(organizationId), ORIGIN);
    if (token === undefined) throw new Error('The page token of the test is not valid.');
    return (await services.sessions.open(token, ORIGIN, PAGE)).row;
  };
  return {
    services,
    bus,
    faults,
    token: await services.pageTokens.show(ORGANIZATION),
    page,
    async note(session, changes) {
      return asAgentsSee((await services.person.create(session ?? (await page()), note(changes))).annotation);
    },
  };
}

/** Writes a thread as no surface lets anybody write it any more. */
export async function writeThread(
  store: Store,
  annotationId: string,
  messages: readonly string[],
): Promise<void> {
  const rows = messages.map((message, index) => ({
    id: `rpl_${annotationId}_${index + 1}`,
    organization_id: ORGANIZATION,
    annotation_id: annotationId,
    position: index + 1,
    author: 'user' as const,
    author_name: null,
    message,
    created_at: index + 1,
  }));
  for (let at = 0; at < rows.length; at += 50)
    await store
      .db<AnnotationTables>()
      .insertInto('annotation_replies')
      .values(rows.slice(at, at + 50))
      .execute();
}
