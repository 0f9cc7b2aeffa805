/** The public pages of feedback in a real browser: on a desk and on a phone, with scripts and without. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docsPageOf } from '../../packages/http/src/rest.ts';
import { feedbackApi } from '../../packages/feedback/src/rest.ts';
import { ROOT } from '../product/build.ts';
import { describeInBrowser, launchChromium } from './chromium.ts';
import type { FeedbackSite } from './feedback-site.ts';
import { openFeedbackSite } from './feedback-site.ts';
import type { Browser, Page } from './playwright.ts';
import { axePath } from './playwright.ts';

const SHOTS = join(ROOT, 'test/artifacts/e2e');
const DESK = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** What the accessibility check finds that is serious or worse. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(axePath(), 'utf8'));
  return page.evaluate(async () => {
    interface Axe {
      run(options: { resultTypes: string[] }): Promise<{
        violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
      }>;
    }
    const { axe } = window as unknown as { axe: Axe }; // put there by the line above
    const { violations: found } = await axe.run({ resultTypes: ['violations'] });
    return found
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
      );
  });
}

describeInBrowser('public pages', () => {
  let site: FeedbackSite;
  let browser: Browser;
  beforeAll(async () => {
    mkdirSync(SHOTS, { recursive: true });
    [site, browser] = await Promise.all([openFeedbackSite(), launchChromium()]);
  });
  afterAll(async () => {
    await browser.close();
    await site[Symbol.asyncDispose]();
  });

  const paths = (): Record<string, string> => ({
    boards: '/feedback',
    board: '/feedback/boards/feature-requests',
    search: '/feedback/boards/feature-requests?q=search+OR+dark&status=in_progress',
    new: '/feedback/boards/feature-requests/new',
    post: `/feedback/posts/${site.seeded.postId}`,
    roadmap: '/feedback/roadmap',
    changelog: '/feedback/changelog',
    'sign-in': '/feedback/sign-in',
    missing: '/feedback/nothing',
  });

  async function openTab(options: Parameters<Browser['newContext']>[0]) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('404')) complaints.push(message.text());
    });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
  }

  async function signIn(page: Page): Promise<void> {
    await page.goto(`${site.url}/feedback/sign-in`);
    await page.getByLabel('Your name').fill('Robin Reader');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  }

  test.each([
    { size: 'desk', scheme: 'light', isSignedIn: false },
    { size: 'desk', scheme: 'dark', isSignedIn: true },
    { size: 'phone', scheme: 'light', isSignedIn: true },
    { size: 'phone', scheme: 'dark', isSignedIn: false },
  ] as const)(
    'every page is accessible, fits and complains of nothing: $size, $scheme, signed in: $isSignedIn',
    { timeout: 120_000 },
    async ({ size, scheme, isSignedIn }) => {
      await using tab = await openTab({ ...(size === 'desk' ? DESK : PHONE), colorScheme: scheme });
      const { page } = tab;
      if (isSignedIn) await signIn(page);
      for (const [name, path] of Object.entries(paths())) {
        await page.goto(site.url + path);
        await page.screenshot({ path: join(SHOTS, `feedback-${name}-${size}-${scheme}.png`) });
        expect(await violations(page), `${name} ${size} ${scheme}`).toEqual([]);
        const overflow = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect([name, overflow]).toEqual([name, 0]);
        expect(await page.locator('h1').count()).toBe(1);
      }
      expect(tab.complaints).toEqual([]);
    },
  );

  test('somebody without scripts reads, signs in, votes, follows, posts, edits, comments, replies and reacts', async () => {
    await using tab = await openTab({ ...PHONE, javaScriptEnabled: false });
    const { page } = tab;
    await page.goto(`${site.url}/feedback`);
    await page.getByRole('link', { name: 'Feature requests' }).click();
    await page.getByLabel('Search posts').fill('spreadsheet');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('link', { name: 'Export to CSV' }).waitFor();
    expect(await page.locator('.posts > li').count()).toBe(1);

    await page.getByRole('button', { name: 'Vote for Export to CSV, 11 votes' }).click();
    await page.getByLabel('Your name').fill('Nell No-Script');
    await page.getByRole('button', { name: 'Continue' }).click();
    const voted = page.getByRole('button', { name: 'Take back your vote for Export to CSV, 12 votes' });
    await voted.waitFor();
    expect(await voted.getAttribute('aria-pressed')).toBe('true');

    await page.goto(site.url + paths()['post']);
    await page.getByRole('button', { name: 'Follow this post' }).click();
    await page.getByRole('button', { name: 'Stop following' }).click();
    await page.getByRole('button', { name: 'Follow this post' }).waitFor();
    await page.getByLabel('Your comment').fill('Two lines\nof words');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.locator('text=of words').waitFor();
    await page.getByRole('link', { name: 'Reply to Priya Raman' }).click();
    await page.getByLabel('Your reply to Priya Raman').fill('I agree');
    await page.getByRole('button', { name: 'Reply', exact: true }).click();
    await page.locator('text=I agree').waitFor();
    await page.getByRole('button', { name: '👍 2' }).first().click();
    await page.getByRole('button', { name: '👍 3' }).waitFor();
    await page.getByRole('link', { name: 'React to Mia Member' }).click();
    await page.getByRole('button', { name: '👀' }).click();
    await page.getByRole('button', { name: '👀 1' }).waitFor();

    await page.goto(`${site.url}/feedback/boards/bugs/new`);
    await page.getByLabel('Title').fill('The button is too small');
    await page.getByRole('button', { name: 'Post it' }).click();
    await page.getByRole('heading', { name: 'The button is too small' }).waitFor();
    await page.getByRole('link', { name: 'Edit this post' }).click();
    await page.getByLabel('Title').fill('The button is far too small');
    await page.getByRole('button', { name: 'Save it' }).click();
    await page.getByRole('heading', { name: 'The button is far too small' }).waitFor();
    await page.locator('text=Delete this post').click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.locator('text=Nobody has posted yet.').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await page.getByRole('link', { name: 'Changelog' }).click();
    await page.getByRole('link', { name: 'Two-factor sign-in' }).first().waitFor();
  });

  test.each([
    { size: 'desk', scheme: 'light' },
    { size: 'phone', scheme: 'dark' },
  ] as const)(
    'an own post and its forms are accessible and fit: $size, $scheme',
    { timeout: 60_000 },
    async ({ size, scheme }) => {
      await using tab = await openTab({ ...(size === 'desk' ? DESK : PHONE), colorScheme: scheme });
      const { page } = tab;
      const look = async (name: string) => {
        await page.screenshot({ path: join(SHOTS, `feedback-${name}-${size}-${scheme}.png`) });
        expect(await violations(page), name).toEqual([]);
        const overflow = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect([name, overflow, await page.locator('h1').count()]).toEqual([name, 0, 1]);
      };
      await signIn(page);
      await page.goto(`${site.url}/feedback/boards/bugs/new`);
      await page.getByLabel('Title').fill('Crash when I export');
      await page.getByRole('button', { name: 'Post it' }).click();
      await page.getByRole('link', { name: 'Edit this post' }).waitFor();
      await look('own-post');
      await page.getByRole('link', { name: 'Edit this post' }).click();
      await page.getByRole('heading', { name: 'Edit post' }).waitFor();
      await look('edit-post');
      await page.goto(`${site.url}/feedback/boards/bugs/new`);
      await page.getByLabel('Title').fill('Export crash');
      await page.getByRole('link', { name: 'Crash when I export' }).waitFor();
      await page.getByRole('button', { name: 'Post anyway' }).waitFor();
      await look('similar-posts');
      await page.getByRole('link', { name: 'Crash when I export' }).click();
      await page.locator('text=Delete this post').click();
      await page.getByRole('button', { name: 'Delete it' }).click();
      await page.locator('text=Nobody has posted yet.').waitFor();
    },
  );

  test('with scripts a vote needs no reload, and the focus stays', async () => {
    await using tab = await openTab(DESK);
    const { page } = tab;
    await signIn(page);
    await page.goto(site.url + paths()['board']);
    await page.evaluate('window.isSamePage = true');
    await page.getByRole('button', { name: 'Vote for Custom fields, 4 votes' }).click();
    const button = page.getByRole('button', { name: 'Take back your vote for Custom fields, 5 votes' });
    await button.waitFor();
    expect(await button.getAttribute('aria-pressed')).toBe('true');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toContain(
      'Custom fields',
    );
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Vote for Custom fields, 4 votes' }).waitFor();
    expect(await page.evaluate('window.isSamePage')).toBe(true);
    expect(tab.complaints).toEqual([]);
  });

  test('similar posts show while a title is typed, and a vote for one takes the place of a post', async () => {
    await using tab = await openTab(DESK);
    const { page } = tab;
    await signIn(page);
    await page.goto(`${site.url}/feedback/boards/feature-requests/new`);
    await page.getByLabel('Title').fill('Cheese');
    await page.getByLabel('Title').fill('Custom field');
    await page.getByRole('link', { name: 'Custom fields' }).waitFor();
    expect(await page.getByRole('button', { name: 'Post it' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Vote for it instead: Custom fields' }).click();
    await page.getByRole('button', { name: 'Take back your vote for Custom fields, 5 votes' }).waitFor();
    await page.getByRole('button', { name: 'Take back your vote for Custom fields, 5 votes' }).click();
    await page.getByRole('button', { name: 'Vote for Custom fields, 4 votes' }).waitFor();
    expect(tab.complaints).toEqual([]);
  });

  test('without scripts the same shows once, when the form is sent', async () => {
    await using tab = await openTab({ ...PHONE, javaScriptEnabled: false });
    const { page } = tab;
    await signIn(page);
    await page.goto(`${site.url}/feedback/boards/feature-requests/new`);
    await page.getByLabel('Title').fill('Custom field');
    await page.getByRole('button', { name: 'Post it' }).click();
    await page.getByRole('link', { name: 'Custom fields' }).waitFor();
    await page.getByRole('button', { name: 'Post anyway' }).click();
    await page.locator('text=Delete this post').click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByRole('link', { name: 'New post' }).waitFor();
    expect(tab.complaints).toEqual([]);
  });

  test.each([
    { size: 'desk', scheme: 'light' },
    { size: 'desk', scheme: 'dark' },
    { size: 'phone', scheme: 'light' },
    { size: 'phone', scheme: 'dark' },
  ] as const)('the page about the API is accessible and fits: $size, $scheme', async ({ size, scheme }) => {
    await using tab = await openTab({ ...(size === 'desk' ? DESK : PHONE), colorScheme: scheme });
    const { page } = tab;
    const html = docsPageOf({ ...feedbackApi, routes: await feedbackApi.routes() });
    await page.goto(`data:text/html;charset=utf-8,${encodeURIComponent(html)}`);
    await page.screenshot({ path: join(SHOTS, `feedback-api-${size}-${scheme}.png`) });
    expect(await violations(page)).toEqual([]);
    const overflow = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(overflow).toBe(0);
  });

  test('with the keyboard the first stop leads past the navigation', async () => {
    await using tab = await openTab(DESK);
    const { page } = tab;
    await page.goto(site.url + paths()['board']);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
  });

  test('pages stay small, also for somebody who is signed in', async () => {
    await using tab = await openTab(DESK);
    await signIn(tab.page);
    for (const [name, path] of Object.entries(paths())) {
      const bytes = await tab.page.evaluate<number, string>(
        async (address) => (await (await fetch(address)).arrayBuffer()).byteLength,
        path,
      );
      expect([name, bytes < 20_000]).toEqual([name, true]);
    }
  });
});
