import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { ensureBuilt } from '../product/build.ts';
import type { StdioClient } from '../product/mcp-messages.ts';
import { stdioClient } from '../product/mcp-messages.ts';
import { spawnParley, startParley } from '../product/parley.ts';
import { connectPage, tokenOf } from './page-client.ts';
import { copySample } from './project.ts';

const TABS = 20;
const NOTES_PER_TAB = 25;
const CONFIG = `import { parley } from '@parley/annotations/vite';\nexport default { plugins: [parley()] };\n`;

interface Note {
  readonly annotationText: string;
  readonly replies: { readonly author: string; readonly message: string }[];
}

test('a dev server, a stdio process and an HTTP server write to one folder and lose nothing', async () => {
  await ensureBuilt();
  await using project = await copySample('html');
  const data = join(project.root, '.parley');
  await using devServer = await startVite(project.root);
  await using server = await startParley(data);
  const agentProcess = spawnParley(['mcp', 'annotations', '--data', data]);
  const agent = stdioClient(agentProcess);
  const token = tokenOf(server.stdout());

  const asked: Promise<unknown>[] = [];
  const onNote = (id: string, index: number) => {
    // Half of the notes of each side, so that the agent writes as many replies as each of them.
    if (index % 2 === 0) asked.push(agent.call('reply', { id, message: `agent to ${id}` }));
  };
  await Promise.all([
    writeNotes('dev', devServer.origin, token, onNote),
    writeNotes('http', server.url, token, onNote),
  ]);
  const answers = await Promise.all(asked);
  expect(answers).toHaveLength(TABS * NOTES_PER_TAB);
  expect(answers.filter((answer) => JSON.stringify(answer).includes('"isError":true'))).toEqual([]);

  const notes = await allNotes(agent);
  agentProcess.child.stdin.end();
  expect(new Set(notes.map(({ annotationText }) => annotationText)).size).toBe(2 * TABS * NOTES_PER_TAB);
  expect(notes).toHaveLength(2 * TABS * NOTES_PER_TAB);
  const replies = notes.flatMap((note) => note.replies.map(({ author, message }) => `${author} ${message}`));
  expect(replies).toHaveLength(3 * TABS * NOTES_PER_TAB);
  expect(new Set(replies).size).toBe(replies.length);
}, 90_000);

async function writeNotes(
  side: string,
  origin: string,
  token: string,
  onNote: (id: string, index: number) => void,
): Promise<void> {
  const tabs = Array.from({ length: TABS }, async (_, tab) => {
    const page = await connectPage(origin, token);
    for (let index = 0; index < NOTES_PER_TAB; index += 1) {
      const id = await page.create(`${side} ${tab} ${index}`);
      onNote(id, tab * NOTES_PER_TAB + index);
      await page.reply(id, `${side} ${tab} ${index}`);
    }
    page.close();
  });
  await Promise.all(tabs);
}

async function allNotes(agent: StdioClient): Promise<Note[]> {
  const { sessions } = await read<{ sessions: { id: string }[] }>(agent, 'list_sessions', {});
  const notes = sessions.map(async ({ id }) => {
    return (await read<{ annotations: Note[] }>(agent, 'get_session', { id })).annotations;
  });
  return (await Promise.all(notes)).flat();
}

async function read<Result>(
  agent: StdioClient,
  tool: string,
  input: Record<string, unknown>,
): Promise<Result> {
  const { result } = await agent.call(tool, input);
  // The server validates each tool's output against the schema that says this.
  return result!.structuredContent as Result;
}

async function startVite(root: string): Promise<{ origin: string } & AsyncDisposable> {
  await writeFile(join(root, 'package.json'), '{ "type": "module" }\n');
  await writeFile(join(root, 'vite.config.js'), CONFIG);
  const program = join(root, 'node_modules/vite/bin/vite.js');
  const child = spawn(process.execPath, [program, '--host', '127.0.0.1', '--port', '0'], { cwd: root });
  const ended = once(child, 'exit');
  const origin = await new Promise<string>((resolve, reject) => {
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += stripVTControlCharacters(text);
      const [, url] = /(http:\/\/127\.0\.0\.1:\d+)\//.exec(printed) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', () => reject(new Error(`Vite ended early: ${printed}`)));
  });
  return {
    origin,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
