/** Tools and their runner in a real browser: by keyboard alone, and with the oddest tools of another server. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../e2e/chromium.ts';
import type { Page } from '../e2e/playwright.ts';
import type { ConsoleBed } from './console-bed.ts';
import { keepPicture, lookAt, openConsole, settled, tabTo, violations } from './console-bed.ts';
import { serveOddTools } from './odd-tools.ts';

describeInBrowser('tools', () => {
  let bed: ConsoleBed;
  beforeAll(async () => {
    bed = await openConsole(['--demo', '--allow-egress', '127.0.0.1']);
  });
  afterAll(() => bed[Symbol.asyncDispose]());

  const run = async (page: Page) => {
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.tools-run .badge', { hasText: /done|failed|waiting/ }).waitFor();
  };
  const shown = async (page: Page) => (await page.locator('.tools-run').textContent()) ?? '';

  test('look right and are accessible in both themes and sizes', async () => {
    const screens = {
      tools: '/tools',
      'tools-run': `/tools/${encodeURIComponent('feedback:create_post')}`,
      'tools-about': `/tools/${encodeURIComponent('feedback:create_post')}/about`,
    };
    expect(await lookAt(bed, screens)).toEqual([]);
  });

  test('are found, filled in and run with the keyboard alone', async () => {
    const { page, context, faults } = await bed.open();
    await settled(page);
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.getByRole('table', { name: 'Tools' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('search feedback');
    await expect.poll(() => page.locator('.table-data').count()).toBe(1);
    await page.keyboard.press('Tab');
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Search feedback' }).waitFor();
    for (let press = 0; press < 40; press += 1) {
      await page.keyboard.press('Tab');
      const isThere = await page.evaluate(() => document.activeElement?.closest('.schema-form') !== null);
      if (isThere) break;
    }
    await page.keyboard.type('dark');
    await page.keyboard.press('Control+Enter');
    await page.locator('.tools-run .badge', { hasText: 'done' }).waitFor();
    await keepPicture(page, 'tools-result');
    expect(await violations(page)).toEqual([]);
    await tabTo(page, 'Saved');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Save these arguments …' }).press('Enter');
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    await page.keyboard.type('By keys');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Saved (1)' }).waitFor();
    await tabTo(page, 'Saved');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Remove “By keys”' }).press('Enter');
    await page.getByRole('button', { name: 'Saved', exact: true }).waitFor();
    // What ran is run again from what was recorded.
    await page.getByRole('tab', { name: 'My runs' }).press('Enter');
    await page.getByRole('table', { name: 'My runs' }).getByRole('button').first().press('Enter');
    await page.getByRole('button', { name: 'Use these arguments again' }).press('Enter');
    await page.getByRole('textbox', { name: /^query/ }).press('Control+Enter');
    await page.locator('.tools-run .badge', { hasText: 'done' }).waitFor();
    // Out of the field, then out of the tool.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Search feedback' }).waitFor({ state: 'hidden' });
    expect(faults).toEqual([]);
    await context.close();
  });

  test('of another server may be as odd as they like', async () => {
    const upstream = await serveOddTools();
    const browser = await bed.server.signedIn();
    const data = {
      id: 'conn_odd',
      title: 'Odd tools',
      connection_type: 'HTTP',
      connection_url: upstream.url,
    };
    await browser.call('self', 'COLLECTION_CONNECTIONS_CREATE', { data });
    const { page, context, faults } = await bed.open();
    const open = async (name: string) => {
      await page.goto(`${bed.url}/console/tools/${encodeURIComponent(`conn_odd:${name}`)}`);
      await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    };
    const given = () => upstream.of('tools/call').at(-1)?.params?.['arguments'];

    await open('many_fields');
    await expect.poll(() => page.locator('.schema-form .field').count()).toBe(1);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('alert').first().waitFor();
    await page.getByRole('textbox', { name: 'field_0', exact: true }).fill('first');
    await page.getByRole('searchbox', { name: 'Find a field' }).fill('field_199');
    await page.getByRole('textbox', { name: 'field_199' }).fill('12');
    await run(page);
    expect(given()).toEqual({ field_0: 'first', field_199: 12 });
    await page.getByRole('searchbox', { name: 'Find a field' }).fill('');
    await page.getByRole('button', { name: /^Show 19/ }).click();
    await expect.poll(() => page.locator('.schema-form .field').count()).toBe(200);
    await keepPicture(page, 'tools-many-fields');

    await open('nested');
    await page.getByRole('textbox', { name: /^radius/ }).fill('2.5');
    await page.getByRole('button', { name: 'Add to matrix' }).click();
    await page.getByRole('button', { name: 'Add to matrix 1' }).click();
    await page.getByRole('textbox', { name: 'matrix 1 1' }).fill('7');
    await page.getByRole('button', { name: 'Add to people' }).click();
    await page.getByRole('textbox', { name: /^name/ }).fill('Ada');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('textbox', { name: 'label' }).fill('root');
    await keepPicture(page, 'tools-nested');
    await run(page);
    const shape = { kind: 'circle', radius: 2.5 };
    expect(given()).toEqual({ shape, matrix: [[7]], people: [{ name: 'Ada' }], tree: { label: 'root' } });
    await page.getByRole('button', { name: 'JSON', exact: true }).first().click();
    await page.locator('.code-editor').waitFor();
    expect(await violations(page)).toEqual([]);

    await open('no_properties');
    await page.getByRole('textbox', { name: /Arguments/ }).fill('{"free": [1, 2]}');
    await run(page);
    expect(given()).toEqual({ free: [1, 2] });

    await open('endless');
    expect(await page.locator('.schema-form .field').count()).toBeLessThan(30);
    await expect.poll(() => page.getByRole('textbox', { name: /^constructor/ }).count()).toBeGreaterThan(0);

    await open('no_properties');
    const ran = upstream.of('tools/call').length;
    await page.getByRole('textbox', { name: /Arguments/ }).fill('{"ids": [1]}');
    await page.getByRole('textbox', { name: /Arguments/ }).fill('{"ids": [1,2}');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('One field needs care.').waitFor();
    await page.getByRole('tab', { name: /About/ }).click();
    await page.getByRole('tab', { name: /Run/ }).first().click();
    await expect
      .poll(() => page.getByRole('textbox', { name: /Arguments/ }).inputValue())
      .toBe('{"ids": [1,2}');
    expect(upstream.of('tools/call').length).toBe(ran);

    await open('steps');
    await run(page);
    expect(await shown(page)).toContain('All three parts are done.');

    await open('asks');
    await run(page);
    await page.getByRole('textbox', { name: /^name/ }).fill('Grace');
    await keepPicture(page, 'tools-question');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.locator('.tools-run .badge', { hasText: 'done' }).waitFor();
    expect(await shown(page)).toContain('Grace');

    await open('table');
    await run(page);
    await page.getByRole('table', { name: 'rows' }).waitFor();
    // Only what is seen is there.
    expect(await page.locator('.tools-table .table-data').count()).toBeLessThan(60);
    await keepPicture(page, 'tools-table');

    await open('huge');
    await run(page);
    // The beginning, and where the rest of the ten megabytes is.
    expect(await shown(page)).toMatch(/50,\d{3} characters.*parley:\/\/results\//);

    await open('picture');
    await run(page);
    expect(
      await page.locator('.tools-picture').evaluate((picture) => (picture as HTMLImageElement).naturalWidth),
    ).toBe(1);

    await open('app');
    await run(page);
    await expect
      .poll(() => page.frameLocator('.tools-app iframe').locator('h1').textContent())
      .toBe('An app: no cookies');
    await keepPicture(page, 'tools-app');

    await open('markup');
    await run(page);
    expect(await shown(page)).toContain('<img src=x onerror=');
    const links = await page
      .locator('.tools-run a')
      .evaluate((link) => [link.textContent, link.getAttribute('rel')]);
    expect(links).toEqual(['ok (evil.example)', 'noopener noreferrer']);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('arguments are kept under a name', async () => {
    const { page, context } = await bed.open();
    const path = `${bed.url}/console/tools/${encodeURIComponent('feedback:search_feedback')}`;
    await page.goto(path);
    await page.getByRole('textbox', { name: /^query/ }).fill('kept words');
    await page.getByRole('button', { name: /^Saved/ }).click();
    await page.getByRole('menuitem', { name: 'Save these arguments …' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('My search');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Saved (1)' }).waitFor();
    await page.goto(path);
    await page.getByRole('button', { name: 'Saved (1)' }).click();
    await page.getByRole('menuitem', { name: 'My search', exact: true }).click();
    await expect
      .poll(() =>
        page.getByRole('textbox', { name: /^query/ }).evaluate((input) => (input as HTMLInputElement).value),
      )
      .toBe('kept words');
    await context.close();
  });
});
