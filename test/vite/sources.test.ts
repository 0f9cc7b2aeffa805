import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parley } from '../../packages/annotations/src/vite/index.ts';
import { describeInBrowser, launchChromium } from '../e2e/chromium.ts';
import type { Browser, Context } from '../e2e/playwright.ts';
import type { FrameworkName } from './dev-server.ts';
import { pluginsOf, serve, settingsOf, UNPREPARED } from './dev-server.ts';
import type { SentNote } from './person.ts';
import { annotate, collectNotes } from './person.ts';
import { copySample } from './project.ts';

interface Row {
  readonly framework: FrameworkName;
  readonly component: string;
  /** The file, and the text in it that the note must point at. */
  readonly at?: readonly [file: string, text: string];
}

const rows: Row[] = [
  { framework: 'react', component: 'Price', at: ['src/price.tsx', '<button id="target"'] },
  { framework: 'vue', component: 'BuyButton', at: ['src/BuyButton.vue', '<button v-for'] },
  { framework: 'svelte', component: 'BuyButton', at: ['src/BuyButton.svelte', '<button id="target"'] },
  {
    framework: 'angular',
    component: 'BuyButtonComponent',
    at: ['src/plan-card.component.ts', 'export class BuyButtonComponent'],
  },
  { framework: 'html', component: 'main' },
];

function placeOf(file: string, content: string, text: string): string {
  const before = content.slice(0, content.indexOf(text)).split('\n');
  return `${file}:${before.length}:${before.at(-1)!.length + 1}`;
}

describeInBrowser('in a real browser', () => {
  let browser: Browser;
  let context: Context;
  beforeAll(async () => {
    browser = await launchChromium();
    context = await browser.newContext();
  });
  afterAll(() => browser.close());

  async function noteOn(root: string, framework: FrameworkName, selector: string): Promise<SentNote> {
    await using served = await serve(settingsOf(root, [await pluginsOf(framework), parley()]));
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    const notes = collectNotes(page);
    await page.goto(served.url);
    await page.locator(selector).waitFor();
    await annotate(page, selector, 'Make it green');
    await page.close();
    expect(faults).toEqual([]);
    expect(notes).toHaveLength(1);
    return notes[0]!;
  }

  test.each(rows)(
    'a nested element of $framework leads to its source',
    async ({ framework, component, at }) => {
      await using project = await copySample(framework);
      const note = await noteOn(project.root, framework, '#target');
      expect(note.componentName).toBe(component);
      if (at === undefined) {
        expect(note).not.toHaveProperty('sourceFile');
        return;
      }
      const [file, text] = at;
      expect(note.sourceFile).toBe(placeOf(file, await readFile(join(project.root, file), 'utf8'), text));
    },
  );

  test('an Angular component with an external template names both files', async () => {
    await using project = await copySample('angular');
    const { sourceFile, templateFile } = await noteOn(project.root, 'angular', '#outer');
    expect(sourceFile).toBe('src/plan-card.component.ts:18:1');
    expect(templateFile).toBe('src/plan-card.component.html');
  });

  test('a Vue template in a file of its own leads to that file', async () => {
    await using project = await copySample('vue');
    const file = join(project.root, 'src/BuyButton.vue');
    await writeFile(join(project.root, 'src/buy.html'), '\n\n<p><button id="target">Buy</button></p>\n');
    await writeFile(file, '<template src="./buy.html"></template>\n');
    expect((await noteOn(project.root, 'vue', '#target')).sourceFile).toBe('src/buy.html:3:4');
  });

  test('a Vue element that no template made gets no line of the template around it', async () => {
    await using project = await copySample('vue');
    const made = `import { h } from 'vue';\nexport default { render: () => h('b', { id: 'target' }, 'made') };\n`;
    await writeFile(join(project.root, 'src/made.js'), made);
    const around = `<script setup>\nimport Made from './made.js';\n</script>\n<template><p><Made /></p></template>\n`;
    await writeFile(join(project.root, 'src/BuyButton.vue'), around);
    expect(await noteOn(project.root, 'vue', '#target')).not.toHaveProperty('sourceFile');
  });

  test('a changed source gives its new line to the next note, without a restart', async () => {
    await using project = await copySample('angular');
    const file = join(project.root, 'src/plan-card.component.ts');
    await using served = await serve(settingsOf(project.root, [parley()]));
    const page = await context.newPage();
    const notes = collectNotes(page);
    await page.goto(served.url);
    await page.locator('#target').waitFor();
    const moved = (await readFile(file, 'utf8'))
      .replace('@Component', '\n\n@Component')
      .replace('id="target"', 'id="moved"');
    await writeFile(file, moved);
    await page.locator('#moved').waitFor();
    await annotate(page, '#moved', 'Make it green');
    await page.close();
    expect(notes[0]?.sourceFile).toBe('src/plan-card.component.ts:10:1');
  });

  test('paths count from the root that was given', async () => {
    await using project = await copySample('react');
    await using served = await serve(settingsOf(project.root, [parley({ root: '..' })], UNPREPARED));
    const { code } = (await served.server.transformRequest('/src/price.tsx'))!;
    expect(code).toContain(`${project.root.split('/').at(-1)}/src/price.tsx:8:20`);
  });
});
