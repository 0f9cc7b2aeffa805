/** Owns what is measured inside a page of the console: these functions run in the browser. */

/** What the page keeps of itself from its first moment on. */
export interface PageFigures {
  /** When nothing that loads was left on the screen; undefined while there is. */
  settledMs?: number;
  /** Messages of the live stream. */
  messages: number;
  /** The longest time that the page could do nothing else. */
  longestMs: number;
}

/** Watches the page; put there before its first script. */
export function watchPage(): void {
  const figures: PageFigures = { messages: 0, longestMs: 0 };
  Object.assign(window, { figures });
  const look = () => {
    const isThere = document.querySelector('main h1, main h2') !== null;
    const isLoading = document.querySelector('.skeleton, .frame-pending, [aria-busy="true"]') !== null;
    if (isThere && !isLoading) figures.settledMs = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) figures.longestMs = Math.max(figures.longestMs, duration);
  }).observe({ type: 'longtask' });
  const Plain = EventSource;
  window.EventSource = class extends Plain {
    constructor(url: string | URL, options?: EventSourceInit) {
      super(url, options);
      this.addEventListener('message', () => (figures.messages += 1));
    }
  };
}

/** Goes to a place of the rail as a click does; returns the time until its screen is there. */
export function changeRoute(path: string): Promise<number> {
  const link = document.querySelector<HTMLElement>(`nav[aria-label="Main"] a[href="/console${path}"]`);
  if (!link) throw new Error(`The rail has no link to ${path}.`);
  const before = document.querySelector('main')?.firstElementChild;
  const startedMs = performance.now();
  link.click();
  return new Promise((resolve) => {
    const look = () => {
      const now = document.querySelector('main')?.firstElementChild;
      const isNew = now !== before && document.querySelector('main h1, main h2') !== null;
      if (isNew) resolve(performance.now() - startedMs);
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

/** How a list went by. */
export interface Scrolled {
  frames: number;
  seconds: number;
  /** The slowest frame. */
  slowestMs: number;
  rows: number;
}

/** Scrolls down a table for so many frames, each by the same number of pixels. */
export function scrollTable({ frames, px }: { frames: number; px: number }): Promise<Scrolled> {
  const box = document.querySelector<HTMLElement>('.table-scroll');
  const table = document.querySelector('[role="table"]');
  if (!box || !table) throw new Error('There is no table to scroll.');
  return new Promise((resolve) => {
    const startedMs = performance.now();
    let lastMs = startedMs;
    let slowestMs = 0;
    let done = 0;
    const step = (nowMs: number) => {
      slowestMs = Math.max(slowestMs, nowMs - lastMs);
      lastMs = nowMs;
      if (done === frames)
        return resolve({
          frames,
          seconds: (nowMs - startedMs) / 1000,
          slowestMs,
          rows: Number(table.getAttribute('aria-rowcount')) - 1,
        });
      done += 1;
      box.scrollTop += px;
      return requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}

/** Jumps to the end of a table until it has so many rows or no more come; returns how many it has. */
export async function loadRows(wanted: number): Promise<number> {
  const box = document.querySelector<HTMLElement>('.table-scroll');
  const rowsOf = () =>
    Number(document.querySelector('[role="table"]')?.getAttribute('aria-rowcount') ?? '1') - 1;
  let stillFrames = 0;
  for (let rows = rowsOf(); rows < wanted && stillFrames < 600;) {
    if (box) box.scrollTop = box.scrollHeight;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    stillFrames = rowsOf() === rows ? stillFrames + 1 : 0;
    rows = rowsOf();
  }
  if (box) box.scrollTop = 0;
  return rowsOf();
}
