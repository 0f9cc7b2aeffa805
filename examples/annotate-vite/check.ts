/** Plays a note from the page to the fix and back, with a real browser, dev server and agent; fails when a step is wrong. */
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectAgent, edit } from './agent.ts';
import { createCamera, findBrowser, openPage } from './person.ts';
import { copyProject, runVite, startDevServer } from './project.ts';

const PARLEY = join(import.meta.dirname, '../../apps/server/bin/parley.js');
const PICTURES = join(import.meta.dirname, '../../docs/images');
const NOTE = 'Write "Add to basket" instead of "Add to baskte".';

async function playNote(root: string, browser: string, pictures: string | undefined): Promise<void> {
  await using devServer = await startDevServer(root);
  await using person = await openPage(devServer.url, browser);
  await using agent = await connectAgent(PARLEY, join(root, '.parley'));
  const photograph = createCamera(person.page, pictures);
  const watching = agent.nextNote();

  await person.annotate('article button', NOTE, () => photograph('1-note'));
  const note = await watching;
  assert.equal(note.annotationText, NOTE);
  assert.equal(note.componentName, 'Tea');
  assert.equal(note.sourceFile, 'src/tea.jsx:8:7');

  assert.equal((await agent.acknowledge(note)).status, 'acknowledged');
  await person.seesPin('acknowledged');
  await photograph('2-acknowledged');

  const summary = await edit(root, note);
  await person.page.locator('article button:text-is("Add to basket")').first().waitFor();
  assert.equal((await agent.resolve(note, summary)).status, 'resolved');
  await person.seesPin('resolved');
  await photograph('3-resolved');
  assert.equal(await person.page.locator('main:has-text("baskte")').count(), 0);
}

async function buildFiles(root: string): Promise<Map<string, string>> {
  const vite = runVite(root, 'build', '--logLevel', 'warn');
  assert.equal(await new Promise((resolve) => vite.once('exit', resolve)), 0);
  const entries = await readdir(join(root, 'dist'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = files.map(async (file): Promise<[string, string]> => [
    file,
    await readFile(file, 'latin1'),
  ]);
  return new Map(await Promise.all(contents));
}

async function checkBuild(root: string): Promise<void> {
  const withPlugin = await buildFiles(root);
  const config = join(root, 'vite.config.js');
  await writeFile(config, (await readFile(config, 'utf8')).replace(', parley()', ''));
  assert.deepEqual(withPlugin, await buildFiles(root), 'A build must not change because of the plugin.');
  assert.doesNotMatch([...withPlugin.values()].join(''), /parley/i);
}

const browser = findBrowser();
await using project = await copyProject();
if (browser === undefined) {
  console.error(
    'NOT CHECKED: there is no Chromium on this machine; install it to play the note on the page.',
  );
  // On a build server a check that did not happen is a failure.
  if (process.env.CI === 'true') process.exitCode = 1;
} else {
  await playNote(project.root, browser, process.argv.includes('--record') ? PICTURES : undefined);
  console.log(
    'A note went from the page to the agent, into the source file, and back to the page as resolved.',
  );
}
await checkBuild(project.root);
console.log('The production build is the same with and without the plugin.');
