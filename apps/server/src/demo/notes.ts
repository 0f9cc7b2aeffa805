/** Annotations of the demo: sessions of pages, their notes with pictures and threads, at times of the past. */
import { randomUUID } from 'node:crypto';
import type { AnnotationServices } from '@parley/annotations';
import { annotationsToolset, createAnnotationServices } from '@parley/annotations';
import type { DemoNote, DemoPage, Deed } from './note-texts.ts';
import { PAGES } from './note-texts.ts';
import { drawPage } from './pictures.ts';
import type { Part, Scene } from './scene.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './scene.ts';

const VIEWPORT = { width: 640, height: 400, pixelRatio: 1 };
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';

// An agent of the demo answers to nobody, and must not lose its notes while somebody looks at them.
const HELD_MS = 30 * DAY_MS;

const MOST_TOKENS = 100;

interface Clock {
  at: number;
}

type SessionOfPage = Awaited<ReturnType<AnnotationServices['sessions']['open']>>['row'];

export const notes: Part = {
  name: 'annotations',
  isThere: async ({ host, organizationId }) =>
    (await host.servicesOf(annotationsToolset).sessions.list(organizationId)).total > 0,
  async play(scene) {
    const { host, organizationId, now } = scene;
    const clock = { at: now };
    const services = createAnnotationServices({
      store: host.store,
      events: host.events,
      now: () => clock.at,
      onFault: host.onFault,
      limits: { noteLeaseMs: HELD_MS },
    });
    try {
      // Made when there is none; an organization has one at a time.
      await services.pageTokens.show(organizationId);
      const tokens = await services.pageTokens.list(organizationId, MOST_TOKENS);
      const tokenId = tokens.find(({ state }) => state === 'valid')?.id;
      if (tokenId === undefined) throw new Error('The organization has no page token.');
      for (const page of PAGES.toReversed()) await playPage(scene, services, clock, { page, tokenId });
    } finally {
      await services.close();
    }
  },
};

async function playPage(
  scene: Scene,
  services: AnnotationServices,
  clock: Clock,
  { page, tokenId }: { readonly page: DemoPage; readonly tokenId: string },
): Promise<void> {
  const { url, title, framework, project, hoursAgo } = page;
  const { organizationId, now } = scene;
  clock.at = now - hoursAgo * HOUR_MS;
  const token = { id: tokenId, organizationId, projectId: project };
  const hello = { url, title, framework, viewport: VIEWPORT, userAgent: BROWSER };
  const { row } = await services.sessions.open(token, new URL(url).origin, hello);
  for (const note of page.notes) await playNote(scene, services, clock, { page, note, row });
}

async function playNote(
  { owner }: Scene,
  services: AnnotationServices,
  clock: Clock,
  { page, note, row }: { readonly page: DemoPage; readonly note: DemoNote; readonly row: SessionOfPage },
): Promise<void> {
  clock.at += 4 * MINUTE_MS;
  const { picture } = note;
  const screenshot =
    picture && (await services.screenshots.add(row, drawPage(picture, note.place), 'image/png'));
  const { annotation } = await services.person.create(row, {
    ...capturedOf(page, note),
    clientId: randomUUID(),
    annotationText: note.text,
    intent: note.intent,
    severity: note.severity,
    ...(screenshot !== undefined && { screenshotId: screenshot.id }),
  });
  const agent = { ...owner, name: 'Claude Code', source: 'key' as const, client: 'Claude Code' };
  for (const deed of note.deeds) {
    clock.at += 7 * MINUTE_MS;
    // Whoever closes a note has to have read what the person wrote.
    await services.words.show(agent, [await services.notes.get(agent.organizationId, annotation.id)]);
    await carryOut(services, deed, { id: annotation.id, row, agent });
  }
}

async function carryOut(
  services: AnnotationServices,
  deed: Deed,
  {
    id,
    row,
    agent,
  }: { id: string; row: SessionOfPage; agent: Parameters<AnnotationServices['agent']['reply']>[0] },
): Promise<void> {
  if (deed.does === 'takes') await services.agent.acknowledge(agent, id, deed.says);
  else if (deed.does === 'replies') await services.agent.reply(agent, id, deed.says);
  else if (deed.does === 'resolves') await services.agent.resolve(agent, id, deed.says);
  else if (deed.does === 'dismisses') await services.agent.dismiss(agent, id, deed.says);
  else if (deed.does === 'proposes') await services.diffs.propose(agent, id, deed.diff, deed.says);
  else await services.person.reply(row, { id, message: deed.says });
}

/** What the browser of the person would have seen. */
function capturedOf({ url, title }: DemoPage, note: DemoNote) {
  const [x, y, width, height] = note.place;
  const [tag = 'div'] = note.element.split(/[.#]/);
  return {
    kind: 'element' as const,
    url,
    title,
    viewport: VIEWPORT,
    scroll: { x: 0, y: 0 },
    componentName: note.component.at(-1) ?? '',
    componentTreePath: [...note.component],
    sourceFile: note.source,
    selector: note.selector,
    elementPath: `body > main > ${note.element}`,
    element: note.element,
    domSnapshot: `<${tag} class="${note.element.split('.').slice(1).join(' ')}">...</${tag}>`,
    boundingBox: { x, y, width, height, fixed: false },
  };
}
