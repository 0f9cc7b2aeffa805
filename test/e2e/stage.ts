/** The whole scene of a browser test: the product, a site that carries its tag, a browser, and an agent. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ROOT } from '../product/build.ts';
import { callTool } from '../product/mcp-messages.ts';
import type { Server } from '../product/parley.ts';
import { scratchFolder, startParley } from '../product/parley.ts';
import { launchChromium } from './chromium.ts';
import type { Browser, Context, Locator, Page } from './playwright.ts';
import type { Site } from './site.ts';
import { serveSite } from './site.ts';

const SHOTS = join(ROOT, 'test/artifacts/e2e');

/** A note as the agent reads it. */
export interface Note {
  readonly id: string;
  readonly number: number;
  readonly sessionId: string;
  readonly status: string;
  readonly annotationText: string;
  readonly kind: string;
  readonly selector: string;
  readonly elementPath: string;
  readonly element: string;
  readonly domSnapshot: string;
  readonly selectionText?: string;
  readonly nearbyText?: string;
  readonly diffRevision?: number;
  readonly targets?: { readonly selector: string }[];
  readonly replies: { readonly author: string; readonly message: string }[];
}

/** An agent that speaks MCP. */
export interface Agent {
  call<T = Note>(name: string, args?: Record<string, unknown>): Promise<T>;
  /** All notes of all sessions. */
  notes(): Promise<Note[]>;
  /** The one note with this text, waited for. */
  noteSaying(text: string): Promise<Note>;
}

/** The scene. */
export interface Stage extends AsyncDisposable {
  readonly server: Server;
  readonly site: Site;
  readonly browser: Browser;
  /** The script tag that the server printed. */
  readonly overlayTag: string;
  readonly agent: Agent;
  /** A tab of a new profile on a page of the site. */
  open(path: string, options?: Parameters<Browser['newContext']>[0]): Promise<Tab>;
  /** Stops the server and starts it again on the same port and data. */
  restart(whileStopped?: () => Promise<void>): Promise<void>;
}

/** A tab with its profile and what went wrong in it. */
export interface Tab {
  readonly page: Page;
  readonly context: Context;
  readonly errors: string[];
  /** Keeps a picture of the tab. */
  shot(name: string): Promise<void>;
}

/** Builds the scene. */
export async function openStage(): Promise<Stage> {
  await ensureBuilt();
  mkdirSync(SHOTS, { recursive: true });
  const folder = scratchFolder();
  let server = await startParley(folder.path);
  const { overlayTag } = JSON.parse(server.stdout().split('\n')[0] ?? '') as { overlayTag: string };
  const site = await serveSite(overlayTag);
  const browser = await launchChromium();
  return {
    get server() {
      return server;
    },
    site,
    browser,
    overlayTag,
    agent: agentOf(() => server),
    open: (path, options) => openTab(browser, `${site.url}/${path}`, options),
    async restart(whileStopped) {
      const port = new URL(server.url).port;
      await server.stop();
      await whileStopped?.();
      server = await startParley(folder.path, { args: ['--port', port] });
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await site[Symbol.asyncDispose]();
      await server.stop();
      folder[Symbol.dispose]();
    },
  };
}

async function openTab(
  browser: Browser,
  url: string,
  options?: Parameters<Browser['newContext']>[0],
): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 760 }, ...options });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  // Pictures are taken of things that stand still.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(url);
  await toolbar(page).waitFor();
  await waitUntilOnline(page);
  return {
    page,
    context,
    errors,
    shot: async (name) => {
      await page.screenshot({ path: join(SHOTS, `${name}.png`) });
    },
  };
}

/** Waits until the page's session is there. */
export async function waitUntilOnline(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^(No agent|Agent is)/ }).waitFor();
}

function agentOf(server: () => Server): Agent {
  const call = async <T>(name: string, args: Record<string, unknown> = {}): Promise<T> => {
    const { body, text } = await callTool(server(), name, args);
    if (body.result === undefined || body.result.isError) throw new Error(text);
    return body.result.structuredContent as T; // each tool's own shape
  };
  const notes = async (): Promise<Note[]> => {
    const { sessions } = await call<{ sessions: { id: string }[] }>('list_sessions');
    const all = await Promise.all(
      sessions.map(({ id }) => call<{ annotations: Note[] }>('get_session', { id, detail: 'full' })),
    );
    return all.flatMap(({ annotations }) => annotations);
  };
  return {
    call,
    notes,
    async noteSaying(text) {
      for (;;) {
        const found = (await notes()).filter((note) => note.annotationText === text);
        if (found.length > 1) throw new Error(`${found.length} notes say "${text}".`);
        if (found[0] !== undefined) return found[0];
        await call('watch_annotations', { timeoutMs: 200 });
      }
    },
  };
}

/** The overlay's toolbar. */
export function toolbar(page: Page): Locator {
  return page.getByRole('toolbar', { name: 'Parley' });
}

/** All pins that are shown. */
export function pins(page: Page): Locator {
  return page.locator('.pin:not([hidden])');
}

/** The pin with a number. */
export function pin(page: Page, number: number): Locator {
  return page.getByRole('button', { name: new RegExp(`^Note ${number}, `) });
}

/** Begins to pick. */
export async function inspect(page: Page): Promise<void> {
  await page.keyboard.press('Alt+Shift+KeyA');
  await page.locator('.bar [aria-pressed=true]').waitFor();
}

/** Writes the note into the open panel and sends it. */
export async function writeNote(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your note').fill(text);
  await page.getByRole('button', { name: 'Add note' }).click();
}

/** Picks one element and writes a note about it. */
export async function annotate(page: Page, selector: string, text: string): Promise<void> {
  await inspect(page);
  await page.locator(selector).click();
  await writeNote(page, text);
}
