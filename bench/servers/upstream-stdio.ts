/** Owns an upstream over stdio: an MCP server of the 2025 era in a child process that costs as little as one can. */
import { existsSync } from 'node:fs';
import { answersOf } from './upstream-messages.ts';

// Where this file is, it ends as it is started, and with the next message.
const endsWith = process.argv[3];
const endIfTold = () => {
  if (endsWith !== undefined && existsSync(endsWith)) process.exit(1);
};
endIfTold();

const answer = answersOf({ era: '2025', tools: Number(process.argv[2] ?? 5), prefix: '' });
let pending = '';

process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk: string) => {
  endIfTold();
  const lines = (pending + chunk).split('\n');
  pending = lines.pop() ?? '';
  const answers = lines.map((line) => (line.trim() === '' ? undefined : answer(line)));
  const text = answers.flatMap((one) => (one === undefined ? [] : [`${one}\n`])).join('');
  if (text !== '') process.stdout.write(text);
});
