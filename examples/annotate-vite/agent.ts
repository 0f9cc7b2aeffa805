/** A scripted agent: it waits for a note, takes it, edits the source file that the note names, and closes the note. */
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** What the agent reads of a note. */
export interface Note {
  readonly id: string;
  readonly annotationText: string;
  readonly sourceFile?: string;
  readonly componentName?: string;
}

/** What became of a note. */
export interface Outcome {
  readonly id: string;
  readonly status: string;
}

/** An agent that is connected. */
export interface Agent extends AsyncDisposable {
  /** Waits until a person has left a note. */
  nextNote(): Promise<Note>;
  acknowledge(note: Note): Promise<Outcome>;
  resolve(note: Note, summary: string): Promise<Outcome>;
}

/** Connects over stdio to the data folder of a project, as a coding agent does. */
export async function connectAgent(parley: string, dataDir: string): Promise<Agent> {
  const client = new Client({ name: 'scripted-agent', version: '1.0.0' });
  const args = [parley, 'mcp', 'annotations', '--init', '--data', dataDir];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  const call = async <Result>(name: string, input: Record<string, unknown>): Promise<Result> => {
    const { isError, structuredContent, content } = await client.callTool({ name, arguments: input });
    if (isError === true) throw new Error(`${name} answered ${JSON.stringify(content)}`);
    // Each tool's output is validated by the server against the schema that says this.
    return structuredContent as Result;
  };
  return {
    async nextNote() {
      for (;;) {
        const { annotations } = await call<{ annotations?: Note[] }>('watch_annotations', {});
        const [note] = annotations ?? [];
        if (note !== undefined) return note;
      }
    },
    acknowledge: ({ id }) => call('acknowledge', { id, message: 'On it.' }),
    resolve: ({ id }, summary) => call('resolve', { id, summary }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Does what a note of the form `Write "new" instead of "old"` asks for, on the line that the note names. */
export async function edit(root: string, { annotationText, sourceFile = '' }: Note): Promise<string> {
  const [, wanted, present] = /^Write "(.+)" instead of "(.+)"\.?$/.exec(annotationText) ?? [];
  const [, path, line] = /^(.+):(\d+):\d+$/.exec(sourceFile) ?? [];
  if (wanted === undefined || present === undefined || path === undefined) {
    throw new Error(`The note "${annotationText}" at "${sourceFile}" is not one that this agent can do.`);
  }
  const file = resolve(root, path);
  // A note comes from a page, so the path in it is not trusted to stay in the project.
  if (relative(root, file).startsWith('..')) throw new Error(`${path} is outside of the project.`);
  const lines = (await readFile(file, 'utf8')).split('\n');
  const index = Number(line) - 1;
  const before = lines[index] ?? '';
  if (!before.includes(present)) throw new Error(`${sourceFile} does not hold "${present}".`);
  lines[index] = before.replace(present, wanted);
  await writeFile(join(file), lines.join('\n'));
  return `Wrote "${wanted}" in ${path}.`;
}
