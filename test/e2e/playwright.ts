/** The parts of playwright-core that the browser tests use; it is installed in test/tools, apart from the product. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from '../product/build.ts';

/** One or more elements, looked up when they are used. */
export interface Locator {
  click(options?: { modifiers?: ('Shift' | 'Alt')[]; timeout?: number }): Promise<void>;
  fill(text: string): Promise<void>;
  press(key: string): Promise<void>;
  hover(): Promise<void>;
  check(): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  setInputFiles(file: { name: string; mimeType: string; buffer: Buffer }): Promise<void>;
  focus(): Promise<void>;
  inputValue(): Promise<string>;
  textContent(): Promise<string | null>;
  allTextContents(): Promise<string[]>;
  getAttribute(name: string): Promise<string | null>;
  isVisible(): Promise<boolean>;
  isDisabled(): Promise<boolean>;
  boundingBox(): Promise<{ x: number; y: number; width: number; height: number } | null>;
  waitFor(options?: {
    state?: 'visible' | 'hidden' | 'attached' | 'detached';
    timeout?: number;
  }): Promise<void>;
  count(): Promise<number>;
  first(): Locator;
  last(): Locator;
  nth(index: number): Locator;
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean; level?: number }): Locator;
  locator(selector: string, options?: { hasText?: string | RegExp }): Locator;
  getByLabel(text: string | RegExp, options?: { exact?: boolean }): Locator;
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator;
  getByTitle(text: string | RegExp): Locator;
  evaluate<T>(read: (element: HTMLElement) => T): Promise<T>;
}

/** A request on its way. */
export interface Route {
  continue(): Promise<void>;
  /** Asks the server, and tells the page nothing. */
  fetch(): Promise<unknown>;
  fulfill(answer: { status: number; contentType: string; body: string }): Promise<void>;
  abort(): Promise<void>;
}

/** One tab. */
export interface Page {
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  url(): string;
  waitForURL(url: string | RegExp | ((url: URL) => boolean)): Promise<void>;
  waitForEvent(event: 'download'): Promise<{ path(): Promise<string> }>;
  close(): Promise<void>;
  locator(selector: string, options?: { hasText?: string | RegExp }): Locator;
  /** What is inside a frame. */
  frameLocator(selector: string): { locator(selector: string): Locator };
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean; level?: number }): Locator;
  getByLabel(text: string | RegExp, options?: { exact?: boolean }): Locator;
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator;
  evaluate<T, A = undefined>(read: (argument: A) => T | Promise<T>, argument?: A): Promise<T>;
  evaluate<T>(expression: string): Promise<T>;
  waitForFunction<A = undefined>(
    holds: (argument: A) => unknown,
    argument?: A,
    options?: { timeout?: number },
  ): Promise<unknown>;
  /** Stands between the page and the server for some requests. */
  route(url: string, serve: (route: Route) => Promise<unknown>): Promise<void>;
  unrouteAll(): Promise<void>;
  /** Plays the server of sockets, or lets them through to it. */
  routeWebSocket(
    url: string,
    serve: (socket: {
      connectToServer(): unknown;
      close(options: { code: number; reason: string }): Promise<void>;
    }) => unknown,
  ): Promise<void>;
  addInitScript(script: { content: string } | (() => void)): Promise<void>;
  emulateMedia(options: {
    colorScheme?: 'light' | 'dark';
    reducedMotion?: 'reduce' | 'no-preference';
  }): Promise<void>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  screenshot(options: { path: string }): Promise<unknown>;
  on(event: 'pageerror', listener: (error: Error) => void): void;
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void;
  on(
    event: 'response',
    listener: (response: { status(): number; url(): string; request(): { method(): string } }) => void,
  ): void;
  on(
    event: 'websocket',
    listener: (socket: {
      on(event: 'framesent', seen: (frame: { payload: string | Buffer }) => void): void;
    }) => void,
  ): void;
  readonly mouse: {
    move(x: number, y: number, options?: { steps?: number }): Promise<void>;
    down(): Promise<void>;
    up(): Promise<void>;
    click(x: number, y: number): Promise<void>;
  };
  readonly keyboard: {
    press(key: string): Promise<void>;
    down(key: string): Promise<void>;
    up(key: string): Promise<void>;
    type(text: string): Promise<void>;
    insertText(text: string): Promise<void>;
  };
  readonly touchscreen: { tap(x: number, y: number): Promise<void> };
}

/** One profile: its tabs share storage. */
export interface Context {
  newPage(): Promise<Page>;
  /** The next page that a page opens. */
  waitForEvent(event: 'page'): Promise<Page>;
  close(): Promise<void>;
  setOffline(isOffline: boolean): Promise<void>;
  grantPermissions(permissions: readonly string[]): Promise<void>;
  /** A line to the browser's own tools, for what no page can do. */
  newCDPSession(page: Page): Promise<{ send(method: string, params?: object): Promise<unknown> }>;
}

/** A running browser. */
export interface Browser {
  newContext(options?: {
    viewport?: { width: number; height: number };
    colorScheme?: 'light' | 'dark';
    hasTouch?: boolean;
    isMobile?: boolean;
    javaScriptEnabled?: boolean;
  }): Promise<Context>;
  close(): Promise<void>;
  on(event: 'disconnected', listener: () => void): void;
}

interface Playwright {
  readonly chromium: {
    launch(options: { executablePath: string; args: readonly string[] }): Promise<Browser>;
  };
}

const require = createRequire(join(ROOT, 'test/tools/package.json'));

/** Loads the driver. */
export function loadPlaywright(): Playwright {
  return require('playwright-core') as Playwright; // the part written down above
}

/** Where the script of the accessibility check is. */
export function axePath(): string {
  return require.resolve('axe-core/axe.min.js');
}
