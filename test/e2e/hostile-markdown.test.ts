/** What people and agents write stays harmless in a real browser, wherever it is shown. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALLOWED, HOSTILE } from '../../packages/feedback/test/hostile-markdown.ts';
import { describeInBrowser, launchChromium } from './chromium.ts';
import type { FeedbackSite } from './feedback-site.ts';
import { openFeedbackSite } from './feedback-site.ts';
import type { Browser, Page } from './playwright.ts';

// No text with the sign NUL is stored.
const SOURCES = HOSTILE.map(({ source }) => source.replaceAll('\0', '')).filter((source) =>
  source.isWellFormed(),
);
const COMMENTS_PER_PAGE = 20;

describeInBrowser('hostile markdown', () => {
  let site: FeedbackSite;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  beforeAll(async () => {
    [site, browser] = await Promise.all([openFeedbackSite(), launchChromium()]);
    page = await (await browser.newContext({})).newPage();
    // The policy of the pages refuses scripts and foreign images, and the browser says so here.
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', ({ message }) => complaints.push(message));
  });
  afterAll(async () => {
    await browser.close();
    await site[Symbol.asyncDispose]();
  });

  /** Opens a page and looks at every element of its texts as the browser understood them; returns the texts. */
  async function harmlessTexts(path: string): Promise<number> {
    await page.goto(site.url + path);
    const elements = await page.evaluate(() =>
      [...document.querySelectorAll('.prose *')].map((element) => ({
        name: element.localName,
        attributes: element.getAttributeNames(),
        href: element instanceof HTMLAnchorElement ? element.href : '',
      })),
    );
    for (const { name, attributes, href } of elements) {
      expect(Object.keys(ALLOWED)).toContain(name);
      expect(ALLOWED[name]).toEqual(expect.arrayContaining(attributes));
      if (name === 'a') expect(href).toMatch(/^https?:\/\/[abc]\.example\//);
    }
    // A text that closed what the page had opened would put the next ones outside.
    return page.locator('main .prose').count();
  }

  test('in the changelog', { timeout: 120_000 }, async () => {
    const { services, admin } = site.feedback;
    for (const content of SOURCES) {
      const publishedAt = new Date(services.now()).toISOString();
      const { id } = await services.changelog.create(admin, { title: 'News', content, publishedAt });
      expect(await harmlessTexts(`/feedback/changelog/${id}`), content).toBe(1);
    }
    expect(complaints).toEqual([]);
  });

  test('in posts, official responses and comments', { timeout: 120_000 }, async () => {
    const { services, admin, member, visitor } = site.feedback;
    const all = SOURCES.join('\n\n');
    const { id } = await services.posts.create(visitor, {
      boardId: site.seeded.boardId,
      title: 'Hostile',
      content: all,
    });
    await services.posts.update(admin, id, { officialResponse: all });
    for (const content of SOURCES) await services.comments.create(member, id, { content });
    let texts = 0;
    for (let number = 1; (number - 1) * COMMENTS_PER_PAGE < SOURCES.length; number += 1)
      texts += (await harmlessTexts(`/feedback/posts/${id}?page=${number}`)) - 2;
    expect(texts).toBe(SOURCES.length);
    expect(complaints).toEqual([]);
  });
});
