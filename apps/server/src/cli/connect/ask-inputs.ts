/** Values that a client's file leaves to a person: asked for on the terminal, where there is one. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { ClientEntry } from '@parley/connections';
import { inputsIn } from '@parley/connections';
import { printable } from '../../printable.ts';

/** The answers by the id of their input; an empty line leaves one unanswered. */
export async function askInputs(entries: readonly ClientEntry[]): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  if (!process.stdin.isTTY) return answers;
  for (const entry of entries) {
    for (const id of inputsIn(entry).filter((each) => !answers.has(each))) {
      const { description, isSecret } = entry.inputs.get(id) ?? { description: id, isSecret: true };
      const answer = await ask(`${printable(entry.name)}: ${printable(description)}: `, isSecret);
      if (answer !== '') answers.set(id, answer);
    }
  }
  return answers;
}

async function ask(question: string, isSecret: boolean): Promise<string> {
  process.stderr.write(question);
  // What is typed is shown by whoever writes the output, which for a secret is nobody.
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (isSecret) done();
      else process.stderr.write(chunk, done);
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return (await lines.question('')).trim();
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
